import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Watermarks, watermarkFileName } from "../../src/measurements/watermarks.ts";
import { createStateFiles } from "../../src/state/state-files.ts";
import { upTo } from "../measurements/support/coverage.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FILE = watermarkFileName("hq");
/** Exceeds the file limit. */
const SENSORS = 1_000;

test("a full disk keeps the old file and leaves no other", async () => {
  const directory = temporaryFolder({});
  const watermarks = await Watermarks.open("hq", createStateFiles(directory));
  watermarks.move("2490", upTo(5));
  await watermarks.save();
  const program = `
    const from = (path) => import(${JSON.stringify(fileURLToPath(new URL("../../src/", import.meta.url)))} + path);
    const { createStateFiles } = await from("state/state-files.ts");
    const { Watermarks } = await from("measurements/watermarks.ts");
    const watermarks = await Watermarks.open("hq", createStateFiles(${JSON.stringify(directory)}));
    for (let id = 0; id < ${SENSORS}; id++) watermarks.move(String(id), { until: 6, kind: "scan" });
    console.log(await watermarks.save().catch(({ code }) => code), watermarks.changed);
  `;
  // Writes beyond a kilobyte fail, as on a full disk.
  const limited = [
    "-c",
    'trap "" XFSZ; ulimit -f 1; exec "$0" --input-type=module --eval "$1"',
    process.execPath,
    program,
  ];
  expect(spawnSync("bash", limited, { encoding: "utf8" })).toMatchObject({ stdout: "EFBIG true\n" });
  expect(readdirSync(directory)).toEqual([FILE]);
  const after = await Watermarks.open("hq", createStateFiles(directory));
  expect([...after.entries()]).toEqual([["2490", upTo(5)]]);
});
