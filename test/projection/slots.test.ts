import fc from "fast-check";
import { expect, test } from "vitest";
import { Slots } from "../../src/projection/slots.ts";

test("has the slot that a row was given last", () => {
  const row = fc.oneof(fc.nat(40), fc.nat(3_000));
  const given = fc.array(fc.tuple(row, fc.integer({ min: Slots.NONE, max: 100 })));
  fc.assert(
    fc.property(given, row, (all, other) => {
      const slots = new Slots();
      const expected = new Map<number, number>();
      for (const [at, slot] of all) {
        slots.set(at, slot);
        expected.set(at, slot);
      }
      for (const [at, slot] of expected) expect(slots.of(at)).toBe(slot);
      expect(slots.of(other)).toBe(expected.get(other) ?? Slots.NONE);
    }),
  );
});

test("takes little memory where there are few rows, as there is one for each family of each server", () => {
  const before = process.memoryUsage().arrayBuffers;
  const all = Array.from({ length: 400 }, () => new Slots());
  for (const slots of all) for (let row = 0; row < 24; row++) slots.set(row, row);
  // 24 rows of 4 bytes, in arrays of 16 and 32.
  expect((process.memoryUsage().arrayBuffers - before) / all.length).toBeLessThan(256);
  expect(all.map((slots) => slots.of(23))).toEqual(all.map(() => 23));
});
