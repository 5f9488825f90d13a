import { describe, expect, test } from "vitest";
import { maxOverdue } from "../../src/lib/bounded-files.ts";

describe("maxOverdue", () => {
  test.each([
    [undefined, 2],
    ["64", 16],
    ["7", 2],
    ["1", 2],
    ["many", 2],
  ])("UV_THREADPOOL_SIZE %s: %i", (threads, expected) => {
    expect(maxOverdue(threads)).toBe(expected);
  });
});
