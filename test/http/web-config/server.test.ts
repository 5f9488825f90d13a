import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startConfigured } from "../support/configured-server.ts";
import { PATIENCE } from "../support/patience.ts";
import { ALICE, CAROL } from "./cases.ts";

const USERS = `basic_auth_users:\n  alice: ${ALICE}\n  carol: ${CAROL}\n`;

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

function start(yaml: string, limits?: Parameters<typeof startConfigured>[2]) {
  const folder = temporaryFolder({});
  return startConfigured({ path: (name) => join(folder, name) }, yaml, limits);
}

describe("users", () => {
  test.each([
    ["nobody", undefined, 401],
    ["alice", basic("alice", "wonderland"), 200],
    ["carol", basic("carol", "lewis"), 200],
    ["alice with a small b", basic("alice", "wonderland").replace("Basic", "bAsIc"), 200],
    ["alice with carol's password", basic("alice", "lewis"), 401],
    ["alice with no password", basic("alice", ""), 401],
    ["a name of the language", basic("__proto__", "wonderland"), 401],
    ["somebody else", basic("mallory", "wonderland"), 401],
    ["the hash as password", basic("alice", ALICE), 401],
    ["a scheme of another kind", "Bearer wonderland", 401],
    ["no colon", `Basic ${Buffer.from("alice").toString("base64")}`, 401],
    ["no base64", "Basic ???", 401],
    ["nothing", "Basic ", 401],
  ])("%s", async (_who, authorization, status) => {
    const { url } = await start(USERS);
    for (const path of ["/metrics", "/", "/nothing"]) {
      const response = await fetch(url + path, authorization === undefined ? {} : { headers: { authorization } });
      expect(response.status, path).toBe(status === 200 && path === "/nothing" ? 404 : status);
      expect(response.headers.get("www-authenticate") !== null).toBe(status === 401);
    }
  });

  test("get a rejection if too many passwords wait, and the right one still works", async () => {
    const slow = ALICE.replace("$04$", "$12$");
    const { url, rejected } = await start(`${USERS}  slow: ${slow}\n`);
    expect((await fetch(`${url}/metrics`, { headers: { authorization: basic("alice", "wonderland") } })).status).toBe(
      200,
    );
    let checked = 0;
    /** Retry-After in seconds, if rejected without a check. */
    const guess = async (index: number) => {
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: basic("slow", `guess ${index}`) } });
      const seconds = answer.headers.get("retry-after");
      if (seconds !== null) return seconds;
      checked++;
      throw new Error("it was checked");
    };
    const guesses = Array.from({ length: 30 }, (_, index) => guess(index));
    const refused = Promise.any(guesses);
    await vi.waitFor(() => expect(rejected).toContain("password_checks"), PATIENCE);
    // Cached, so it does not wait for the sixteen pending ones.
    const known = await fetch(`${url}/metrics`, { headers: { authorization: basic("alice", "wonderland") } });
    expect(known.status).toBe(200);
    expect(checked).toBeLessThan(8);
    expect(await refused).toBe("1");
  });

  test("keep their secrets out of log and answers at any level", async () => {
    const { url, logged, write, source } = await start(
      `${USERS}http_server_config: { headers: { Content-Security-Policy: "default-src 'none'" } }\n`,
    );
    const answers: string[] = [];
    const passwords = ["wonderland", "guessed-at-random"];
    for (const password of passwords) {
      for (const path of ["/metrics", "/", "/nothing", "/%00", `/?${password.length}`]) {
        for (const method of ["GET", "POST", "HEAD"]) {
          const response = await fetch(url + path, { method, headers: { authorization: basic("alice", password) } });
          answers.push(JSON.stringify([...response.headers]), await response.text());
        }
      }
    }
    write("basic_auth_users:\n  alice: plain-password\n");
    await vi.waitFor(() => expect(source.isInForce).toBe(false), PATIENCE);
    await vi.waitFor(() => expect(logged.join("")).toContain("WEB_CONFIG_INVALID"), PATIENCE);
    const seen = [...answers, ...logged].join("\n");
    const secrets = [...passwords, ...passwords.map((password) => basic("alice", password).slice(6)), ALICE, CAROL];
    for (const secret of [...secrets, "plain-password", ALICE.slice(7)]) expect(seen).not.toContain(secret);
    expect(seen).toContain("refused a request: user name or password is missing or wrong");
  });

  test("add and remove users immediately, also on open connections", async () => {
    const { url, write } = await start(`basic_auth_users: { alice: "${ALICE}" }`);
    const statusOf = async (name: string, password: string) =>
      (await fetch(`${url}/metrics`, { headers: { authorization: basic(name, password) } })).status;
    expect([await statusOf("alice", "wonderland"), await statusOf("carol", "lewis")]).toEqual([200, 401]);
    write(`basic_auth_users: { carol: "${CAROL}" }`);
    await vi.waitFor(async () => expect(await statusOf("carol", "lewis")).toBe(200), PATIENCE);
    expect(await statusOf("alice", "wonderland")).toBe(401);
    write("");
    await vi.waitFor(async () => expect(await statusOf("mallory", "x")).toBe(200), PATIENCE);
  });
});

describe("headers", () => {
  const POLICY = "default-src 'self' *.example.com";
  const HEADERS = `http_server_config:
  headers:
    X-Frame-Options: sameorigin
    Strict-Transport-Security: max-age=86400
    X-XSS-Protection: 1
    Content-Security-Policy: "${POLICY}"
`;

  test("are on every answer and override the exporter's headers", async () => {
    const { url } = await start(HEADERS + USERS);
    for (const path of ["/", "/metrics", "/nothing"]) {
      for (const authorization of [basic("alice", "wonderland"), basic("alice", "no")]) {
        const { headers } = await fetch(url + path, { headers: { authorization } });
        expect(Object.fromEntries(headers), path).toMatchObject({
          "x-frame-options": "sameorigin",
          "strict-transport-security": "max-age=86400",
          "x-xss-protection": "1",
          "content-security-policy": POLICY,
          "x-content-type-options": "nosniff",
        });
      }
    }
  });

  test("disable all actions on pages", async () => {
    const { url } = await start("");
    const { headers } = await fetch(`${url}/`);
    const policy = headers.get("content-security-policy") ?? "";
    for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      expect(policy).toContain(directive);
    }
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("deny");
  });
});

describe("rate limit", () => {
  test.each([
    ["rate_limit: { interval: 0, burst: 0 }", 10, 0],
    ["rate_limit: { interval: 1s, burst: 0 }", 0, 10],
    ["rate_limit: { interval: 1h, burst: 4 }", 4, 6],
  ])("%s answers %i of ten requests and rejects %i", async (yaml, answered, refused) => {
    const { url, rejected } = await start(yaml);
    const responses = await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/metrics`)));
    const statuses = responses.map(({ status }) => status);
    expect([statuses.filter((each) => each === 200).length, statuses.filter((each) => each === 429).length]).toEqual([
      answered,
      refused,
    ]);
    for (const { status, headers } of responses) {
      if (status === 429) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(rejected).toEqual(Array.from({ length: refused }, () => "rate_limit"));
  });
});

test("a rejected request keeps its connection open", async () => {
  const { port, rejected } = await start("rate_limit: { interval: 1h, burst: 1 }", {
    requestMs: 400,
  });
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2));
  await vi.waitFor(() => expect(rejected).toEqual(["rate_limit"]), PATIENCE);
  await sleep(800);
  expect([socket.closed, ...rejected]).toEqual([false, "rate_limit"]);
  socket.destroy();
});
