import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openOtlpPush, prepareOtlpPush } from "../../src/app/otlp-preparation.ts";
import { serversOnShard } from "../../src/config/shard.ts";
import { Watermarks } from "../../src/measurements/watermarks.ts";
import { createStateFiles } from "../../src/state/state-files.ts";
import { upTo } from "../measurements/support/coverage.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

const COUNT = 3;
const NAMES = ["hq", "berlin", "tokyo", "lima", "oslo", "cairo"];

async function configOf(index: number, stateDir: string) {
  const servers = NAMES.map((name) => `{ name: ${name}, url: "http://127.0.0.1:1", auth: { api_key: "\${KEY}" } }`);
  const text = `servers: [${servers.join(", ")}]\notlp: { endpoint: "http://127.0.0.1:1" }\nstate_dir: ${stateDir}\n`;
  const config = await loadTestConfig(text);
  const shard = { index, count: COUNT };
  return { ...config, shard, servers: serversOnShard(config.servers, shard) };
}

test("shards in one state folder keep each other's files and have different instance ids", async () => {
  const folder = temporaryFolder({});
  const files = createStateFiles(folder);
  for (const name of NAMES) {
    const watermarks = await Watermarks.open(name, files);
    watermarks.move("40", upTo(1));
    await watermarks.save();
  }
  const before = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  expect(before.size).toBe(NAMES.length);

  const ids: unknown[] = [];
  for (let index = 0; index < COUNT; index++) {
    const config = await configOf(index, folder);
    const push = await openOtlpPush(config, testContext(), {});
    await push?.end();
    const again = await prepareOtlpPush(config, testContext(), {});
    onTestFinished(() => again?.receiver.exporter.close());
    ids.push(again?.receiver.resource.attributes["service.instance.id"]);
  }
  for (const [file, text] of before) expect(readFileSync(join(folder, file), "utf8")).toBe(text);
  expect(new Set(ids).size).toBe(COUNT);
  const kept = readdirSync(folder).filter((file) => file.startsWith("instance-id"));
  expect(kept.map((file) => readFileSync(join(folder, file), "utf8").trim()).toSorted()).toEqual(ids.toSorted());
});
