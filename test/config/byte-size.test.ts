import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatByteSize, parseByteSize } from "../../src/config/quantities.ts";

describe("parseByteSize", () => {
  test.each([
    ["0B", 0],
    ["512B", 512],
    ["1kB", 1_000],
    ["1KB", 1_000],
    ["1KiB", 1_024],
    ["64MiB", 67_108_864],
    ["64 MiB", 67_108_864],
    ["16MB", 16_000_000],
    ["1.5GB", 1_500_000_000],
    ["1GiB", 1_073_741_824],
  ])("reads %s", (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  test.each(["", "64", "64M", "64Mib", "-1B", "1e3B", ".5MiB", "64  MiB", "9999999999GiB"])("rejects %j", (text) => {
    expect(parseByteSize(text)).toBeUndefined();
  });

  test("reads the output of formatByteSize", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.constantFrom(1, 1024, 1024 ** 2, 1024 ** 3), (count, unit) => {
        const bytes = Math.floor(count / unit) * unit;
        expect(parseByteSize(formatByteSize(bytes))).toBe(bytes);
      }),
    );
  });
});
