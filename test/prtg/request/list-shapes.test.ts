import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeChannel, UNREAD_CHANNEL_MEMBERS } from "../../../src/prtg/decode/channel.ts";
import { noProblems } from "../../../src/prtg/decode/problems.ts";
import { JsonRecords } from "../../../src/prtg/request/json-records.ts";
import { ListShapes } from "../../../src/prtg/request/list-shapes.ts";

/** What comes of a page that arrives in parts. `use` sees each record while it is good. */
function read(text: string, shapes: ListShapes | undefined, use: (record: unknown) => unknown): unknown[] {
  const taken: unknown[] = [];
  const records = new JsonRecords({
    take: (record) => taken.push(use(record)),
    memory: shapes?.page(),
    piece: 300,
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 97) records.take(bytes.subarray(at, at + 97));
  records.end();
  return taken;
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom("", "é😀", "\ud800", '"', "\\", '},{"id":', "Traffic In", "2490.-4"),
);
const value = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
  text,
  fc.constantFrom(null, true, false, 0, -0, 1e21, 5e-324),
);
const measurement = fc.oneof(
  fc.record({
    timestamp: fc.constantFrom("2026-03-12T17:55:10Z", "x", null),
    value,
    display_value: value,
    minimum: value,
  }),
  fc.record({ display_value: value, display_volume: value }),
  fc.constant(null),
);
const channel = fc.record(
  {
    id: fc.oneof(fc.constantFrom("2490.1", "2490.-4", 7, "."), text),
    name: text,
    href: text,
    kind: value,
    type: value,
    basic: fc.record({ name: text, displayunit: text, unittype: fc.constantFrom("TIME_RESPONSE", "VALUE_LOOKUP") }),
    parent: fc.record({ id: fc.constantFrom("2490", 2490, ""), type: text, name: text, href: text }),
    alerting: fc.record({ limitmode: fc.constantFrom("0", "1", true), limitmaxerror: value }),
    values: fc.record({ lookup: value, factor: fc.array(value, { maxLength: 2 }) }),
    last_measurement: measurement,
  },
  { requiredKeys: ["id", "name"] },
);

describe("a list that is read by its shapes", () => {
  test("has the records that parsing it gives", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(channel, fc.jsonValue()), { maxLength: 60 }), (list) => {
        const json = JSON.stringify(list);
        const shapes = new ListShapes();
        for (let page = 0; page < 2; page++) {
          expect(read(json, shapes, (record) => structuredClone(record))).toEqual(JSON.parse(json));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("has the channels that parsing it gives, without the members that are not looked at", () => {
    fc.assert(
      fc.property(fc.array(channel, { minLength: 1, maxLength: 60 }), (list) => {
        const json = JSON.stringify(list);
        const decoded = (shapes: ListShapes | undefined) => {
          const problems = noProblems();
          const pages = [0, 1].map(() => read(json, shapes, (record) => decodeChannel(record, problems)));
          return { pages, problems };
        };
        expect(decoded(new ListShapes(UNREAD_CHANNEL_MEMBERS))).toEqual(decoded(undefined));
      }),
      { numRuns: 300 },
    );
  });

  test("makes no new objects for records of a shape that is known", () => {
    const json = JSON.stringify(
      Array.from({ length: 50 }, (_, id) => ({ id: `1.${id}`, basic: { displayunit: "%" } })),
    );
    const records = new Set(read(json, new ListShapes(), (record) => record));
    // The first one, which was parsed, and the one that has the values of all others.
    expect(records.size).toBe(2);
  });

  test("is parsed from the next page on where there are too many of them", () => {
    const shapes = new ListShapes();
    const list = Array.from({ length: 80 }, (_, id) => ({ id: String(id), [`member ${id}`]: 1 }));
    expect(read(JSON.stringify(list), shapes, (record) => record)).toEqual(list);
    expect(shapes.page()).toBeUndefined();
  });
});
