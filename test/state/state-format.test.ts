import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeHead, JOURNAL_FILE } from "../../src/events/event-memory.ts";
import { encodeWatermarks, WATERMARK_FILE } from "../../src/measurements/watermarks.ts";
import { refuseNewerFile } from "../../src/state/state-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MARKS = encodeWatermarks("hq", new Map([["2490", 1]]));

test.each([
  { format: WATERMARK_FILE, text: MARKS.replace('"version":1', '"version":2'), version: 2 },
  { format: JOURNAL_FILE, text: encodeHead("hq").replace('"version":1', '"version":12'), version: 12 },
  { format: { name: "prtg-exporter backfill", version: 1 }, text: '{"format":"prtg-exporter backfill 2"}', version: 2 },
])("refuses version $version of $format.name, and does not change the file", async ({ format, text, version }) => {
  const path = join(temporaryFolder({ file: text }), "file");
  await expect(refuseNewerFile(path, format)).rejects.toMatchObject({
    code: "STATE_FILE_NEWER",
    message: `${path} has version ${version}, this release reads up to 1`,
  });
  expect(readFileSync(path, "utf8")).toBe(text);
});

test.each([
  { name: "this version", text: MARKS },
  { name: "an older version", text: MARKS.replace('"version":1', '"version":0') },
  { name: "another format", text: encodeHead("hq").replace('"version":1', '"version":2') },
  { name: "half of a head", text: MARKS.slice(0, 20) },
  { name: "an empty file", text: "" },
])("accepts $name", async ({ text }) => {
  const path = join(temporaryFolder({ file: text }), "file");
  await expect(refuseNewerFile(path, WATERMARK_FILE)).resolves.toBeUndefined();
});

test("accepts a missing file, and a folder in its place", async () => {
  const folder = temporaryFolder({ "file/inner": "" });
  for (const name of ["missing", "file"]) await refuseNewerFile(join(folder, name), WATERMARK_FILE);
});
