import { expect, test } from "vitest";
import { ByteRate } from "../../src/otlp/receivers.ts";
import { ManualClock } from "../support/manual-clock.ts";

const REQUEST_BYTES = 500;

function setUp(bytesPerSecond: number) {
  const clock = new ManualClock();
  const rate = new ByteRate(clock);
  rate.limit(bytesPerSecond);
  /** The sender has unlimited data. */
  const historyIn = async (ms: number): Promise<number> => {
    let bytes = 0;
    for (const end = clock.monotonic() + ms; clock.monotonic() < end; ) {
      const waitMs = rate.takeTurn();
      if (waitMs > 0) await clock.advance(Math.min(waitMs, end - clock.monotonic()));
      else {
        rate.count(REQUEST_BYTES);
        bytes += REQUEST_BYTES;
      }
    }
    return bytes;
  };
  return { clock, rate, historyIn };
}

test("the rate spreads history over time", async () => {
  const { historyIn } = setUp(1_000);
  await historyIn(10_000);
  const bytes = await historyIn(60_000);
  expect(bytes).toBeGreaterThan(57_000);
  expect(bytes).toBeLessThan(63_000);
});

test("the rate counts urgent requests", async () => {
  const { clock, rate, historyIn } = setUp(1_000);
  await historyIn(10_000);
  let history = 0;
  for (let second = 0; second < 60; second++) {
    rate.count(700);
    history += await historyIn(1_000);
  }
  expect(history).toBeGreaterThan(15_000);
  expect(history).toBeLessThan(21_000);
  expect(clock.monotonic()).toBe(70_000);
});

test("history gets a turn every ten seconds if other requests take the whole rate", async () => {
  const { rate, historyIn } = setUp(1_000);
  let history = 0;
  for (let second = 0; second < 60; second++) {
    rate.count(5_000);
    history += await historyIn(1_000);
  }
  expect(history / REQUEST_BYTES).toBeGreaterThanOrEqual(5);
  expect(history / REQUEST_BYTES).toBeLessThanOrEqual(8);
});

test("credit of one second pays for other requests, so that history does not wait", async () => {
  const { clock, rate } = setUp(1_000);
  rate.count(900);
  expect(rate.takeTurn()).toBe(0);
  await clock.advance(60_000);
  rate.count(900);
  expect(rate.takeTurn()).toBe(0);
  await clock.advance(5_000);
  rate.count(1_100);
  expect(rate.takeTurn()).toBe(101);
});

test("one of many senders gets a turn", () => {
  const { rate } = setUp(1_000);
  rate.count(REQUEST_BYTES);
  const waits = Array.from({ length: 100 }, () => rate.takeTurn());
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(1);
});

test("0 means no limit", () => {
  const { rate } = setUp(0);
  for (let request = 0; request < 1_000; request++) {
    expect(rate.takeTurn()).toBe(0);
    rate.count(1e9);
  }
});
