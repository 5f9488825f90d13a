import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_RECORD_BYTES } from "../../../src/prtg/answer-bounds.ts";
import { JsonRecords } from "../../../src/prtg/request/json-records.ts";
import { LEFT_OUT } from "../../../src/prtg/request/record-tail.ts";

interface Reading {
  readonly last: number;
  /** Bytes in which the text arrives, in turn. */
  readonly parts?: readonly number[];
  readonly piece?: number;
}

function read(json: string, { last, parts = [100], piece = 400 }: Reading): unknown[] {
  const text = Buffer.from(json);
  const records: unknown[] = [];
  const reader = new JsonRecords({ take: (record) => records.push(record), last, piece });
  for (let at = 0, part = 0; at < text.length; part++) {
    const length = parts[part % parts.length] ?? 1;
    // The memory of a chunk is gone when the next one comes.
    const chunk = Buffer.from(text.subarray(at, at + length));
    reader.take(chunk);
    chunk.fill(0);
    at += length;
  }
  reader.end();
  return records;
}

const rowsOf = (count: number): unknown[][] =>
  Array.from({ length: count }, (_, minute) => [`2026-03-12T15:${String(minute).padStart(3, "0")}:00Z`, minute, "é"]);
const series = [["time", "7.0", "7.1"], ...rowsOf(300)];

const anyParts = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 });
const anyPiece = fc.integer({ min: 1, max: 900 });
const anyLast = fc.integer({ min: 1, max: 12 });

describe("of a long list of which the last records are wanted", () => {
  test("come the first ones and these, in whatever chunks", () => {
    fc.assert(
      fc.property(anyParts, anyPiece, anyLast, (parts, piece, last) => {
        const records = read(JSON.stringify(series), { last, parts, piece });
        expect(records).toEqual([...series.slice(0, 2), LEFT_OUT, ...series.slice(-last)]);
      }),
    );
  });

  test("objects come as well", () => {
    const objects = series.map(([time]) => ({ time }));
    expect(read(JSON.stringify(objects), { last: 3 })).toEqual([
      ...objects.slice(0, 2),
      LEFT_OUT,
      ...objects.slice(-3),
    ]);
  });

  test("come no others than parsing it as a whole gives, whatever is in them", () => {
    const hostile = fc.constantFrom("],[", "x],[", "\\],[", '],["', '"],["', "]]", '["', "[", "]", '"', "\\", "é😀");
    const text = fc.oneof(fc.string(), hostile);
    const leaf = fc.oneof(text, fc.integer(), fc.constant(null));
    const row = fc.oneof(
      fc.tuple(text, leaf, leaf).map((cells): unknown[] => cells),
      fc.array(fc.oneof(leaf, fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 4 }), fc.jsonValue())),
    );
    const rows = fc.array(fc.oneof({ weight: 4, arbitrary: fc.tuple(text, fc.integer()) }, row), {
      maxLength: 80,
      size: "max",
    });
    let parted = 0;
    fc.assert(
      fc.property(
        rows,
        anyParts,
        anyPiece,
        anyLast,
        fc.constantFrom("", "\uFEFF", " \n"),
        (list, parts, piece, last, mark) => {
          const whole: unknown[] = JSON.parse(JSON.stringify([["time"], ...list]));
          const records = read(`${mark}${JSON.stringify(whole)}\n`, { last, parts, piece });
          const leftOut = records.indexOf(LEFT_OUT);
          if (leftOut < 0) expect(records).toEqual(whole);
          else {
            const tail = records.slice(leftOut + 1);
            expect(records.slice(0, leftOut)).toEqual(whole.slice(0, leftOut));
            expect(tail).toEqual(whole.slice(whole.length - tail.length));
            expect(tail.length === 0 || tail.length >= last).toBe(true);
            if (tail.length > 0) parted++;
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(parted).toBeGreaterThan(300);
  });

  test("come none where it is broken among them", () => {
    const last = 20;
    const json = JSON.stringify(series);
    const kept = json.lastIndexOf(JSON.stringify(series.at(-last)));
    fc.assert(
      fc.property(
        fc.integer({ min: kept, max: json.length - 1 }),
        fc.constantFrom("", "\u0000", "]", "}", '"', ",,"),
        anyPiece,
        (at, instead, piece) => {
          const broken = `${json.slice(0, at)}${instead}${json.slice(at + 1)}`;
          fc.pre(!isJson(broken));
          expect(read(broken, { last, piece })).toEqual([...series.slice(0, 2), LEFT_OUT]);
          // Where all of it is still there, it is refused.
          expect(() => read(broken, { last, piece: 1_000_000, parts: [300] })).toThrow(SyntaxError);
        },
      ),
    );
  });
});

test("a place in a text is not where it is cut, another one is", () => {
  // The quote that ends the text completes what looks like a separator.
  const odd = ["2026", "x],["];
  const list = [...series, odd, ...rowsOf(2)];
  expect(read(JSON.stringify(list), { last: 3 }).slice(3)).toEqual([odd, ...rowsOf(2)]);
});

test.each([0, 1, 2, 3, 5, 6])("a short list comes as a whole: %i rows of 6", (count) => {
  const list = [["time", "7.0".repeat(100)], ["2026"], ...rowsOf(count)];
  expect(read(JSON.stringify(list), { last: 6, piece: 10_000 })).toEqual(list);
});

test.each([
  { what: "with spaces", text: JSON.stringify(series, undefined, 1) },
  { what: "of other records", text: JSON.stringify(series.map((row, index) => [index, row])) },
])("a list $what comes as a whole", ({ text }) => {
  expect(read(text, { last: 3 })).toEqual(JSON.parse(text));
});

test("a short list that is broken is refused", () => {
  const text = JSON.stringify([["time", "7.0".repeat(100)], ...rowsOf(4)]).slice(0, -1);
  expect(() => read(text, { last: 6, piece: 10_000 })).toThrow(SyntaxError);
});

test("of records that are too large to be kept none are told", () => {
  const large = ["2026", "x".repeat(MAX_RECORD_BYTES)];
  const text = JSON.stringify([...series, large, large, large, large]);
  expect(read(text, { last: 6, parts: [65_536] }).slice(2)).toEqual([LEFT_OUT]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
