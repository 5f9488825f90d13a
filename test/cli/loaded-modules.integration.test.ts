import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { FLAGS } from "../../bin/node-settings.js";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const TELL_MODULES = new URL("support/tell-modules.js", import.meta.url).href;

/** For a feature, a command or a request. */
const NOT_TO_LISTEN = [
  ...["undici", "@opentelemetry/sdk-metrics", "@opentelemetry/otlp-transformer", "@opentelemetry/resources"],
  ...["pino-pretty", "ajv", "find-my-way", "cli-progress", "bcryptjs"],
  ...["@modelcontextprotocol/server", "@modelcontextprotocol/core"],
].map((name) => `/node_modules/${name}/`);
const FOLDERS_NOT_TO_LISTEN = [
  ...["scenario/scenario.ts", "server/", "world/world.ts"].map((path) => `packages/simulator/src/${path}`),
  ...["cli/check/check.ts", "http/web-config/load.ts", "http/pages/status/report.ts"].map((path) => `src/${path}`),
];

async function loadedBy(settings: object): Promise<string[]> {
  const servers = [{ name: "hq", url: "http://127.0.0.1:9", auth: { api_key: "${TEST_KEY}" } }];
  const config = join(temporaryFolder({ "config.json": JSON.stringify({ servers, ...settings }) }), "config.json");
  return loadedWith("serve", "--config.file", config, "--web.listen-address", "127.0.0.1:0", "--log.format", "json");
}

async function loadedWith(...args: string[]): Promise<string[]> {
  const env = { PATH: process.env.PATH, TEST_KEY: "key-of-a-test" };
  const options = { env, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await run(process.execPath, [...FLAGS, "--import", TELL_MODULES, MAIN, ...args], options);
  return JSON.parse(stdout.split("\n").at(-1) ?? "");
}

test("the help loads no schemas", async () => {
  const loaded = await loadedWith("--help");
  expect(loaded.some((url) => url.includes("/src/cli/program.ts"))).toBe(true);
  expect(loaded.filter((url) => url.includes("/node_modules/zod/"))).toEqual([]);
});

test("a listening daemon loads only the modules of enabled features", async () => {
  const loaded = await loadedBy({});
  expect(loaded.some((url) => url.includes("/src/cli/serve.ts"))).toBe(true);
  // Language data, which pages may not need.
  expect(loaded.filter((each) => each.startsWith("Intl."))).toEqual([]);
  // Part of Node.js: only TLS needs it.
  expect(loaded).not.toContain("node:http2");
  expect(loaded).toContain("node:http");
  for (const name of NOT_TO_LISTEN) expect(loaded.filter((url) => url.includes(name))).toEqual([]);
  for (const path of FOLDERS_NOT_TO_LISTEN) expect(loaded.filter((url) => url.includes(`/${path}`))).toEqual([]);
});

test("the MCP server is loaded before the daemon listens, if it is enabled", async () => {
  const loaded = await loadedBy({ web: { mcp: true } });
  expect(loaded.some((url) => url.includes("/node_modules/@modelcontextprotocol/server/"))).toBe(true);
  expect(loaded.some((url) => url.includes("/src/http/mcp/protocol.ts"))).toBe(true);
});

test("a configured push loads its modules", async () => {
  const loaded = await loadedBy({ otlp: { endpoint: "http://127.0.0.1:9" } });
  expect(loaded.some((url) => url.includes("/node_modules/@opentelemetry/sdk-metrics/"))).toBe(true);
});
