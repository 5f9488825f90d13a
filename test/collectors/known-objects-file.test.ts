import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeObjects,
  encodeObjects,
  isObjectId,
  MAX_OBJECTS,
  type ObjectIds,
  objectsFileName,
} from "../../src/collectors/known-objects-file.ts";
import type { NodeKind } from "../../src/prtg/records.ts";

const idsOf = (ids: Partial<Record<NodeKind, readonly string[]>>): ObjectIds =>
  new Map((["probe", "group", "device", "sensor"] as const).map((kind) => [kind, new Set(ids[kind])]));

const IDS = idsOf({ probe: ["1"], device: ["40", "41"], sensor: ["2490", "__proto__"] });
const TEXT = encodeObjects("hq", "abc", IDS);
const [FIRST = "", SECOND = ""] = TEXT.split("\n");

test("the name of a file tells servers apart, and holds no part of a path", () => {
  expect(objectsFileName("../../etc/passwd")).toMatch(/^objects-_etc_passwd-[0-9a-f]{8}\.json$/);
  expect(objectsFileName("HQ").toLowerCase()).not.toBe(objectsFileName("hq").toLowerCase());
});

describe("a file of known objects", () => {
  test("holds ids by kind, and of which part of the server they are", () => {
    expect(decodeObjects(TEXT, "hq")).toEqual({ ids: IDS, selection: "abc" });
    expect(decodeObjects(encodeObjects("hq", "", new Map()), "hq")).toEqual({ ids: idsOf({}), selection: "" });
  });

  test("is small: 20,000 sensors and 2,000 devices take less than 300 kB", () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => String(from + index));
    expect(
      encodeObjects("hq", "", idsOf({ device: ids(2_000, 2_000), sensor: ids(100_000, 20_000) })).length,
    ).toBeLessThan(300_000);
  });

  const head = (more: object) => `${JSON.stringify({ ...JSON.parse(FIRST), ...more })}\n${SECOND}\n`;
  test.each([
    { name: "nothing", text: "", problem: "torn" },
    { name: "zeros", text: "\0".repeat(100), problem: "torn" },
    { name: "the first line only", text: FIRST, problem: "torn" },
    { name: "a part of the second line", text: TEXT.slice(0, -10), problem: "torn" },
    { name: "another id", text: TEXT.replace("2490", "2491"), problem: "torn" },
    { name: "a wrong count", text: head({ objects: 4 }), problem: "torn" },
    { name: "no sensors", text: withBody({ probe: [], group: [], device: [] }), problem: "torn" },
    {
      name: "ids that are none",
      text: withBody({ probe: [], group: [], device: [], sensor: ["../1"] }),
      problem: "torn",
    },
    { name: "numbers", text: withBody({ probe: [], group: [], device: [], sensor: [2490] }), problem: "torn" },
    { name: "another server's objects", text: encodeObjects("other", "", IDS), problem: "foreign" },
    { name: "other JSON", text: '{"a":1}\n{}\n', problem: "foreign" },
    { name: "no JSON", text: "sensors:\n  2490: 5\n", problem: "foreign" },
    { name: "a newer version", text: head({ version: 2 }), problem: "newer" },
    { name: "too many", text: encodeObjects("hq", "", idsOf({ sensor: tooMany() })), problem: "foreign" },
  ])("with $name is $problem", ({ text, problem }) => {
    expect(decodeObjects(text, "hq")).toMatchObject({ problem, message: expect.stringMatching(/^it/) });
  });

  test("that is cut off or changed anywhere is never taken for one with other objects", () => {
    fc.assert(
      fc.property(fc.nat(TEXT.length - 2), fc.constantFrom("cut", "0", "\0", " ", "}"), (position, change) => {
        const changed =
          change === "cut" ? TEXT.slice(0, position) : TEXT.slice(0, position) + change + TEXT.slice(position + 1);
        const decoded = decodeObjects(changed, "hq");
        if ("ids" in decoded) expect(decoded.ids).toEqual(IDS);
      }),
      { numRuns: 500 },
    );
  });

  test("of any content does not throw, and holds nothing but ids", () => {
    const members = fc.record(
      { probe: fc.json(), group: fc.array(fc.json()), device: fc.array(fc.string()), sensor: fc.array(fc.string()) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), members.map(withBody)), (text) => {
        const decoded = decodeObjects(text, "hq");
        if ("ids" in decoded) expect([...decoded.ids.values()].flatMap((ids) => [...ids]).every(isObjectId)).toBe(true);
      }),
    );
  });

  test("is read as it was written", () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[^\s.]{1,50}$/), { maxLength: 20 });
    fc.assert(
      fc.property(fc.string(), fc.string(), ids, ids, (server, selection, device, sensor) => {
        const known = idsOf({ device, sensor });
        expect(decodeObjects(encodeObjects(server, selection, known), server)).toEqual({ ids: known, selection });
      }),
    );
  });
});

/** With a checksum that fits. */
function withBody(body: object): string {
  const line = JSON.stringify(body);
  return `${JSON.stringify({ ...JSON.parse(FIRST), objects: 1, crc32: crc32(line) })}\n${line}\n`;
}

function tooMany(): string[] {
  return Array.from({ length: MAX_OBJECTS + 1 }, (_, index) => String(index));
}
