import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeSmall } from "../../src/lib/buffers.ts";

const SMALL = 256 * 1_024;

test("keeps the bytes, in few buffers that are not copied where they are large", () => {
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
