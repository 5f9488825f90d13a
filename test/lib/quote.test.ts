import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, quote } from "../../src/lib/printable-text.ts";

test.each([
  ["plain", '"plain"'],
  ['"', '"\\""'],
  ["a\nb", '"a\\nb"'],
  ["\u2028\u009b\u202e", '"\\u{2028}\\u{9b}\\u{202e}"'],
  ["é 漢 😀", '"é 漢 😀"'],
])("quote(%j)", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

test("quote returns one line without control characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(quote(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(printable(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test("quote keeps paths readable", () => {
  expect(printable("/run/secrets/prtg key")).toBe("/run/secrets/prtg key");
});
