import { expect, test } from "vitest";
import { answerLimits, memoryForObjects } from "../../src/app/object-memory.ts";

const MB = 2 ** 20;
const LIMITS = {
  ...{ concurrency: 4, requestsPerSecond: 10, timeoutMs: 1, totalTimeoutMs: 2, listTimeoutMs: 3 },
  ...{ maxResponseBytes: 4, maxTextLength: 5, maxObjects: undefined, maxTextSize: undefined },
};

test.each([
  { heap: 0, expected: 0 },
  { heap: 32 * MB, expected: 0 },
  { heap: 132 * MB, expected: 70 * MB },
])("objects may take 70 % of what a heap of $heap bytes has beyond 32 MB: $expected", ({ heap, expected }) => {
  expect(memoryForObjects(heap)).toBeCloseTo(expected);
});

test.each([
  { heap: 1 * MB, maxObjects: 10_000 },
  { heap: 64 * MB, maxObjects: 65_536 },
  { heap: 64 * MB + 1_023, maxObjects: 65_536 },
  { heap: 4_096 * MB, maxObjects: 1_000_000 },
])("a heap of $heap bytes limits a list to $maxObjects objects", ({ heap, maxObjects }) => {
  const limits = answerLimits(LIMITS, heap);
  expect(limits).toMatchObject({ concurrency: 4, maxTextLength: 5, maxObjects, maxTextSize: 64 * maxObjects });
});

test("configured limits win", () => {
  expect(answerLimits({ ...LIMITS, maxObjects: 50 }, 64 * MB)).toMatchObject({ maxObjects: 50, maxTextSize: 3_200 });
  expect(answerLimits({ ...LIMITS, maxTextSize: 7 }, 64 * MB)).toMatchObject({ maxObjects: 65_536, maxTextSize: 7 });
});
