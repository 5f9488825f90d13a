import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { openSync, syncMetrics } from "../../src/app/sync.ts";
import { type Config, loadConfig } from "../../src/config/load.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function configWith(stateDir: string): Promise<Config> {
  const yaml = `
servers: [{ name: hq, url: "https://prtg.example.com", auth: { api_key: "\${KEY}" } }]
state_dir: ${stateDir}
sync: { alertmanager: { url: "http://alertmanager:9093" } }
`;
  const readFile = async () => yaml;
  return (await loadConfig({ file: "test.yaml", env: { KEY: "key" }, readFile, sync: true })).config;
}

test.each([
  ["moves a damaged memory aside", true, "sync.json.torn"],
  ["leaves a damaged memory if it only asks what would change", false, "sync.json"],
])("openSync %s", async (_, changes, file) => {
  const stateDir = temporaryFolder({ "sync.json": "{" });
  const config = await configWith(stateDir);
  const context = testContext();
  const { stop } = await openSync(config, context, syncMetrics(context).observer, changes);
  await stop();
  expect(readdirSync(stateDir)).toContain(file);
  expect(readFileSync(join(stateDir, file), "utf8")).toBe("{");
});

test("openSync says that state_dir is a file, and does not warn about locks", async () => {
  const stateDir = join(temporaryFolder({ state: "" }), "state");
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const context = { ...testContext(), log };
  const { stop } = await openSync(await configWith(stateDir), context, syncMetrics(context).observer);
  await stop();
  expect(lines).toContain("state_dir is not a directory");
  expect(lines.join("\n")).not.toContain("locked");
});
