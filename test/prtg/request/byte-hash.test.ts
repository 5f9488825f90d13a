import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteHash } from "../../../src/prtg/request/byte-hash.ts";

const TEXT = Buffer.from('{"id":"2490.1","name":"Traffic Total","basic":{"displayunit":"Mbit/s"}');

function hashOf(bytes: Buffer): readonly [low: number, high: number] {
  const hash = new ByteHash();
  hash.of(bytes, 0, bytes.length);
  return [hash.low, hash.high];
}

/** The text with these bits of 32-bit words turned over. */
function changed(changes: readonly { readonly word: number; readonly bits: number }[]): Buffer {
  const bytes = Buffer.from(TEXT);
  for (const { word, bits } of changes) bytes.writeInt32LE(bytes.readInt32LE(word * 4) ^ bits, word * 4);
  return bytes;
}

test("is the same for the same bytes, wherever they are", () => {
  const hash = new ByteHash();
  hash.of(Buffer.concat([Buffer.from("..."), TEXT, Buffer.from("...")]), 3, 3 + TEXT.length);
  expect([hash.low, hash.high]).toEqual(hashOf(TEXT));
});

test("is another one for bytes that differ in one or two places", () => {
  const words = Math.floor(TEXT.length / 4);
  const change = fc.record({ word: fc.nat(words - 1), bits: fc.integer() });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
      const bytes = changed(changes);
      fc.pre(!bytes.equals(TEXT));
      expect(hashOf(bytes)).not.toEqual(hashOf(TEXT));
    }),
  );
});

test.each([
  { what: "the highest bit and what it becomes by a rotation of 13", first: 1 << 31, second: 1 << 12 },
  { what: "one place", first: 0, second: 1 },
])("has no half that misses changes in $what", ({ first, second }) => {
  const [low, high] = hashOf(TEXT);
  const [otherLow, otherHigh] = hashOf(
    changed([
      { word: 3, bits: first },
      { word: 4, bits: second },
    ]),
  );
  expect([low === otherLow, high === otherHigh]).toEqual([false, false]);
});
