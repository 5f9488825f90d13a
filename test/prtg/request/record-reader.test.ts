import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_DEPTH } from "../../../src/prtg/answer-bounds.ts";
import { RecordReader } from "../../../src/prtg/request/record-reader.ts";
import { runs } from "../../support/runs.ts";
import { pickMembers } from "../pick-members.ts";

const MEMBERS = { id: true, name: true, parent: { id: true, name: true }, values: true, va: true } as const;
const NAMES = ["id", "name", "parent", "values", "va", "v", "href", "is", "nam", "names", ""];

const read = (json: string | Buffer) => new RecordReader(MEMBERS).read(Buffer.from(json));
const pickAll = (records: unknown) =>
  Array.isArray(records) ? records.map((record) => pickMembers(record, MEMBERS)) : records;

/** Similar values, so that some follow each other. */
const scalar = fc.oneof(
  fc.constantFrom<unknown>(1, 12, 0, -0, 1e21, 1e-7, "1", "12", "", "a", "ab", true, false, null),
  fc.constantFrom("°C", "😀", "\u0000", '"', "\\", '},{"id":', "\u2028", "\ud800"),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
);
const object = (value: fc.Arbitrary<unknown>) => fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 6 });
const record = object(fc.oneof(scalar, object(scalar), fc.array(scalar, { maxLength: 3 }), fc.jsonValue()));
const list = fc.array(record, { minLength: 1, maxLength: 8 });

test("records have the members that were asked for, as JSON.parse reads them", () => {
  fc.assert(
    fc.property(list, (records) => {
      const json = JSON.stringify(records);
      const found = read(json);
      // Names of members in `fc.jsonValue` may have escapes.
      if (found !== undefined) expect(found).toEqual(pickAll(JSON.parse(json)));
    }),
    { numRuns: runs(1_000) },
  );
});

test("the reader takes each list with plain names", () => {
  const plain = fc.array(object(fc.oneof(scalar, object(scalar), fc.array(object(scalar)))), { minLength: 1 });
  fc.assert(
    fc.property(plain, (records) => {
      const json = JSON.stringify(records);
      expect(read(json)).toEqual(pickAll(JSON.parse(json)));
    }),
    { numRuns: runs(500) },
  );
});

test("the reader takes no list that JSON.parse refuses, and no other value", () => {
  const change = fc.oneof(
    fc.constantFrom(...[...'"\\[]{},:-+.0e \u0000'].map((character) => Buffer.from(character))),
    fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(list, fc.nat(), fc.nat(2), change, (records, position, removed, inserted) => {
      const json = Buffer.from(JSON.stringify(records));
      const at = position % json.length;
      const changed = Buffer.concat([json.subarray(0, at), inserted, json.subarray(at + removed)]);
      const found = read(changed);
      if (found !== undefined) expect(found).toEqual(pickAll(JSON.parse(changed.toString("utf8"))));
    }),
    { numRuns: runs(3_000) },
  );
});

describe("JSON.parse reads", () => {
  test.each([
    { what: "an empty list", json: "[]" },
    { what: "no list", json: '{"id":1}' },
    { what: "rows", json: '[["id"]]' },
    { what: "numbers", json: "[1]" },
    { what: "space before a record", json: '[ {"id":1}]' },
    { what: "space behind a record", json: '[{"id":1} ]' },
    { what: "space behind a name", json: '[{"id" :1}]' },
    { what: "space before a value", json: '[{"id": 1}]' },
    { what: "space behind the list", json: '[{"id":1}]\n' },
    { what: "a name with escapes", json: '[{"\\u0069d":1}]' },
    { what: "a name that is not ASCII", json: '[{"é":1}]' },
    { what: "deep objects", json: `[{"x":${'{"x":'.repeat(MAX_DEPTH + 1)}1${"}".repeat(MAX_DEPTH + 1)}}]` },
    { what: "deep arrays", json: `[{"id":${"[".repeat(MAX_DEPTH + 1)}${"]".repeat(MAX_DEPTH + 1)}}]` },
  ])("$what", ({ json }) => {
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect(read(json)).toBeUndefined();
  });
});

describe.each(["id", "href"])("the member %s", (name) => {
  test.each([
    ..."01 1. .5 - +1 -a 1e 1e+ 1.e1 0x1 tru nul nullx NaN".split(" "),
    ...['"', '"\\x"', '"\\u12g4"', '"\t"', "'a'", "[1", "[1,]", "[,1]", "{1:2}", '{"a"}', '{"a":1,}', "}", "]", ""],
  ])("cannot be %j", (value) => {
    const json = `[{"${name}":${value}}]`;
    expect(() => JSON.parse(json) as unknown).toThrow(SyntaxError);
    expect(read(json)).toBeUndefined();
  });

  test.each([
    ..."0 -0 -1.5 10 1e5 1E-5 1.25e+3 true false null {} []".split(" "),
    ...['""', '"\\u00e9\\n"', '"é"', '"😀"', "[[],{}]", '{"a":[{"id":2}]}'],
  ])("can be %s", (value) => {
    const json = `[{"${name}":${value},"name":"a"}]`;
    expect(read(json)).toEqual(pickAll(JSON.parse(json)));
  });
});

test.each([
  { what: "members that occur twice", json: '[{"id":1,"id":2,"parent":{"id":1},"parent":{"name":"a"}}]' },
  { what: "a number that begins like the last one", json: '[{"id":1},{"id":12},{"id":1},{"id":1}]' },
  { what: "a text that begins like the last one", json: '[{"id":"1"},{"id":"12"},{"id":"1"}]' },
  { what: "the same objects", json: '[{"values":{"a":1}},{"values":{"a":1}},{"values":{"a":12}}]' },
  { what: "something else than an object", json: '[{"parent":[{"id":1}]},{"parent":"id"},{"parent":{"id":"id"}}]' },
  { what: "names of Object.prototype", json: '[{"constructor":1,"__proto__":{"id":1},"id":2}]' },
])("$what", ({ json }) => {
  expect(read(json)).toEqual(pickAll(JSON.parse(json)));
});

test("a reader forgets the last text", () => {
  const reader = new RecordReader(MEMBERS);
  expect(reader.read(Buffer.from('[{"id":"a"}]'))).toEqual([{ id: "a" }]);
  expect(reader.read(Buffer.from('[{"id":"b"}]'))).toEqual([{ id: "b" }]);
  expect(reader.read(Buffer.from('[{"id":'))).toBeUndefined();
  expect(reader.read(Buffer.from('[{"id":"c"}]'))).toEqual([{ id: "c" }]);
});
