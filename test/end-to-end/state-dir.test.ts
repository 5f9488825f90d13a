import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startReceiver } from "../otlp/support/receiver.ts";
import { startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ENV = { KEY: CREDENTIALS.apiKey };

test("of two exporters with one state_dir the second waits, goes on when the first is killed, and no reload gets around it", async () => {
  const [simulator, receiver] = await Promise.all([simulateServer(), startReceiver()]);
  const configOf = (state: string) =>
    `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\nstate_dir: ${state}\notlp: { endpoint: "${receiver.url}" }\n`;
  const folder = temporaryFolder({ "one.yaml": configOf("state"), "two.yaml": configOf("elsewhere") });
  const start = (name: string) =>
    startCommand(["serve", "--config.file", join(folder, name), "--web.listen-address", "127.0.0.1:0"], { env: ENV });
  const first = start("one.yaml");
  await first.until(/pushing by OTLP/);
  const other = start("two.yaml");
  await other.until(/first poll finished/);
  writeFileSync(join(folder, "two.yaml"), configOf("state"));
  other.kill("SIGHUP");
  await other.until(/was not reloaded.*|STATE_DIR_BUSY/);
  expect(other.stderr).toMatch(new RegExp(`is in use: process ${first.pid} on .*STATE_DIR_BUSY`));
  const second = start("one.yaml");
  await second.until(/waiting for state_dir/);
  expect(second.stderr).not.toContain("serving metrics");
  first.kill("SIGKILL");
  await second.until(/pushing by OTLP/);
  second.kill("SIGTERM");
  other.kill("SIGTERM");
  expect((await second.ended).code).toBe(0);
  expect((await other.ended).code).toBe(0);
  for (const name of ["state", "elsewhere"]) {
    expect(readdirSync(join(folder, name)).filter((file) => file.startsWith("claim-"))).toEqual([]);
  }
}, 120_000);

test("an exporter that waits for state_dir ends when it is asked to", async () => {
  const [simulator, receiver] = await Promise.all([simulateServer(), startReceiver()]);
  const folder = temporaryFolder({
    "prtg.yaml": `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\nstate_dir: state\notlp: { endpoint: "${receiver.url}" }\n`,
  });
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  await startCommand(args, { env: ENV }).until(/pushing by OTLP/);
  const second = startCommand(args, { env: ENV });
  await second.until(/waiting for state_dir/);
  second.kill("SIGTERM");
  expect((await second.ended).code).toBe(0);
}, 60_000);
