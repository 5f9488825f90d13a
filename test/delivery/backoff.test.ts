import { expect, test } from "vitest";
import { Backoff } from "../../src/delivery/delivery-loop.ts";
import { ManualClock } from "../support/manual-clock.ts";

test.each([
  { failures: 1, retryAfterMs: undefined, random: 0, ms: 500, requestedMs: undefined },
  { failures: 4, retryAfterMs: undefined, random: 0.5, ms: 6_000, requestedMs: undefined },
  { failures: 41, retryAfterMs: undefined, random: 0.5, ms: 45_000, requestedMs: undefined },
  { failures: 6, retryAfterMs: 7_000, random: 0, ms: 7_000, requestedMs: 7_000 },
  { failures: 1, retryAfterMs: 0, random: 0.5, ms: 500, requestedMs: 0 },
  { failures: 1, retryAfterMs: 86_400_000, random: 0.5, ms: 900_500, requestedMs: 900_000 },
])(
  "the pause after failure $failures and a request for $retryAfterMs ms is $ms ms",
  ({ failures, retryAfterMs, random, ms, requestedMs }) => {
    const backoff = new Backoff({ clock: new ManualClock(), random: () => random });
    for (let before = 1; before < failures; before++) backoff.failed(undefined);
    expect(backoff.failed(retryAfterMs)).toMatchObject({ ms, requestedMs, failures });
  },
);

test("an outage is worth a log line at its start, after ten minutes, and at its end", async () => {
  const clock = new ManualClock();
  const backoff = new Backoff({ clock, random: () => 1 });
  const news: number[] = [];
  for (let minute = 0; minute < 25; minute++) {
    if (backoff.failed(undefined).isNews) news.push(minute);
    await clock.advance(60_000);
  }
  expect(news).toEqual([0, 10, 20]);
  expect([backoff.recovered(), backoff.recovered()]).toEqual([25, 0]);
  expect(backoff.failed(undefined)).toMatchObject({ ms: 1_000, failures: 1, isNews: true });
});

test("a receiver that accepts some of the data ends the pauses, but not the outage in the log", () => {
  const backoff = new Backoff({ clock: new ManualClock(), random: () => 1 });
  expect(backoff.failed(undefined)).toMatchObject({ ms: 1_000, isNews: true });
  backoff.accepted();
  expect(backoff.failed(undefined)).toMatchObject({ ms: 1_000, failures: 1, isNews: false });
  expect(backoff.recovered()).toBe(2);
});
