import { expect, test } from "vitest";
import { receiverPause } from "../../src/sync/push-loop.ts";

test.each([
  { failuresBefore: 0, retryAfterMs: undefined, random: 0, ms: 500, requestedMs: undefined },
  { failuresBefore: 3, retryAfterMs: undefined, random: 0.5, ms: 6_000, requestedMs: undefined },
  { failuresBefore: 40, retryAfterMs: undefined, random: 0.5, ms: 45_000, requestedMs: undefined },
  { failuresBefore: 5, retryAfterMs: 7_000, random: 0, ms: 7_000, requestedMs: 7_000 },
  { failuresBefore: 0, retryAfterMs: 0, random: 0.5, ms: 500, requestedMs: 0 },
  { failuresBefore: 0, retryAfterMs: 86_400_000, random: 0.5, ms: 900_500, requestedMs: 900_000 },
])(
  "the wait after $failuresBefore failures and a request for $retryAfterMs ms is $ms ms",
  ({ random, ms, requestedMs, ...failed }) => {
    expect(receiverPause({ ...failed, random: () => random })).toEqual({ ms, requestedMs });
  },
);
