import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MAX_DEPTH, MAX_ERROR_BYTES, MAX_RECORD_BYTES } from "../../../src/prtg/answer-bounds.ts";
import type { Members } from "../../../src/prtg/decode/values.ts";
import { JsonRecords, NotAList } from "../../../src/prtg/request/json-records.ts";
import { RecordScanner } from "../../../src/prtg/request/record-scanner.ts";
import { runs } from "../../support/runs.ts";
import { pickMembers } from "../pick-members.ts";

interface Reading {
  /** Chunk sizes in bytes, repeating. */
  readonly parts?: readonly number[];
  readonly piece?: number;
  readonly members?: Members | undefined;
}

/** Pieces with output. */
function read(
  json: string,
  { parts = [7], piece = 20, members }: Reading = {},
): { records: unknown[]; pieces: number } {
  const text = Buffer.from(json);
  const records: unknown[] = [];
  const reader = new JsonRecords((record) => records.push(record), { piece, members });
  let pieces = 0;
  for (let at = 0, part = 0; at < text.length; part++) {
    const length = parts[part % parts.length] ?? 1;
    if (reader.take(text.subarray(at, at + length))) pieces++;
    at += length;
  }
  reader.end();
  return { records, pieces };
}

const many = Array.from({ length: 300 }, (_, id) => ({ id: String(id), name: `channel ${id}` }));
const rows = many.map(({ id, name }) => [id, name]);

describe("records", () => {
  test("arrive while the text arrives", () => {
    const { records, pieces } = read(JSON.stringify(many), { parts: [100], piece: 400 });
    expect(records).toEqual(many);
    expect(pieces).toBeGreaterThan(20);
  });

  test("lack the members that nobody reads", () => {
    const { records } = read(JSON.stringify(many), { parts: [100], piece: 400, members: { id: true } });
    const lacking = records.filter((record) => !Object.hasOwn(Object(record), "name"));
    expect(records.map((record) => pickMembers(record, { id: true }))).toEqual(many.map(({ id }) => ({ id })));
    expect(lacking).toHaveLength(many.length);
  });

  test("arrive early from rows without a scan of each byte", () => {
    const scanned = vi.spyOn(RecordScanner.prototype, "take");
    onTestFinished(() => scanned.mockRestore());
    const { records, pieces } = read(JSON.stringify(rows), { parts: [100], piece: 400 });
    expect(records).toEqual(rows);
    expect(pieces).toBeGreaterThan(10);
    expect(scanned).not.toHaveBeenCalled();
  });

  test.each([
    { what: "a byte order mark before them", text: `\uFEFF${JSON.stringify(many)}` },
    { what: "space before them", text: ` \n\t${JSON.stringify(many)} ` },
    { what: "another order of members in some", text: JSON.stringify([...many, { name: "x", id: "1" }, ...many]) },
  ])("arrive with $what", ({ text }) => {
    const { records, pieces } = read(text, { parts: [100], piece: 400 });
    expect(records).toEqual(JSON.parse(text.replace("\uFEFF", "")));
    expect(pieces).toBeGreaterThan(20);
  });

  test.each([
    { what: "spaces", text: JSON.stringify(many, undefined, 2) },
    { what: "no objects", text: JSON.stringify(many.map(({ id }) => [id])) },
    { what: "rows of numbers", text: JSON.stringify(many.map((_, id) => [id])) },
    { what: "the end of a row in a name", text: JSON.stringify(rows.map(([id]) => [id, "],["])) },
    { what: "rows in rows", text: JSON.stringify(rows.map(([id]) => [id, [[id], [id]]])) },
    { what: "the end of a record in a name", text: JSON.stringify(many.map(({ id }) => ({ id, name: '},{"id":' }))) },
    { what: "records in records", text: JSON.stringify(many.map(({ id }) => ({ id, below: [{ id }, { id }] }))) },
  ])("arrive at the end at the latest, with $what", ({ text }) => {
    expect(read(text, { parts: [100], piece: 400 }).records).toEqual(JSON.parse(text));
  });

  test("equal parsing the whole list for any split", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('},{"id":', '"},{"id":', "],[", '],["', "\\", '"', "é😀"));
    const member = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(fc.record({ id: text })));
    const record = fc.oneof(fc.record({ id: member, name: member }), fc.record({ id: member }), fc.jsonValue());
    const row = fc.tuple(text, fc.oneof(text, fc.integer(), fc.array(fc.array(text), { maxLength: 3 })));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(record, { maxLength: 40 }),
          fc.array(fc.oneof({ weight: 9, arbitrary: row }, { weight: 1, arbitrary: record }), { maxLength: 40 }),
        ),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 400 }),
        fc.constantFrom("", " ", "\t"),
        fc.constantFrom("", "\uFEFF"),
        (list, parts, piece, indent, mark) => {
          const json = JSON.stringify(list, undefined, indent);
          expect(read(`${mark}${json}`, { parts, piece }).records).toEqual(JSON.parse(json));
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test.each([
    { what: "objects", json: JSON.stringify(many) },
    { what: "objects of which one member is read", json: JSON.stringify(many), members: { id: true } as const },
    { what: "rows", json: JSON.stringify(rows) },
  ])("fail for invalid JSON at any position: $what", ({ json, members }) => {
    const pick = (record: unknown) => (members === undefined ? record : pickMembers(record, members));
    fc.assert(
      fc.property(fc.nat(json.length - 1), fc.constantFrom("", "\u0000", "]", "}", '"', ",,"), (at, instead) => {
        const broken = `${json.slice(0, at)}${instead}${json.slice(at + 1)}`;
        const whole = attempt(() => (JSON.parse(broken) as unknown[]).map(pick));
        const records = attempt(() => read(broken, { parts: [100], piece: 400, members }).records);
        expect(records === "refused" ? records : records.map(pick)).toEqual(whole);
      }),
      { numRuns: runs(500) },
    );
  });

  test("fail if they are incomplete", () => {
    const json = JSON.stringify(many);
    fc.assert(
      fc.property(fc.nat(json.length - 1), (length) => {
        expect(() => read(json.slice(0, length), { parts: [100], piece: 400 })).toThrow(SyntaxError);
      }),
    );
  });
});

test.each(["{}", '"[]"', "null", "1"])("%s is not a list", (text) => {
  expect(() => read(text)).toThrow(NotAList);
});

test.each([0, 1, 300])("brackets with %i spaces in between are an empty list", (spaces) => {
  expect(read(`[${" ".repeat(spaces)}]`)).toEqual({ records: [], pieces: 0 });
});

test("a single large record takes linear time", () => {
  const large = [{ id: "1", name: "x".repeat(1_000_000) }, { id: "2" }];
  expect(read(JSON.stringify(large), { parts: [1_000], piece: 400 }).records).toEqual(large);
});

describe("invalid record", () => {
  const tooLarge = { id: "1", name: "x".repeat(MAX_RECORD_BYTES + 60_000) };
  const tooDeep = { id: "1", nested: JSON.parse(`${"[".repeat(MAX_DEPTH)}${"]".repeat(MAX_DEPTH)}`) as unknown };
  const neighbours = Array.from({ length: 50 }, (_, id) => ({ id: String(id), text: '],"[{\\"' }));

  test.each([
    { what: "too large, first", list: [tooLarge, ...neighbours] },
    { what: "too large, in between", list: [...neighbours, tooLarge, tooLarge, ...neighbours] },
    { what: "too large, last", list: [...neighbours, tooLarge] },
    { what: "too large, alone", list: [tooLarge] },
    { what: "too deep, in a list that begins otherwise", list: [["row"], tooDeep, ...neighbours] },
  ])("is skipped, and the others arrive: $what", ({ list }) => {
    for (const text of [JSON.stringify(list), JSON.stringify(list, undefined, 1)]) {
      const expected = list.map((record) => (record === tooLarge || record === tooDeep ? undefined : record));
      expect(read(text, { parts: [30_000], piece: 400 }).records).toEqual(expected);
    }
  });

  test.each([
    { what: "empty objects", unit: "{}", json: '[{"id":"1"},' },
    { what: "rows", unit: '["1",2]', json: "[" },
  ])("comes in pieces for any number of small parts: $what", ({ unit, json }) => {
    let count = 0;
    const reader = new JsonRecords(() => count++);
    let most = 0;
    reader.take(Buffer.from(json));
    const chunk = Buffer.from(`${unit},`.repeat(4_096));
    for (let chunks = 0; chunks < 300; chunks++) {
      const before = count;
      reader.take(chunk);
      most = Math.max(most, count - before);
    }
    expect(count).toBeGreaterThan(1_000_000);
    expect(most).toBeLessThan(150_000);
  });

  test("takes a few megabytes of memory, however large it is", () => {
    const allocated = vi.spyOn(Buffer, "allocUnsafeSlow");
    onTestFinished(() => allocated.mockRestore());
    const records: unknown[] = [];
    const reader = new JsonRecords((record) => records.push(record), { piece: 400 });
    reader.take(Buffer.from('[{"id":"1","name":"'));
    const chunk = Buffer.alloc(65_536, "x");
    for (let sent = 0; sent < 8 * MAX_RECORD_BYTES; sent += chunk.length) reader.take(chunk);
    reader.take(Buffer.from('"},{"id":"2"}]'));
    reader.end();
    expect(records).toEqual([undefined, { id: "2" }]);
    expect(Math.max(...allocated.mock.calls.map(([size]) => size))).toBeLessThan(3 * MAX_RECORD_BYTES);
  });

  test("has no end", () => {
    const reader = new JsonRecords(() => undefined);
    for (let chunks = 0; chunks < 100; chunks++) expect(reader.take(Buffer.alloc(65_536, "["))).toBe(false);
    expect(() => reader.end()).toThrow(SyntaxError);
  });
});

test("the reader stops early if the text is not a list", () => {
  const reader = new JsonRecords(() => undefined);
  expect(reader.isBroken).toBe(false);
  reader.take(Buffer.from(`"${"x".repeat(MAX_ERROR_BYTES)}`));
  expect(reader.isBroken).toBe(true);
  expect(() => reader.end()).toThrow(NotAList);
});

function attempt<Result>(work: () => Result): Result | "refused" {
  try {
    return work();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NotAList) return "refused";
    throw error;
  }
}

test.each([
  { what: "a list", text: JSON.stringify(many) },
  { what: "a small list", text: JSON.stringify(many.slice(0, 2)) },
  { what: "a list of rows", text: JSON.stringify(rows) },
])("the memory of $what is free after its last record, without garbage collection", ({ text }) => {
  const allocated = vi.spyOn(Buffer, "allocUnsafeSlow");
  onTestFinished(() => allocated.mockRestore());
  const records: unknown[] = [];
  const reader = new JsonRecords((record) => records.push(record), { piece: 400 });
  for (let at = 0; at < text.length; at += 300) reader.take(Buffer.from(text.slice(at, at + 300)));
  reader.end();
  expect(records).toEqual(JSON.parse(text));
  const held = allocated.mock.results.map(({ value }) => (Buffer.isBuffer(value) ? value.length : 0));
  expect(held.reduce((sum, length) => sum + length, 0)).toBe(0);
});
