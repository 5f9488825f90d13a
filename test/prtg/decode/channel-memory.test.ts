import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeChannel } from "../../../src/prtg/decode/channel.ts";
import { ChannelMemory, ListedChannel } from "../../../src/prtg/decode/channel-memory.ts";
import { type DecodeProblems, noProblems } from "../../../src/prtg/decode/problems.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";
import { JsonRecords } from "../../../src/prtg/request/json-records.ts";

interface Reading {
  readonly items: readonly unknown[];
  readonly problems: DecodeProblems;
}

interface Pages {
  /** The text of each page; a page begins with the last record of the one before. */
  readonly pages: readonly { readonly offset: number; readonly text: string }[];
  /** Bytes after which complete records are read. */
  readonly piece: number;
}

const PARTS = [97, 1_000];

/** Reads a list; undefined where its text is refused. */
function read({ pages, piece }: Pages, memory?: ChannelMemory): Reading | undefined {
  const problems = noProblems();
  const items: unknown[] = [];
  const take = (record: unknown) => {
    const item = record instanceof ListedChannel ? record : decodeChannel(record, problems);
    items.push(item && plain(item));
  };
  try {
    for (const { offset, text } of pages) {
      const records = new JsonRecords({ take, memory: memory?.page(offset), piece });
      const bytes = Buffer.from(text);
      for (let at = 0, part = 0; at < bytes.length; part++) {
        const end = at + (PARTS[part % PARTS.length] ?? 1);
        records.take(bytes.subarray(at, end));
        at = end;
      }
      records.end();
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  memory?.listed();
  return { items, problems };
}

function plain({ sensorId, channelId, name, unit, value, measuredAt, limits, lookup }: ChannelRecord): ChannelRecord {
  return { sensorId, channelId, name, unit, value, measuredAt, limits, lookup };
}

function pagesOf(records: readonly unknown[], size: number, piece: number, indent = ""): Pages {
  const pages: { offset: number; text: string }[] = [];
  for (let offset = 0; offset === 0 || offset < records.length - 1; offset += size - 1) {
    pages.push({ offset, text: JSON.stringify(records.slice(offset, offset + size), undefined, indent) });
  }
  return { pages, piece };
}

function channel(id: number, value: unknown, timestamp: unknown = "2026-03-12T17:55:10Z"): Record<string, unknown> {
  return {
    ...{ id: `${id >> 2}.${id & 3}`, name: `Traffic ${id}`, basic: { displayunit: "Mbit/s" }, kind: "channel" },
    ...{ parent: { id: `${id >> 2}`, name: "Port 7" } },
    last_measurement: { timestamp, value: 7, display_value: value, minimum: 0.5, maximum: null },
  };
}

/** The same members in the order of their names, as some servers have them. */
function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe("a list of channels that was read before", () => {
  test.each([
    { where: "last", form: (record: Record<string, unknown>) => record },
    { where: "among others", form: sorted },
  ])("is read without decoding anything but the measurements, which are $where", ({ form }) => {
    let decoded = 0;
    const memory = new ChannelMemory((record, problems) => {
      decoded++;
      return decodeChannel(record, problems);
    });
    const list = (minute: number) =>
      Array.from({ length: 100 }, (_, id) =>
        form(channel(id, id % 7 === 0 ? null : minute + id / 8, `2026-03-12T17:5${minute}:10Z`)),
      );
    for (const minute of [0, 1]) read(pagesOf(list(minute), 40, 400), memory);
    decoded = 0;
    const pages = pagesOf(list(2), 40, 400);
    const result = read(pages, memory);
    expect(result).toEqual(read(pages));
    expect(result?.items[12]).toMatchObject({ sensorId: "3", channelId: "0", value: 3.5, name: "Traffic 12" });
    expect(decoded).toBe(0);
    // A few come, go, and have other names: the others are found again.
    const changed = list(3).flatMap((record, at) =>
      at === 20 ? [] : at === 50 ? [form(channel(900, 1)), record] : [record],
    );
    changed[70] = form(channel(901, 1));
    const later = pagesOf(changed, 40, 400);
    expect(read(later, memory)).toEqual(read(later));
    expect(decoded).toBeLessThan(5);
  });

  test("is remembered as it was read last, also where one that was longer or not read to its end came before", () => {
    const memory = new ChannelMemory(decodeChannel);
    const list = (count: number, minute: number) =>
      pagesOf(
        Array.from({ length: count }, (_, id) => channel(id, minute + id)),
        20,
        300,
      );
    for (const [minute, count] of [100, 100, 60, 100].entries()) read(list(count, minute), memory);
    const unfinished = list(100, 4);
    expect(read({ ...unfinished, pages: [...unfinished.pages.slice(0, 3), { offset: 57, text: "[{" }] }, memory)).toBe(
      undefined,
    );
    for (const [minute, count] of [30, 31, 90].entries()) {
      const pages = list(count, 5 + minute);
      expect(read(pages, memory)).toEqual(read(pages));
      expect(memory.size).toBe(count);
    }
  });

  test("gives the same channels as one that is read for the first time, whatever changed", () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.constantFrom<unknown>(
        null,
        "1.5",
        "1,5",
        "",
        -0,
        1e21,
        2 ** 53 + 2,
        0.1 + 0.2,
        true,
        [],
        {},
        "1\\",
        'q"',
        "é",
      ),
    );
    const time = fc.constantFrom<unknown>(
      "2026-03-12T17:55:10Z",
      "2026-03-12T17:56:10.5+02:00",
      "0001-01-01T00:00:00Z",
      "",
      null,
      "soon",
      5,
      '},{"id":',
    );
    const text = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('a"b', "\\", "é😀", '},{"id":"', "\u2028", "x".repeat(70)),
    );
    const measurement = fc.oneof(
      { arbitrary: fc.record({ timestamp: time, value, display_value: value, minimum: value }), weight: 6 },
      fc.record({ display_value: value, timestamp: time }),
      fc.constantFrom<unknown>(null, {}, "none", [], { display_value: { value: 1 } }),
    );
    const id = fc.oneof(
      fc.nat(30).map((number) => `${number >> 2}.${number & 3}`),
      fc.constantFrom<unknown>("5", 5.5, "", "1.-4", null),
    );
    const asTreeNode = fc.record({
      id,
      name: text,
      basic: fc.record({ displayunit: text }),
      parent: fc.record({ id: fc.constantFrom("1", "2"), name: text }),
      last_measurement: measurement,
    });
    const asSorted = fc.record({
      basic: fc.record({ displayunit: text }),
      id,
      last_measurement: measurement,
      name: text,
    });
    const asInfo = fc.record({
      id,
      name: text,
      unit: fc.record({ display_unit: text }),
      last_measurement: measurement,
      limits: fc.record({ limit_max_error: value }),
    });
    const odd = fc.oneof(
      fc.record({ id, last_measurement: measurement, after: text }),
      fc.record({ id, alerting: fc.record({ limitmaxerror: text }), last_measurement: measurement }),
      fc.record({ id, last_measurement: measurement, "last_measurement ": measurement }),
      fc.jsonValue(),
    );
    const record = fc.oneof({ arbitrary: asTreeNode, weight: 6 }, { arbitrary: asSorted, weight: 3 }, asInfo, odd);
    const edit = fc.record({
      at: fc.nat(40),
      what: fc.constantFrom("measure", "replace", "insert", "remove", "rename"),
      record,
      measurement,
      text,
    });
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 30 }),
        fc.array(fc.array(edit, { maxLength: 8 }), { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 20, max: 600 }),
        (first, edits, size, piece) => {
          const memory = new ChannelMemory(decodeChannel);
          let list: unknown[] = first;
          for (const changes of [[], [], ...edits]) {
            list = changes.reduce(changed, list);
            const pages = pagesOf(list, size, piece);
            expect(read(pages, memory)).toEqual(read(pages));
          }
        },
      ),
      { numRuns: 1_000 },
    );

    function changed(
      list: unknown[],
      { at, what, record, measurement, text }: typeof edit extends fc.Arbitrary<infer One> ? One : never,
    ): unknown[] {
      const place = at % (list.length + 1);
      const before = list[place];
      const known = typeof before === "object" && before !== null ? before : {};
      if (what === "measure") return list.with(place % list.length, { ...known, last_measurement: measurement });
      if (what === "rename") return list.with(place % list.length, { ...known, name: text });
      if (what === "replace") return list.with(place % list.length, record);
      if (what === "insert" || list.length < 2) return list.toSpliced(place, 0, record);
      return list.toSpliced(place, 1);
    }
  });

  test.each([
    { where: "last", form: (record: Record<string, unknown>) => record },
    { where: "among others", form: sorted },
  ])(
    "is refused where one that is read for the first time is, wherever it is broken, with measurements $where",
    ({ form }) => {
      const records = Array.from({ length: 12 }, (_, id) => form(channel(id, id / 3)));
      const whole = pagesOf(records, 100, 300);
      const json = whole.pages[0]?.text ?? "";
      fc.assert(
        fc.property(
          fc.nat(json.length - 1),
          fc.nat(3),
          fc.oneof(
            fc.constantFrom(
              "",
              "\u0000",
              "]",
              "}",
              '"',
              ",",
              "\\",
              "\\u00e9",
              ":",
              "{",
              " ",
              "0",
              "-",
              ".",
              "e5",
              "\n",
            ),
            fc.string(),
          ),
          (at, length, instead) => {
            const memory = new ChannelMemory(decodeChannel);
            for (let times = 0; times < 3; times++) read(whole, memory);
            const pages = {
              pages: [{ offset: 0, text: json.slice(0, at) + instead + json.slice(at + length) }],
              piece: 300,
            };
            expect(read(pages, memory)).toEqual(read(pages));
            // And what it remembers is right.
            expect(read(whole, memory)).toEqual(read(whole));
          },
        ),
        { numRuns: 2_000 },
      );
    },
  );

  test("is left alone where there is little to remember", () => {
    let decoded = 0;
    const memory = new ChannelMemory((record, problems) => {
      decoded++;
      return decodeChannel(record, problems);
    });
    const asInfo = (id: number) => ({ ...channel(id, id), limits: { limit_max_error: 5 } });
    const list = (plain: number) =>
      pagesOf(
        Array.from({ length: 30 }, (_, id) => (id < plain ? channel(id, id) : asInfo(id))),
        40,
        400,
      );
    for (let times = 0; times < 3; times++) expect(read(list(5), memory)).toEqual(read(list(5)));
    expect([decoded, memory.size]).toEqual([30, 0]);
    // It may be another server by then.
    for (let times = 0; times < 110; times++) read(list(20), memory);
    expect(memory.size).toBe(30);
  });

  test("with a member twice, or spelt in another way, is not taken for one without", () => {
    const json = JSON.stringify([channel(1, 1), channel(2, 2)]);
    for (const more of ['"last_measurement":null', '"last\\u005fmeasurement":{"display_value":5}', '"name":"other"']) {
      for (const text of [json.replaceAll("}}", `},${more}}`), json.replaceAll('"kind"', `${more},"kind"`)]) {
        const memory = new ChannelMemory(decodeChannel);
        for (let times = 0; times < 4; times++) {
          const pages = {
            pages: [
              {
                offset: 0,
                text: text.replaceAll(":7", `:${times}`).replaceAll('"display_value":1', `"display_value":1${times}`),
              },
            ],
            piece: 100,
          };
          expect(read(pages, memory)).toEqual(read(pages));
        }
      }
    }
  });
});
