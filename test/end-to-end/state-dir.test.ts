import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ENV = { KEY: CREDENTIALS.apiKey };

test("a second exporter waits for state_dir until the first dies, also after a reload", async () => {
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

test("an exporter that waits for state_dir ends on request", async () => {
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

test("the exporter closes its own open state_dir, and serve and check warn of others", async () => {
  const [simulator, receiver] = await Promise.all([simulateServer(), startReceiver()]);
  const configOf = (state: string) =>
    `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\nstate_dir: ${state}\notlp: { endpoint: "${receiver.url}" }\n`;
  const folder = temporaryFolder({ "own.yaml": configOf("own"), "shared.yaml": configOf("shared") });
  for (const name of ["own", "shared"]) {
    mkdirSync(join(folder, name));
    chmodSync(join(folder, name), 0o755);
  }
  writeFileSync(join(folder, "shared", "of-another-program"), "");
  const outputs: Record<string, string> = {};
  for (const name of ["own", "shared"]) {
    const config = ["--config.file", join(folder, `${name}.yaml`)];
    const { stdout } = await runCommand(["check", ...config], { env: ENV });
    const serve = startCommand(["serve", ...config, "--web.listen-address", "127.0.0.1:0"], { env: ENV });
    await serve.until(/pushing by OTLP/);
    serve.kill("SIGTERM");
    outputs[name] = stdout + (await serve.ended).stderr;
  }
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  expect([modeOf("own"), modeOf("shared")]).toEqual([0o700, 0o755]);
  expect(outputs.own).toMatch(
    /warning: state_dir \S+own is open to every user of the system \(mode 0755\): serve sets/,
  );
  expect(outputs.own).toMatch(/"level":"info".*state_dir \S+own had mode 0755, now 0700/);
  expect(outputs.shared).toMatch(/warning: state_dir \S+shared is open to every user of the system \(mode 0755\): set/);
  expect(outputs.shared).toMatch(/"level":"warn".*state_dir \S+shared is open to every user/);
}, 60_000);
