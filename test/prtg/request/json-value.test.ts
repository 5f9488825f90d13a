import fc from "fast-check";
import { expect, test } from "vitest";
import { endOfSameText, JsonValueReader, NO_VALUE } from "../../../src/prtg/request/json-value.ts";

const PLAIN = /^[ !#-[\]-\x7f]*$/;
const character = fc.constantFrom("a", "b", " ", '"', "\\", "\n", "\0", "n", "\x7f", "é", "\ud83d");
const text = fc.string({ unit: character, maxLength: 6 });
/** Also what is no JSON. */
const written = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  text.map((value) => `"${value}"`),
  fc.string({ unit: fc.constantFrom("a", '"', "\\", "n"), maxLength: 6 }),
);

test("a text is the same where JSON.parse would give it, and its end is that of the string", () => {
  const reader = new JsonValueReader();
  fc.assert(
    fc.property(
      fc.nat(3),
      written,
      fc.constantFrom("", ",", '"'),
      text,
      fc.boolean(),
      (at, json, rest, other, isOwn) => {
        const bytes = Buffer.from(`${"x".repeat(at)}${json}${rest}`);
        const after = reader.read(bytes, at, bytes.length);
        const value = after === NO_VALUE ? undefined : reader.value;
        const last = isOwn && typeof value === "string" ? value : other;
        const isSame = value === last && PLAIN.test(last) && after - at === last.length + 2;
        expect(endOfSameText(bytes, at, bytes.length, last)).toBe(isSame ? after : NO_VALUE);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a string that ends behind the piece of the list is not read", () => {
  const bytes = Buffer.from('"abc"');
  expect(endOfSameText(bytes, 0, 5, "abc")).toBe(5);
  expect(endOfSameText(bytes, 0, 4, "abc")).toBe(NO_VALUE);
});
