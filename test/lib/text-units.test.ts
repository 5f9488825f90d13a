import fc from "fast-check";
import { expect, test } from "vitest";
import { codeUnitAt, FNV_BASIS, fnv1a } from "../../src/lib/text-units.ts";

test("codeUnitAt matches charCodeAt for all string representations", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, index) => {
      for (const form of [text, `${text}${index}`, `<${text}>`.slice(1, -1), Object.keys({ [text]: 0 })[0] ?? ""]) {
        expect(codeUnitAt(form, index)).toBe(form.charCodeAt(index));
      }
    }),
  );
});

// ASCII: http://www.isthe.com/chongo/tech/comp/fnv/ (FNV-1a, 32 bits).
test.each([
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
])("the hash of %j matches the published one", (text, hash) => {
  expect(fnv1a(text, FNV_BASIS) >>> 0).toBe(hash);
});

test("a hash continues from another one", () => {
  expect(fnv1a("bar", fnv1a("foo", FNV_BASIS))).toBe(fnv1a("foobar", FNV_BASIS));
});
