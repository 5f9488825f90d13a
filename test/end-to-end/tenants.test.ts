import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ALICE, CAROL } from "../http/web-config/cases.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { isOwnMetric } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PATIENCE = { timeout: 30_000, interval: 200 };
const ENV = { KEY: CREDENTIALS.apiKey };
const USERS = `basic_auth_users:\n  alice: ${ALICE}\n  carol: ${CAROL}\n`;

async function setUp(users: string) {
  const [first, second] = await Promise.all([simulateServer(), simulateServer()]);
  const server = (name: string, url: string) => `{ name: ${name}, url: "${url}", auth: { api_key: "\${KEY}" } }`;
  const servers = `servers: [${server("acme", first.url)}, ${server("globex", second.url)}]\n`;
  const folder = temporaryFolder({ "prtg.yaml": servers + users, "web.yaml": USERS });
  const config = join(folder, "prtg.yaml");
  const files = ["--config.file", config, "--web.config.file", join(folder, "web.yaml")];
  return {
    files,
    bind: (text: string) => writeFileSync(config, servers + text),
    writeUsers: (text: string) => writeFileSync(join(folder, "web.yaml"), text),
  };
}

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
const AS = { alice: basic("alice", "wonderland"), carol: basic("carol", "lewis") };

function serversIn(page: string) {
  const samples = page.split("\n").filter((line) => /^[a-z]/.test(line));
  const serversOf = (lines: readonly string[]) =>
    [...new Set(lines.map((line) => /[{,]server="([^"]*)"/.exec(line)?.[1]))].toSorted();
  return {
    world: serversOf(samples.filter((line) => !isOwnMetric(line))),
    own: serversOf(samples.filter((line) => isOwnMetric(line))),
  };
}

test("a user with assigned servers gets only their pages and metrics", async () => {
  const { files, bind, writeUsers } = await setUp("web: { mcp: true, users: { alice: { servers: [acme, gone] } } }\n");
  const args = ["serve", ...files, "--web.listen-address", "127.0.0.1:0", "--web.enable-lifecycle"];
  const exporter = startCommand(args, { env: ENV });
  const url = await exporter.url();
  await exporter.until(/ready/);
  const ask = async (path: string, user: keyof typeof AS, init: RequestInit = {}) => {
    const headers = { ...init.headers, authorization: AS[user] };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    return { status: response.status, text: await response.text() };
  };
  const all = ["acme", "globex"];
  await vi.waitFor(async () => expect(serversIn((await ask("/metrics", "carol")).text).world).toEqual(all), PATIENCE);

  const { status, text } = await ask("/metrics", "alice");
  expect(status).toBe(200);
  // Undefined: metrics of the exporter itself.
  expect(serversIn(text)).toEqual({ world: ["acme"], own: ["acme", undefined] });
  expect(text).not.toContain("globex");
  expect(text).not.toMatch(/^(process|nodejs)_/m);
  for (const path of ["/metrics/globex", "/debug/runs", "/-/reload"]) {
    expect([path, (await ask(path, "alice")).status]).toEqual([path, 403]);
  }
  const report = await ask("/status.json", "alice");
  expect([report.status, JSON.parse(report.text).totals.servers]).toEqual([200, 1]);
  for (const path of ["/", "/status.json", "/search?q=", "/tree?server=acme"]) {
    expect((await ask(path, "alice")).text).not.toContain("globex");
  }
  const [other, unknown] = [await ask("/tree?server=globex", "alice"), await ask("/tree?server=nowhere", "alice")];
  expect(other).toEqual({ ...unknown, text: unknown.text.replace("nowhere", "globex") });
  const call = (name: string, args: object, user: keyof typeof AS) =>
    ask("/mcp", user, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
  const own = await call("list_servers", {}, "alice");
  expect(JSON.parse(own.text).result.structuredContent).toMatchObject({ total: 1, servers: [{ name: "acme" }] });
  expect((await call("find_objects", { server: "globex" }, "alice")).text).toContain('unknown server \\"globex\\"');
  expect(JSON.parse((await call("list_servers", {}, "carol")).text).result.structuredContent.total).toBe(2);
  expect((await fetch(`${url}/mcp`, { method: "POST", body: "{}" })).status).toBe(401);
  expect((await ask("/status.json", "carol")).status).toBe(200);
  expect((await fetch(`${url}/metrics/acme`)).status).toBe(401);

  // A reload binds another user and frees the first.
  bind("web: { users: { carol: { servers: [globex] } } }\n");
  expect((await ask("/-/reload", "carol", { method: "POST" })).text).toBe("Reloaded.\n");
  // It also ends the MCP server.
  expect((await call("list_servers", {}, "alice")).status).toBe(404);
  expect((await ask("/metrics/globex", "alice")).status).toBe(200);
  expect((await ask("/metrics/acme", "carol")).status).toBe(403);
  expect((await ask("/-/reload", "carol", { method: "POST" })).status).toBe(403);
  bind("web: { users: { mallory: { servers: [globex] } } }\n");
  const refused = await ask("/-/reload", "alice", { method: "POST" });
  expect([refused.status, refused.text]).toEqual([500, expect.stringContaining("web.users.mallory: expected a user")]);
  expect((await ask("/metrics/acme", "carol")).status).toBe(403);

  // The exporter may read the file while an editor has emptied it.
  writeUsers("");
  await vi.waitFor(async () => expect((await fetch(`${url}/metrics`)).status).toBe(403), PATIENCE);
  writeUsers(USERS);
  await vi.waitFor(async () => expect((await ask("/metrics/globex", "carol")).status).toBe(200), PATIENCE);
}, 120_000);

test("serve rejects an assigned user whom the web configuration lacks", async () => {
  const { files } = await setUp("web: { users: { alcie: { servers: [acme] } } }\n");
  for (const args of [
    ["serve", ...files, "--web.listen-address", "127.0.0.1:0"],
    ["check", ...files],
  ]) {
    const { code, stdout, stderr } = await runCommand(args, { env: ENV });
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      expect.stringContaining("web.users.alcie: expected a user of basic_auth_users"),
    ]);
  }
});
