import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FLAGS } from "../../bin/node-settings.js";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-build-"));
const dist = join(folder, "dist");
const main = join(dist, "main.js");

beforeAll(async () => {
  for (const name of ["package.json", "packages/simulator/api", "config"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  await run(process.execPath, [join(ROOT, "scripts/build.ts"), dist]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every file of the bundle has a hash in its name", () => {
  const pieces = readdirSync(dist).filter((name) => name.endsWith(".js") && name !== "main.js");
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.filter((name) => !/-[\w-]{8}\.js$/.test(name))).toEqual([]);
});

test("the bundle contains only used parts of dependencies", () => {
  const code = readdirSync(dist)
    .filter((name) => /^(undici|serve|context|exporter-metrics|series-types)-/.test(name))
    .map((name) => readFileSync(join(dist, name), "utf8"))
    .join("\n");
  // Found by comments that name modules.
  expect(code).toContain("// node_modules/undici/lib/dispatcher/client.js");
  const unused = ["undici/lib/mock/mock-agent", "undici/lib/web/websocket/websocket", "prom-client/lib/pushgateway"];
  for (const name of [...unused, "thread-stream/index"]) expect(code).not.toContain(`// node_modules/${name}.js`);
});

/** Runs the daemon, and stops it after the first page. */
async function serve(url: string, cache: string): Promise<{ readonly log: string; readonly page: string }> {
  const env = {
    ...{ PATH: process.env.PATH, PRTG_URL: url, PRTG_NAME: "hq", PRTG_API_KEY: CREDENTIALS.apiKey },
    ...{ NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: "COMPILE_CACHE" },
  };
  const args = [...FLAGS, main, "serve", "--web.listen-address", "127.0.0.1:0", "--log.format", "json"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  const ready = Promise.withResolvers<void>();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
    if (log.includes("first poll finished")) ready.resolve();
  });
  const ended = once(child, "exit");
  await Promise.race([ready.promise, ended]);
  const [, address = ""] = /serving metrics on (http[^"]+)"/.exec(log) ?? [];
  const page = await (await fetch(address)).text();
  child.kill("SIGTERM");
  await ended;
  return { log, page };
}

test("the bundle serves, and reuses compiled code from the second start on", async () => {
  const { url } = await simulateServer();
  const cache = temporaryFolder({});
  const first = await serve(url, cache);
  expect(first.page).toContain('prtg_up{server="hq"} 1');
  expect(first.log).not.toContain("was accepted");
  const second = await serve(url, cache);
  expect(second.page).toContain('prtg_up{server="hq"} 1');
  for (const piece of ["main", "serve-", "context-", "undici-"]) {
    expect(second.log).toMatch(new RegExp(`/dist/${piece}\\S*\\.js was accepted`));
  }
  expect(second.log).not.toContain("was rejected");
  // Without calendar schedules and patterns.
  expect(second.log).not.toMatch(/dist\/(node-cron|re2js)-/);
});
