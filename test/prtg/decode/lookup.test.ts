import { describe, expect, test } from "vitest";
import { decodeChannel } from "../../../src/prtg/decode/channel.ts";
import { decodeLookup } from "../../../src/prtg/decode/lookup.ts";
import { noProblems } from "../../../src/prtg/decode/values.ts";
import type { LookupDefinition } from "../../../src/prtg/records.ts";

describe("lookup of a channel", () => {
  const LOOKUP_UNIT = { unittype: "VALUE_LOOKUP" };

  test.each([
    // The requested section.
    { record: { values: { lookup: "acme.door" } }, lookup: "acme.door" },
    { record: { values: { lookupid: " acme.door " } }, lookup: "acme.door" },
    { record: { values: { lookup_id: 17 } }, lookup: "17" },
    { record: { values: { lookupdefinitionid: "acme.door" } }, lookup: "acme.door" },
    { record: { values: { valuelookup: "acme.door|Rack Door" } }, lookup: "acme.door" },
    { record: { values: { lookupname: "Rack Door" } }, lookup: "Rack Door" },
    { record: { values: { lookup_name: "Rack Door", lookup: null } }, lookup: "Rack Door" },
    { record: { values: { lookup: "acme.door", lookupname: "Rack Door" } }, lookup: "acme.door" },
    { record: { values: { lookup: "none", lookupname: "Rack Door" } }, lookup: "Rack Door" },
    { record: { values: { lookup: { id: "acme.door", name: "Rack Door", href: "restricted" } } }, lookup: "acme.door" },
    { record: { values: { lookup: { name: "Rack Door" } } }, lookup: "Rack Door" },
    { record: { values: { unit: "#" }, basic: { lookup: "acme.door" } }, lookup: "acme.door" },
    // Unrequested sections with a lookup unit type.
    { record: { basic: { ...LOOKUP_UNIT, lookup: "acme.door" } }, lookup: "acme.door" },
    { record: { basic: LOOKUP_UNIT, lookupdefinitionid: "acme.door" }, lookup: "acme.door" },
    { record: { unit: { type: "VALUE_LOOKUP", lookup: "acme.door" } }, lookup: "acme.door" },
    // None.
    { record: { values: {} }, lookup: "" },
    { record: { values: { lookup: "" } }, lookup: "" },
    { record: { values: { lookup: null } }, lookup: "" },
    { record: { values: { lookup: "None" } }, lookup: "" },
    { record: { values: { lookup: 0 } }, lookup: "" },
    { record: { values: {}, basic: LOOKUP_UNIT }, lookup: "" },
    { record: { name: "Door Lookup acme.door", values: { unit: "acme.door" } }, lookup: "" },
    // Not stated.
    { record: {}, lookup: undefined },
    { record: { basic: LOOKUP_UNIT }, lookup: undefined },
    { record: { basic: { unittype: "PERCENT", lookup: "acme.door" } }, lookup: undefined },
    { record: { values: "acme.door" }, lookup: undefined },
  ])("$record gives $lookup", ({ record, lookup }) => {
    const problems = noProblems();
    expect(decodeChannel({ id: "1.0", ...record }, problems)?.lookup).toBe(lookup);
    expect(problems).toEqual(noProblems());
  });

  test.each([{ lookup: true }, { lookup: ["acme.door"] }, { lookup: {} }])(
    "%j gives none and counts as a problem",
    (values) => {
      const problems = noProblems();
      expect(decodeChannel({ id: "1.0", values }, problems)?.lookup).toBe("");
      expect(problems).toEqual({ ...noProblems(), lookup: 1 });
    },
  );
});

function entriesOf(record: object): { entries: LookupDefinition["entries"] | undefined; problems: number } {
  const problems = noProblems();
  const entries = decodeLookup({ id: "acme.door", name: "Rack Door", ...record }, problems)?.entries;
  return { entries, problems: problems.lookup };
}

describe("lookup definition", () => {
  test("has an id, a name and entries", () => {
    const problems = noProblems();
    const record = {
      id: "acme.door",
      name: "Rack Door",
      href: "/api/v2/lookup-definitions/acme.door",
      lookup_type: "single",
      desired_value: 0,
      values: [{ value: 0, text: "Closed", state: "ok" }],
    };
    expect(decodeLookup(record, problems)).toEqual({
      id: "acme.door",
      name: "Rack Door",
      entries: [{ kind: "range", from: 0, to: 0, text: "Closed" }],
    });
    expect(decodeLookup({ id: 5, values: [] }, problems)).toEqual({ id: "5", name: "", entries: [] });
    expect(problems).toEqual(noProblems());
  });

  test.each([
    { record: { id: "acme.door", name: "Rack Door" }, name: "Rack Door" },
    { record: { id: "acme.door", values: {} }, name: "" },
    { record: { id: "acme.door", name: 5, values: "Closed" }, name: "5" },
  ])("without a list of entries has its name and a problem: $record", ({ record, name }) => {
    const problems = noProblems();
    expect(decodeLookup(record, problems)).toEqual({ id: "acme.door", name, entries: [] });
    expect(problems).toEqual({ ...noProblems(), lookup: 1 });
  });

  test.each([null, "acme.door", [], {}, { id: "" }, { id: true }, { name: "Rack Door", values: [] }])(
    "counts as skipped without an id (%j)",
    (record) => {
      const problems = noProblems();
      expect(decodeLookup(record, problems)).toBeUndefined();
      expect(problems).toEqual({ ...noProblems(), record: 1 });
    },
  );

  const value = (from: number, to = from) => [{ kind: "range", from, to, text: "x" }];
  test.each([
    { record: { lookup_type: "single", values: [{ value: 3, text: "x" }] }, entries: value(3) },
    { record: { lookup_type: "single", values: [{ value: "3", text: "x", to: null }] }, entries: value(3) },
    { record: { lookup_type: "boolean", values: [{ value: true, text: "x" }] }, entries: value(1) },
    { record: { lookuptype: "Boolean", values: [{ value: false, text: "x" }] }, entries: value(0) },
    { record: { lookup_type: "range", values: [{ value: 3, to: 9, text: "x" }] }, entries: value(3, 9) },
    { record: { lookup_type: "RANGE", values: [{ from: -1.5, to: "9", text: "x" }] }, entries: value(-1.5, 9) },
    { record: { lookup_type: "range", values: [{ value: 3, text: "x" }] }, entries: value(3) },
    {
      record: { lookup_type: "bitfield", values: [{ value: 4, text: "x" }] },
      entries: [{ kind: "bits", bits: 4, text: "x" }],
    },
    // As in the product's files.
    { record: { entries: [{ type: "SingleInt", value: 3, label: "x" }] }, entries: value(3) },
    { record: { lookups: [{ type: "Range", from: 3, to: 9, text: "x" }] }, entries: value(3, 9) },
    {
      record: { type: "BIT_FIELD", items: [{ value: "4", name: "x" }] },
      entries: [{ kind: "bits", bits: 4, text: "x" }],
    },
    // The object's kind is not the lookup's type.
    { record: { type: "LOOKUP_DEFINITION", values: [{ value: 3, value_to: 9, text: "x" }] }, entries: value(3, 9) },
    { record: { values: [{ value: 3, text: "x" }] }, entries: value(3) },
  ])("$record", ({ record, entries }) => {
    expect(entriesOf(record)).toEqual({ entries, problems: 0 });
  });

  test.each([
    [{ values: [{ value: 1, text: "" }] }],
    [{ values: [{ value: 1 }] }],
    [{ values: [{ value: 1, text: ["x"] }] }],
    [{ values: [{ text: "x" }] }],
    [{ values: [{ value: "one", text: "x" }] }],
    [{ values: [{ value: 3, to: 2, text: "x" }] }],
    [{ values: [{ value: 3, to: "many", text: "x" }] }],
    [{ values: ["x"] }],
    [{ values: [null] }],
    [{ lookup_type: "bitfield", values: [{ value: -1, text: "x" }] }],
    [{ lookup_type: "bitfield", values: [{ value: 0.5, text: "x" }] }],
    [{ lookup_type: "string", values: [{ value: 1, text: "x" }] }],
    [{ lookup_type: 7, values: [{ value: 1, text: "x" }] }],
    [{ values: [{ type: "Regex", value: 1, text: "x" }] }],
    [{ values: { 0: "x" } }],
    [{}],
  ])("%j has no readable entry and counts as a problem", (record) => {
    expect(entriesOf(record)).toEqual({ entries: [], problems: 1 });
  });

  test("keeps readable entries next to unreadable ones", () => {
    const values = [{ value: 1, text: "Open" }, null, { value: 2, text: "Ajar" }];
    const { entries, problems } = entriesOf({ values });
    expect(entries?.map(({ text }) => text)).toEqual(["Open", "Ajar"]);
    expect(problems).toBe(1);
  });
});
