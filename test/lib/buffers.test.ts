import fc from "fast-check";
import { expect, test } from "vitest";
import { detach, mergeSmall } from "../../src/lib/buffers.ts";

const SMALL = 256 * 1_024;

test("few buffers keep the bytes, without copies of large ones", () => {
  const size = fc.oneof(fc.nat(200), fc.integer({ min: SMALL - 5_000, max: SMALL + 5_000 }));
  fc.assert(
    fc.property(fc.array(size, { maxLength: 30 }), (sizes) => {
      const buffers = sizes.map((length, index) => Buffer.alloc(length, index));
      const merged = mergeSmall(buffers);
      expect(Buffer.concat(merged).equals(Buffer.concat(buffers))).toBe(true);
      for (const buffer of buffers) if (buffer.length > SMALL) expect(merged).toContain(buffer);
      for (const [index, buffer] of merged.slice(1).entries()) {
        expect((merged[index]?.length ?? 0) + buffer.length).toBeGreaterThan(SMALL);
      }
    }),
    { numRuns: 50 },
  );
});

test("freeing affects only private memory", () => {
  const own = Buffer.allocUnsafeSlow(10);
  const numbers = new Int32Array(10);
  const shared = Buffer.from("shared with others");
  for (const each of [own, numbers, shared, own]) detach(each);
  expect([own.length, numbers.length]).toEqual([0, 0]);
  expect(String(shared)).toBe("shared with others");
});
