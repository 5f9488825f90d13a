import fc from "fast-check";
import { expect, test } from "vitest";
import { Slots } from "../../src/projection/projector.ts";

test("slots equal a map, whatever the order of the indexes", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(200), fc.option(fc.nat(1_000)))), (changes) => {
      const [slots, untouched] = [new Slots(), new Slots()];
      const expected = new Map<number, number>();
      for (const [index, slot] of changes) {
        if (slot === null) {
          slots.delete(index);
          expected.delete(index);
        } else {
          slots.set(index, slot);
          expected.set(index, slot);
        }
      }
      for (let index = 0; index <= 201; index++) {
        expect(slots.get(index)).toBe(expected.get(index));
        expect(untouched.get(index)).toBeUndefined();
      }
    }),
  );
});
