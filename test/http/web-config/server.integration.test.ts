import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { Agent, type RequestOptions } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { askHttp2, askTls, startConfigured } from "../support/configured-server.ts";
import { PATIENCE } from "../support/patience.ts";
import { ALICE, CAROL } from "./cases.ts";

let certificates: Certificates;
let ca: string;

beforeAll(() => {
  certificates = makeCertificates();
  ca = certificates.read("ca.pem");
});

afterAll(() => certificates.remove());

const TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n";
const USERS = `basic_auth_users:\n  alice: ${ALICE}\n  carol: ${CAROL}\n`;

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

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
    const { url } = await startConfigured(certificates, USERS);
    for (const path of ["/metrics", "/", "/nothing"]) {
      const response = await fetch(url + path, authorization === undefined ? {} : { headers: { authorization } });
      expect(response.status, path).toBe(status === 200 && path === "/nothing" ? 404 : status);
      expect(response.headers.get("www-authenticate") !== null).toBe(status === 401);
    }
  });

  test("work over TLS by HTTP/1.1 and HTTP/2", async () => {
    const { url } = await startConfigured(certificates, TLS + USERS);
    const headers = { authorization: basic("alice", "wonderland") };
    expect((await askTls(`${url}/metrics`, { ca, headers })).status).toBe(200);
    expect((await askTls(`${url}/metrics`, { ca })).status).toBe(401);
    expect((await askHttp2(`${url}/metrics`, ca, headers)).status).toBe(200);
    expect((await askHttp2(`${url}/metrics`, ca)).status).toBe(401);
  });

  test("get a rejection if too many passwords wait, and the right one still works", async () => {
    const slow = ALICE.replace("$04$", "$12$");
    const { url, rejected } = await startConfigured(certificates, `${USERS}  slow: ${slow}\n`);
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
    const { url, logged, write, source } = await startConfigured(
      certificates,
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
    const { url } = await startConfigured(certificates, HEADERS + USERS);
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
    const { url } = await startConfigured(certificates, "");
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
    const { url, rejected } = await startConfigured(certificates, yaml);
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
  const { port, rejected } = await startConfigured(certificates, "rate_limit: { interval: 1h, burst: 1 }", {
    requestMs: 400,
  });
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2));
  await vi.waitFor(() => expect(rejected).toEqual(["rate_limit"]), PATIENCE);
  await sleep(800);
  expect([socket.closed, ...rejected]).toEqual([false, "rate_limit"]);
  socket.destroy();
});

describe("changed files", () => {
  test("activate a new certificate without a restart", async () => {
    certificates.issue("rotated");
    const yaml = "tls_server_config:\n  cert_file: rotated.pem\n  key_file: rotated.key\n";
    const { url, logged } = await startConfigured(certificates, yaml);
    const serialOf = async () => {
      const { connect: connectTls } = await import("node:tls");
      const socket = connectTls({ port: Number(new URL(url).port), ca, servername: "localhost" });
      await once(socket, "secureConnect");
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    const before = await serialOf();
    // The pair does not match for a moment.
    certificates.issue("rotated");
    await vi.waitFor(async () => expect(await serialOf()).not.toBe(before), PATIENCE);
    expect((await askTls(`${url}/metrics`, { ca })).status).toBe(200);
    expect(logged.join("")).toContain("was reloaded");
  });

  test("permit one more answer on an old connection", async () => {
    certificates.issue("older");
    const yaml = "tls_server_config:\n  cert_file: older.pem\n  key_file: older.key\n";
    const { url, source } = await startConfigured(certificates, yaml);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const options: RequestOptions = { ca, agent };
    expect((await askTls(`${url}/metrics`, options)).headers.connection).toBe("keep-alive");
    const before = source.current;
    certificates.issue("older");
    await vi.waitFor(() => expect(source.current).not.toBe(before), PATIENCE);
    expect((await askTls(`${url}/metrics`, options)).headers.connection).toBe("close");
    expect((await askTls(`${url}/metrics`, options)).headers.connection).toBe("keep-alive");
    agent.destroy();
  });

  test("end an old HTTP/2 session after one more answer", async () => {
    certificates.issue("elder");
    const yaml = "tls_server_config:\n  cert_file: elder.pem\n  key_file: elder.key\n";
    const { url, source } = await startConfigured(certificates, yaml);
    const session = connectHttp2(url, { ca, servername: "localhost" });
    const ask = async () => {
      const stream = session.request({ ":path": "/metrics" });
      const [headers] = await once(stream, "response");
      stream.resume();
      await once(stream, "end");
      return headers[":status"];
    };
    expect(await ask()).toBe(200);
    const before = source.current;
    certificates.issue("elder");
    await vi.waitFor(() => expect(source.current).not.toBe(before), PATIENCE);
    const closed = once(session, "close");
    expect(await ask()).toBe(200);
    await closed;
  });

  test("add and remove users immediately, also on open connections", async () => {
    const { url, write } = await startConfigured(certificates, `basic_auth_users: { alice: "${ALICE}" }`);
    const statusOf = async (name: string, password: string) =>
      (await fetch(`${url}/metrics`, { headers: { authorization: basic(name, password) } })).status;
    expect([await statusOf("alice", "wonderland"), await statusOf("carol", "lewis")]).toEqual([200, 401]);
    write(`basic_auth_users: { carol: "${CAROL}" }`);
    await vi.waitFor(async () => expect(await statusOf("carol", "lewis")).toBe(200), PATIENCE);
    expect(await statusOf("alice", "wonderland")).toBe(401);
    write("");
    await vi.waitFor(async () => expect(await statusOf("mallory", "x")).toBe(200), PATIENCE);
  });

  test("turn TLS on and off", async () => {
    const { port, write } = await startConfigured(certificates, "");
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    write(TLS);
    await vi.waitFor(
      async () => expect((await askTls(`https://127.0.0.1:${port}/metrics`, { ca })).status).toBe(200),
      PATIENCE,
    );
    write("");
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200), PATIENCE);
  });

  test("keep the old state if they are wrong, with one log line until the correction", async () => {
    const { url, write, source, logged } = await startConfigured(certificates, USERS);
    const headers = { authorization: basic("alice", "wonderland") };
    const complaints = () => logged.filter((line) => line.includes("is invalid: the previous one stays in use"));
    write("basic_auth_users: [");
    await vi.waitFor(() => expect(complaints()).toHaveLength(1), PATIENCE);
    expect(source.isInForce).toBe(false);
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    write("basic_auth_usres: {}");
    await vi.waitFor(() => expect(complaints()).toHaveLength(2), PATIENCE);
    write(USERS);
    await vi.waitFor(() => expect(source.isInForce).toBe(true), PATIENCE);
    expect(complaints()).toHaveLength(2);
  });

  test("work through a moved symbolic link, as in secret volumes", async () => {
    const { mkdirSync, renameSync, symlinkSync } = await import("node:fs");
    const { folder } = certificates;
    for (const version of ["one", "two"]) mkdirSync(`${folder}/${version}`);
    writeFileSync(`${folder}/one/web.yaml`, USERS);
    writeFileSync(`${folder}/two/web.yaml`, "");
    symlinkSync("one", `${folder}/data`);
    const { loadWebConfig } = await import("../../../src/http/web-config/load.ts");
    const { WebConfigSource } = await import("../../../src/http/web-config/source.ts");
    const { readFile, stat } = await import("node:fs/promises");
    const { pino } = await import("pino");
    const { Redactor } = await import("../../../src/errors/redactor.ts");
    const source = await WebConfigSource.open({
      file: `${folder}/data/web.yaml`,
      log: pino({ level: "silent" }),
      redactor: new Redactor(),
      readFile: (path) => readFile(path, "utf8"),
      stat: (path) => stat(path, { bigint: true }),
    });
    expect(await source.refresh()).toBe(false);
    expect(source.current.users.size).toBe(2);
    symlinkSync("two", `${folder}/data.new`);
    renameSync(`${folder}/data.new`, `${folder}/data`);
    expect(await source.refresh()).toBe(true);
    expect(source.current.users.size).toBe(0);
    expect((await loadWebConfig(`${folder}/data/web.yaml`, (path) => readFile(path, "utf8"))).warnings).toEqual([]);
  });
});
