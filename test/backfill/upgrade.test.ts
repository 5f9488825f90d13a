import { cpSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openHistoryPush } from "../../src/cli/backfill/backfill.ts";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { loadTestConfig } from "../support/test-config.ts";
import { HistoryServer } from "./history-server.ts";
import { pointsOf, push } from "./pushing.ts";
import { configured, emptyFolder, filesOf, run } from "./running.ts";
import {
  HISTORY_FILES,
  HISTORY_PUSH,
  HISTORY_RECEIVER,
  HISTORY_SENSORS,
  HISTORY_SETTINGS,
} from "./upgraded-history.ts";

const OLD = fileURLToPath(new URL("../fixtures/upgrades/0.1.0/", import.meta.url));
const SETTINGS = await configured(HISTORY_SETTINGS);

/** A copy of a folder that 0.1.0 left. */
function left(name: string): string {
  const folder = emptyFolder();
  cpSync(join(OLD, name), folder, { recursive: true });
  return folder;
}

/** The plan keeps the HELP texts of 0.1.0. */
function linesOf(folder: string): ReadonlyMap<string, readonly string[]> {
  const withoutHelp = (text: string) => text.split("\n").filter((line) => !line.startsWith("# HELP"));
  return new Map([...filesOf(folder)].map(([name, text]) => [name, withoutHelp(text)]));
}

const server = () => new HistoryServer({ sensors: HISTORY_SENSORS });

test("an interrupted backfill of 0.1.0 gives the files of a whole run, and reads no sensor again", async () => {
  const { mapper, configured } = SETTINGS;
  const whole = emptyFolder();
  await run({ api: server(), output: whole, mapper }, { ...HISTORY_FILES, configured });

  const output = left("backfill-files");
  const api = server();
  const asked = new Set<string>();
  api.asks = (sensorId) => asked.add(sensorId);
  const outcome = await run({ api, output, mapper }, { ...HISTORY_FILES, configured });
  expect(outcome).toMatchObject({ kind: "finished", run: { sensors: 4, series: 16 } });
  expect(asked).toEqual(new Set(["10", "55", "101"]));
  expect(linesOf(output)).toEqual(linesOf(whole));
});

test("an interrupted backfill by push of 0.1.0 continues, with each value once", async () => {
  const { mapper, configured } = SETTINGS;
  const [receiver, reference] = await Promise.all([startReceiver(), startReceiver()]);
  await push({ receiver: reference, mapper, ...HISTORY_PUSH, configured, api: server() });

  const url = HISTORY_RECEIVER;
  const yaml = `servers: [{ name: hq, url: "https://prtg.example.com:1616", auth: { api_key: "\${KEY}" } }]
state_dir: ${emptyFolder()}
otlp: { endpoint: "${url}" }`;
  const opened = await openHistoryPush(await loadTestConfig(yaml), "hq", testContext(), {});
  await opened.close();
  const output = join(left("backfill-push"), "backfill", basename(opened.folder));
  await push({ receiver, mapper, ...HISTORY_PUSH, configured, api: server(), output });

  // Each value has two series: the rule keeps the original.
  const before: string[] = JSON.parse(readFileSync(join(OLD, "pushed.json"), "utf8"));
  expect(before.length).toBeGreaterThan(10);
  const all = [...before, ...before, ...receiver.requests.flatMap(pointsOf)];
  expect(all.map(placeOf).sort()).toEqual(reference.requests.flatMap(pointsOf).map(placeOf).sort());
});

test("a backfill refuses the folder of a newer release, and leaves it as it is", async () => {
  const output = emptyFolder();
  const path = join(output, "journal.json");
  const future = fileURLToPath(new URL("../fixtures/upgrades/future/journal.json", import.meta.url));
  cpSync(future, path);
  await expect(run({ api: server(), output })).rejects.toMatchObject({
    code: "STATE_FILE_NEWER",
    message: `${path} has version 2, this release reads up to 1`,
  });
  expect(readFileSync(path)).toEqual(readFileSync(future));
});

/** Channel and time. */
function placeOf(point: string): string {
  return point.slice(0, point.lastIndexOf(" "));
}
