import fc from "fast-check";
import { expect, test } from "vitest";
import { areSame } from "../../../src/prtg/request/same-bytes.ts";

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const text = fc.uint8Array({ minLength: 0, maxLength: 40, min: 1, max: 0x7e });

test("bytes are the same where each is", () => {
  fc.assert(
    fc.property(text, fc.nat(3), fc.nat(3), fc.option(fc.tuple(fc.nat(39), fc.nat(255))), (bytes, at, from, change) => {
      const one = Uint8Array.of(...Array.from({ length: at }, () => 7), ...bytes);
      const other = Uint8Array.of(...Array.from({ length: from }, () => 8), ...bytes, 9);
      const place = change === null || bytes.length === 0 ? undefined : change[0] % bytes.length;
      if (place !== undefined) one[at + place] = change?.[1] ?? 0;
      const isSame = place === undefined || one[at + place] === bytes[place];
      expect(areSame(view(one), at, view(other), from, bytes.length)).toBe(isSame);
    }),
    { numRuns: 2_000 },
  );
});

test("a text of zeros is none that has the sign of a number", () => {
  const one = view(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0x80));
  const other = view(Uint8Array.of(0x20, 0, 0, 0, 0, 0, 0, 0x80));
  expect(areSame(one, 0, other, 0, 8)).toBe(false);
});
