import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonValueReader, NO_VALUE } from "../../../src/prtg/request/json-value.ts";

const character = fc.constantFrom(
  "a",
  "b",
  " ",
  '"',
  "\\",
  "\n",
  "\0",
  "n",
  "\x1f",
  "\x7f",
  "\x80",
  "é",
  "\u2028",
  "\ud83d",
);
const text = fc.string({ unit: character, maxLength: 14 });
/** Also what is no JSON. */
const written = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  text.map((value) => `"${value}"`),
  fc.string({ unit: fc.constantFrom("a", '"', "\\", "n"), maxLength: 6 }),
);

/** Length of the first string that `JSON.parse` takes at the beginning; undefined where there is none. */
function stringLength(json: string): number | undefined {
  for (let end = json.indexOf('"', 1); end > 0; end = json.indexOf('"', end + 1)) {
    try {
      JSON.parse(json.slice(0, end + 1));
      return Buffer.byteLength(json.slice(0, end + 1));
    } catch {
      // The quote is one within the string.
    }
  }
  return undefined;
}

describe("a string", () => {
  test.each(["read", "skip"] as const)("ends where JSON.parse has it end (%s)", (how) => {
    const reader = new JsonValueReader();
    fc.assert(
      fc.property(fc.nat(5), written, fc.constantFrom("", ",", '"', ',"abc"'), (at, json, rest) => {
        const bytes = Buffer.from(`${"x".repeat(at)}${json}${rest}`);
        const whole = bytes.toString("utf8", at);
        if (!whole.startsWith('"')) return;
        const length = stringLength(whole);
        const after = reader[how](bytes, at, bytes.length);
        expect(after).toBe(length === undefined ? NO_VALUE : at + length);
        if (how === "read" && length !== undefined) {
          expect(reader.value).toBe(JSON.parse(bytes.toString("utf8", at, after)));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test.each(["read", "skip"] as const)("that ends behind the piece of the list is none (%s)", (how) => {
    const reader = new JsonValueReader();
    for (const json of ['""', '"abc"', '"abcdef"', '"abcdefgh"']) {
      const bytes = Buffer.from(`${json}  `);
      for (let end = 1; end < json.length; end++) expect(reader[how](bytes, 0, end)).toBe(NO_VALUE);
      expect(reader[how](bytes, 0, json.length)).toBe(json.length);
    }
  });

  test("is the same text where another one has the same hash", () => {
    const reader = new JsonValueReader();
    // More than there are places for.
    for (let number = 0; number < 10_000; number++) {
      const json = Buffer.from(JSON.stringify(`Channel ${number}`));
      reader.read(json, 0, json.length);
      expect(reader.value).toBe(`Channel ${number}`);
    }
  });
});
