import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeChannel } from "../../../src/prtg/decode/channel.ts";
import { decodeLookup } from "../../../src/prtg/decode/lookup.ts";
import { readObjectCounts, readSummary, readVersion } from "../../../src/prtg/decode/system-records.ts";
import { noProblems } from "../../../src/prtg/decode/values.ts";
import { decodeNode } from "../../../src/prtg/node-record.ts";
import { STATUS_TOKENS } from "../../../src/prtg/status.ts";
import { Premise } from "../../support/premise.ts";
import { runs } from "../../support/runs.ts";

/** Members that decoders read, and those they must not. */
const MEMBERS = (
  "id name parent path status status_since message lastup lastdown kind sensor_kind basic priority tags favorite host intervalgroup interval scheduledependency dependency dependencytype " +
  "scanning_interval type sensor_status_summary up total count last_measurement timestamp value display_value unit " +
  "displayunit alerting limits limitmaxerror limit_min_error limitmode values lookup unittype lookup_type from to text __proto__ constructor toString hasOwnProperty"
).split(" ");

const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 0 }),
  fc.constantFrom("", "1,5", "NaN", "1e999", "2490.-4", ".", "..", "60 s", "2026-03-12T17:55:10Z", "UP", "__proto__"),
  // JSON.parse turns 1e999 into Infinity.
  fc.constantFrom(Number.MAX_VALUE, Number.POSITIVE_INFINITY, -0, 2 ** 53, 1e21),
);

const { record: arbitraryRecord } = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, tie("record"), fc.array(tie("record"), { maxLength: 2 })),
  record: fc.dictionary(fc.oneof({ arbitrary: fc.constantFrom(...MEMBERS), weight: 9 }, fc.string()), tie("value"), {
    maxKeys: 8,
  }),
}));

const recordWithId = fc
  .tuple(arbitraryRecord, fc.oneof(fc.constantFrom("1", 5, "2490.1", "2490.-4"), leaf))
  .map(([record, id]) => ({ ...record, id }));

const anything = fc.oneof(fc.jsonValue(), arbitraryRecord, { arbitrary: recordWithId, weight: 4 });

/** Recursive. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (value instanceof Map) return [...value.values()].flatMap(numbersIn);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

test("nodes: decoding never throws and gives valid numbers and complete records", () => {
  const decoded = new Premise();
  fc.assert(
    fc.property(anything, fc.constantFrom("probe", "group", "device", "sensor" as const), (record, kind) => {
      const problems = noProblems();
      const node = decodeNode(kind, record, problems);
      expect(numbersIn(node).every(Number.isFinite)).toBe(true);
      expect(problems.record).toBe(node === undefined ? 1 : 0);
      decoded.holds(node !== undefined);
      if (node === undefined) return;
      expect(node.id).not.toBe("");
      expect(STATUS_TOKENS).toContain(node.status);
      expect(typeof node.name).toBe("string");
      expect(node.tags.every((tag) => typeof tag === "string")).toBe(true);
    }),
    { numRuns: runs(2000) },
  );
  decoded.expectOften();
});

test("channels: decoding never throws and gives valid numbers and a sensor", () => {
  const decoded = new Premise();
  fc.assert(
    fc.property(anything, (record) => {
      const problems = noProblems();
      const channel = decodeChannel(record, problems);
      expect(numbersIn(channel).every(Number.isFinite)).toBe(true);
      expect(problems.record).toBe(channel === undefined ? 1 : 0);
      decoded.holds(channel !== undefined);
      if (channel === undefined) return;
      expect(channel.sensorId).not.toBe("");
      expect(channel.channelId).not.toBe("");
      expect(typeof channel.unit).toBe("string");
      expect(["string", "undefined"]).toContain(typeof channel.lookup);
    }),
    { numRuns: runs(2000) },
  );
  decoded.expectOften();
});

/** Mostly readable. */
const lookupEntry = fc
  .tuple(
    arbitraryRecord,
    fc.record(
      {
        text: fc.oneof({ weight: 3, arbitrary: fc.constantFrom("Up", "Down") }, leaf),
        value: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: -9 }) }, leaf),
        to: fc.oneof({ weight: 3, arbitrary: fc.integer() }, leaf),
        type: fc.constantFrom<unknown>("single", "Range", "BitField", "bit_field", null, 1),
      },
      { requiredKeys: ["text", "value"] },
    ),
  )
  .map(([record, entry]) => ({ ...record, ...entry }));

const lookupRecord = fc
  .tuple(recordWithId, fc.array(lookupEntry, { minLength: 1, maxLength: 6 }))
  .map(([record, values]) => ({ ...record, values }));

test("lookups: decoding never throws and gives valid ranges and an id", () => {
  const decoded = { range: new Premise(), bits: new Premise() };
  fc.assert(
    fc.property(fc.oneof(anything, { arbitrary: lookupRecord, weight: 4 }), (record) => {
      const problems = noProblems();
      const lookup = decodeLookup(record, problems);
      for (const kind of ["range", "bits"] as const) {
        decoded[kind].holds(lookup?.entries.some((entry) => entry.kind === kind) === true);
      }
      expect(numbersIn(lookup).every(Number.isFinite)).toBe(true);
      expect(problems.record).toBe(lookup === undefined ? 1 : 0);
      if (lookup === undefined) return;
      expect(lookup.id).not.toBe("");
      for (const entry of lookup.entries) {
        expect(entry.text).not.toBe("");
        if (entry.kind === "range") expect(entry.to).toBeGreaterThanOrEqual(entry.from);
        else expect(entry.bits).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: runs(1000) },
  );
  for (const premise of Object.values(decoded)) premise.expectOften();
});

test("system records: decoding never throws and gives valid numbers", () => {
  fc.assert(
    fc.property(anything, (answer) => {
      expect(numbersIn(readSummary(answer, noProblems())).every(Number.isFinite)).toBe(true);
      expect(numbersIn(readObjectCounts(answer)).every(Number.isSafeInteger)).toBe(true);
      expect([...readVersion(answer).values()].every((member) => typeof member === "string")).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test("decoding changes no prototype", () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  fc.assert(
    fc.property(anything, (record) => {
      decodeNode("sensor", record, noProblems());
      decodeChannel(record, noProblems());
      decodeLookup(record, noProblems());
      readSummary(record, noProblems());
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    }),
  );
});
