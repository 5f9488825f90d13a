import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runCommand, startCommand } from "../support/command-line.ts";
import { currentPage } from "../support/current-page.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PATIENCE = { timeout: 30_000, interval: 200 };
const ENV = { PASSWORD: CREDENTIALS.password };

function entry(name: string, url: string): string {
  return `name: ${name}\nurl: ${url}\nauth: { username: ${CREDENTIALS.username}, password: "\${PASSWORD}" }\n`;
}

async function setUp() {
  const [first, second] = await Promise.all([simulateServer(), simulateServer()]);
  const folder = temporaryFolder({
    "prtg.yaml": 'servers_from: { files: "servers.d/*.yaml", refresh_interval: 1s }\n',
  });
  mkdirSync(join(folder, "servers.d"));
  const write = (file: string, text: string) => writeFileSync(join(folder, "servers.d", file), text);
  return { first, second, folder, write, config: join(folder, "prtg.yaml") };
}

test("servers follow their files, and a wrong file affects only itself", async () => {
  const { first, second, folder, write, config } = await setUp();
  write("a.yaml", entry("a", first.url));
  const exporter = startCommand(["serve", "--config.file", config, "--web.listen-address", "127.0.0.1:0"], {
    env: ENV,
  });
  const url = await exporter.url();
  await exporter.until(/ready/);
  await currentPage(url);
  const look = async () => {
    const samples = [...parsePage(await (await fetch(`${url}/metrics`)).text()).values()];
    const up = samples.filter(({ name, value }) => name === "prtg_up" && value === "1");
    const bad = samples.find(({ name }) => name === "prtg_exporter_config_bad_server_files")?.value;
    return { up: up.map(({ labels }) => labels.server).toSorted(), bad };
  };
  expect(await look()).toEqual({ up: ["a"], bad: "0" });
  const logins = () => first.requests.count({ method: "POST", route: "/session" });
  const trees = () => first.requests.count({ route: "/experimental/probes" });
  const before = { logins: logins(), trees: trees() };
  expect(before.logins).toBe(1);

  write("b.yaml", `[${JSON.stringify({ name: "b", url: second.url, auth: { username: "demo" } })}]`);
  await vi.waitFor(async () => expect(await look()).toEqual({ up: ["a"], bad: "1" }), PATIENCE);
  await exporter.until(/servers\.d\/b\.yaml:1:\d+: \[0\]\.auth: expected exactly one of/);

  write("b.yaml", entry("b", second.url));
  await vi.waitFor(async () => expect(await look()).toEqual({ up: ["a", "b"], bad: "0" }), PATIENCE);
  rmSync(join(folder, "servers.d", "b.yaml"));
  await vi.waitFor(async () => expect(await look()).toEqual({ up: ["a"], bad: "0" }), PATIENCE);

  // The other pipeline never restarted: one session, no early list.
  expect({ logins: logins(), trees: trees() }).toEqual(before);
}, 120_000);

test("checks fail for one wrong file and name its position", async () => {
  const { first, write, config } = await setUp();
  write("a.yaml", entry("a", first.url));
  write("b.yaml", `${entry("b", first.url)}limits: { concurrency: 0 }\n`);
  for (const args of [["serve", "--config.check"], ["check"]]) {
    const { code, stderr } = await runCommand([...args, "--config.file", config], { env: ENV });
    expect(code).toBe(1);
    expect(stderr).toMatch(/servers\.d\/b\.yaml:4:24: limits\.concurrency: expected a whole number from 1 to 64/);
  }
});
