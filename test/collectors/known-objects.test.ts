import { pino } from "pino";
import { expect, test } from "vitest";
import { KnownObjects } from "../../src/collectors/known-objects.ts";
import { decodeObjects, encodeObjects, objectsFileName } from "../../src/collectors/known-objects-file.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE, NODE_KINDS, type NodePoll, type Tree } from "../../src/model/tree.ts";
import type { NodeKind, NodeRecord } from "../../src/prtg/records.ts";
import { ROOT, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type MemoryFiles, memoryFiles } from "../support/memory-files.ts";

const FILE = objectsFileName("hq");
const MINUTE = 60_000;
const ALL: ReadonlySet<NodeKind> = new Set(NODE_KINDS);

const PROBE = record("probe", "1", ROOT);
const DEVICE = record("device", "40", "1");
const SENSORS = ["50", "51"].map((id) => record("sensor", id, "40"));

function lists(...records: readonly NodeRecord[]): NodePoll {
  return Object.fromEntries(
    NODE_KINDS.map((kind) => [
      kind,
      { items: records.filter((each) => each.kind === kind), complete: true, skipped: 0 },
    ]),
  );
}

function knowing({ files, selection = "" }: { files: MemoryFiles | undefined; selection?: string }) {
  const clock = new ManualClock();
  const lines: { level: number; msg: string; found?: string }[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let tree: Tree = EMPTY_TREE;
  const known = new KnownObjects({ server: "hq", tree: () => tree, files, selection, clock, log });
  return {
    clock,
    known,
    lines,
    /** As if they had been read. */
    take(given: Tree): void {
      tree = given;
    },
    /** A poll that brought these. */
    poll(poll: NodePoll): void {
      known.listed(poll);
      tree = reconcile(tree, poll).tree;
      known.note();
    },
    ids: (kinds: ReadonlySet<NodeKind> = ALL) => [...known.of(kinds)].map(({ kind, id }) => `${kind} ${id}`),
  };
}

function written(files: MemoryFiles): string[] {
  const decoded = decodeObjects(files.content.get(FILE) ?? "", "hq");
  if ("problem" in decoded) throw new Error(decoded.message);
  return [...decoded.ids].flatMap(([kind, ids]) => [...ids].map((id) => `${kind} ${id}`));
}

/** A folder in which an earlier process has noted these. */
async function after(...records: readonly NodeRecord[]): Promise<MemoryFiles> {
  const files = memoryFiles();
  const { known, poll } = knowing({ files });
  poll(lists(...records));
  await known.end();
  files.reads.length = 0;
  files.writes.length = 0;
  return files;
}

test("what a process knew at its end the next one knows, what is above others first", async () => {
  const files = await after(...SENSORS, DEVICE, PROBE);
  const { known, ids, lines } = knowing({ files });
  expect(ids()).toEqual([]);
  expect(await known.has("sensor")).toBe(true);
  expect(await known.has("group")).toBe(false);
  expect(ids()).toEqual(["probe 1", "device 40", "sensor 50", "sensor 51"]);
  expect(ids(new Set(["device"]))).toEqual(["device 40"]);
  expect(lines).toMatchObject([{ level: 30, objects: 4 }]);
  expect(files.reads).toEqual([FILE]);
});

test("the file is not read where lists come, and what they do not show is forgotten", async () => {
  const files = await after(PROBE, DEVICE, ...SENSORS);
  const { known, poll, ids } = knowing({ files });
  poll(lists(PROBE, DEVICE));
  expect(await known.has("probe")).toBe(true);
  expect(await known.has("sensor")).toBe(false);
  await known.end();
  expect(files.reads).toEqual([]);
  expect(ids()).toEqual(["probe 1", "device 40"]);
  expect(written(files)).toEqual(["probe 1", "device 40"]);
});

test("what was not read again by the end of a process is still known to the one after", async () => {
  const files = await after(PROBE, DEVICE, ...SENSORS);
  const { known, poll } = knowing({ files });
  // The list of sensors failed; one was read by its id.
  poll({ ...lists(PROBE), sensor: undefined });
  poll({ sensor: { items: SENSORS.slice(0, 1), complete: false, skipped: 0 } });
  await known.end();
  expect(written(files)).toEqual(["probe 1", "sensor 50", "sensor 51"]);
});

test("what is found to be gone is forgotten, on the disk too", async () => {
  const files = await after(PROBE, DEVICE, ...SENSORS);
  const { known, ids } = knowing({ files });
  await known.has("sensor");
  known.gone(new Set(["51"]));
  expect(ids(new Set(["sensor"]))).toEqual(["sensor 50"]);
  await known.end();
  expect(written(files)).toEqual(["probe 1", "device 40", "sensor 50"]);
});

test("the file is written after half a minute, then every five minutes at most, and where ids changed only", async () => {
  const files = memoryFiles();
  const { clock, known, poll } = knowing({ files });
  known.note();
  await clock.advance(MINUTE);
  poll(lists(PROBE));
  await clock.advance(29_000);
  expect(files.writes).toEqual([]);
  await clock.advance(1_000);
  expect(written(files)).toEqual(["probe 1"]);
  poll(lists(PROBE, DEVICE));
  await clock.advance(4 * MINUTE);
  poll(lists(PROBE, DEVICE, ...SENSORS));
  expect(written(files)).toEqual(["probe 1"]);
  await clock.advance(MINUTE);
  expect(written(files)).toHaveLength(4);
  poll(lists({ ...PROBE, name: "Renamed" }, DEVICE, ...SENSORS));
  await clock.advance(30 * MINUTE);
  await known.end();
  expect(files.writes).toEqual([`${FILE}.tmp`, `${FILE}.tmp`]);
  expect(clock.pending).toEqual([]);
});

test.each([
  { name: "torn", text: encodeObjects("hq", "", new Map()).slice(0, -9), isSetAside: true },
  { name: "foreign", text: "sensors: []\n", isSetAside: true },
  { name: "reselected", text: encodeObjects("hq", "another", new Map()), isSetAside: false },
])("a $name file is told, and nothing is known", async ({ name, text, isSetAside }) => {
  const files = memoryFiles();
  files.content.set(FILE, text);
  const { known, poll, ids, lines } = knowing({ files });
  expect(await known.has("sensor")).toBe(false);
  expect(await known.has("device")).toBe(false);
  expect(ids()).toEqual([]);
  expect(lines).toMatchObject([{ level: 40, found: name, msg: expect.stringContaining("of no use: ") }]);
  expect(files.content.has(`${FILE}.${name}`)).toBe(isSetAside);
  poll(lists(PROBE));
  await known.end();
  expect(written(files)).toEqual(["probe 1"]);
});

test("a disk that fails is told, stops nothing, and is tried again", async () => {
  const files = memoryFiles();
  files.fault = new Error("EACCES: permission denied");
  const { clock, known, poll, lines } = knowing({ files });
  poll({ ...lists(PROBE), sensor: undefined });
  expect(await known.has("sensor")).toBe(false);
  await clock.advance(20 * MINUTE);
  files.fault = undefined;
  await clock.advance(10 * MINUTE);
  expect(written(files)).toEqual(["probe 1"]);
  expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    "40 what was known of objects before is of no use: EACCES: permission denied",
    expect.stringMatching(/^40 known objects cannot be written: EACCES: permission denied; after a restart/),
    "30 known objects can be written again",
  ]);
  await known.end();
});

test("where nothing outlasts the process, nothing is known at its start", async () => {
  const { clock, known, poll, ids } = knowing({ files: undefined });
  expect(await known.has("sensor")).toBe(false);
  poll(lists(PROBE, DEVICE));
  expect(await known.has("device")).toBe(true);
  expect(ids()).toEqual(["probe 1", "device 40"]);
  expect(clock.pending).toEqual([]);
  await known.end();
});

test("a reload keeps it in another place, and of another selection nothing is known", async () => {
  const files = await after(PROBE, DEVICE, ...SENSORS);
  const { known, poll, ids } = knowing({ files });
  await known.has("sensor");
  poll({ probe: lists(PROBE).probe });
  const elsewhere = memoryFiles();
  known.keep({ files: elsewhere, selection: "" });
  expect(ids()).toHaveLength(4);
  known.keep({ files: elsewhere, selection: "another" });
  expect(ids()).toEqual(["probe 1"]);
  await known.end();
  expect(files.writes).toEqual([]);
  expect(written(elsewhere)).toEqual(["probe 1"]);
});

test("of a server that has too many, the first are remembered", async () => {
  const files = memoryFiles();
  const { known, take } = knowing({ files });
  const { tree } = reconcile(EMPTY_TREE, lists(...SENSORS));
  const [sensor] = tree.nodes.values();
  if (sensor === undefined) throw new Error("no sensor");
  const ids = Array.from({ length: 200_001 }, (_, index) => String(index + 1));
  take({ ...tree, nodes: new Map(ids.map((id) => [id, { ...sensor, id }])) });
  await known.end();
  expect(written(files)).toHaveLength(200_000);
});
