import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { combineCrc32 } from "../../src/exposition/crc32-combine.ts";

it("gives the checksum of two sequences in a row", () => {
  const bytes = fc.uint8Array({ maxLength: 3_000 }).map((values) => Buffer.from(values));
  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      expect(combineCrc32(crc32(first), crc32(second), second.length)).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});

it("holds for long sequences", () => {
  const first = Buffer.alloc(5_000_001, "first");
  const second = Buffer.alloc(70_000_003, "second");
  expect(combineCrc32(crc32(first), crc32(second), second.length)).toBe(crc32(second, crc32(first)));
});
