import { expect, test } from "vitest";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import type { StateFiles } from "../../src/state/state-files.ts";
import { SYNC_FILE, SyncMemory } from "../../src/sync/sync-memory.ts";

const NOW = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;
const KNOWN = { silence: "s-1", sentAt: NOW, until: NOW + 60 * MINUTE, labels: { server: "hq", sensor_id: "1" } };

function disk(...given: readonly (readonly [string, string])[]) {
  const there = new Map(given);
  const files: StateFiles = {
    read: async (name) => there.get(name),
    write: async (name, text) => void there.set(name, text),
    rename: async (from, to) => {
      there.set(to, there.get(from) ?? "");
      there.delete(from);
    },
    syncDirectory: async () => undefined,
  };
  return { there, files };
}

/** A file as this release writes it, with other values. */
function saved(more: object): string {
  return JSON.stringify({ format: "prtg-exporter-sync", version: 1, changes: [], acknowledged: {}, ...more });
}

test("a new process knows what the last one saved", async () => {
  const { files, there } = disk();
  const first = await SyncMemory.open(files);
  expect(first.report).toMatchObject({ found: "new", file: SYNC_FILE });
  first.acknowledged.set("hq/1", KNOWN);
  first.noteChange(NOW);
  first.noteChange(NOW);
  await first.save();
  first.acknowledged.delete("hq/1");
  const second = await SyncMemory.open(files);
  expect(second.report.found).toBe("good");
  expect([...second.acknowledged]).toEqual([["hq/1", KNOWN]]);
  expect(second.changesBefore(NOW)).toBe(2);
  expect([...there.keys()]).toEqual([SYNC_FILE]);
});

test.each([
  ["torn", "half of a file", '{"format":"prtg-exporter-sync","vers'],
  ["torn", "no object", "[]"],
  ["torn", "another form", saved({ changes: "none" })],
  ["torn", "an acknowledgement without labels", saved({ acknowledged: { "hq/1": { ...KNOWN, labels: undefined } } })],
  ["foreign", "another program", '{"format":"other"}'],
  ["foreign", "a newer release", saved({ version: 2 })],
])("moves a file aside as %s: %s", async (found, _, text) => {
  const { files, there } = disk([SYNC_FILE, text]);
  const memory = await SyncMemory.open(files);
  expect(memory.report).toMatchObject({ found, file: SYNC_FILE, message: expect.any(String) });
  expect(memory.acknowledged.size).toBe(0);
  expect([...there]).toEqual([[`${SYNC_FILE}.${found}`, text]]);
});

test("reports a file that the system does not read, and leaves it", async () => {
  const { files, there } = disk([SYNC_FILE, saved({})]);
  const read = () => Promise.reject(new Error("EIO"));
  const { report } = await SyncMemory.open({ ...files, read });
  expect(report).toEqual({ found: "unreadable", file: SYNC_FILE, message: "EIO" });
  expect([...there.keys()]).toEqual([SYNC_FILE]);
});

test.each([
  ["counts the changes of the last minute", NOW + 1, 3],
  ["counts them until they are a minute old", NOW + MINUTE - 1, 3],
  ["forgets the oldest first", NOW + MINUTE, 1],
  ["counts no changes of the future, after the clock was set back", NOW - 1, 0],
])("%s", async (_, now, count) => {
  const memory = await SyncMemory.open(disk().files);
  memory.noteChange(NOW);
  memory.noteChange(NOW);
  memory.noteChange(NOW + 1);
  expect(memory.changesBefore(now)).toBe(count);
});

test("saves only the changes of the last minute", async () => {
  const { files, there } = disk();
  const memory = await SyncMemory.open(files);
  memory.noteChange(NOW);
  memory.noteChange(NOW + MINUTE);
  await memory.save();
  expect(JSON.parse(there.get(SYNC_FILE) ?? "").changes).toEqual([NOW + MINUTE]);
});

test.each([
  ["keeps an acknowledgement of the past", NOW + 1, KNOWN],
  [
    "moves one of the future to now, after the clock was set back",
    NOW - 1,
    { ...KNOWN, sentAt: NOW - 1, until: KNOWN.until - 1 },
  ],
])("%s", async (_, now, expected) => {
  const { files } = disk([SYNC_FILE, saved({ acknowledged: { "hq/1": KNOWN } })]);
  const memory = await SyncMemory.open(files);
  memory.adjustTo(now);
  expect(memory.acknowledged.get("hq/1")).toEqual(expected);
});

test.each(["write", "rename", "syncDirectory"] as const)("rejects if the system refuses %s", async (name) => {
  const cause = new Error("ENOSPC");
  const memory = await SyncMemory.open({ ...disk().files, [name]: () => Promise.reject(cause) });
  await expect(memory.save()).rejects.toMatchObject({ code: "SYNC_STATE_UNWRITABLE", cause });
});

test("rejects as is if another sync has the folder", async () => {
  const busy = new ExporterError("STATE_DIR_BUSY", "in use");
  const memory = await SyncMemory.open({ ...disk().files, write: () => Promise.reject(busy) });
  await expect(memory.save()).rejects.toBe(busy);
});
