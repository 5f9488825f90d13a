import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { SimulatedTime } from "../src/simulated-time.ts";

const NOON = Date.UTC(2026, 2, 12, 12);

function running(options: { readonly startAt?: number; readonly speed?: number; readonly frozen?: boolean } = {}) {
  const clock = new ManualClock(NOON);
  const time = new SimulatedTime({ clock, ...options });
  time.start();
  return { clock, time };
}

describe("simulated time", () => {
  test("follows the wall clock and its jumps unless it has a start or speed", async () => {
    const { clock, time } = running();
    expect(time.now()).toBe(NOON);
    await clock.advance(1500);
    expect(time.now()).toBe(NOON + 1500);
    clock.setWallClock(NOON - 60_000);
    expect(time.now()).toBe(NOON - 60_000);
  });

  test("runs at its speed by the monotonic clock", async () => {
    const { clock, time } = running({ speed: 60 });
    await clock.advance(1000);
    expect(time.now()).toBe(NOON + 60_000);
    clock.setWallClock(0);
    expect(time.now()).toBe(NOON + 60_000);
    time.setSpeed(0.5);
    await clock.advance(1000);
    expect(time.now()).toBe(NOON + 60_500);
    expect(time.speed).toBe(0.5);
  });

  test("stays at its beginning until it starts", async () => {
    const clock = new ManualClock(NOON);
    const time = new SimulatedTime({ clock, startAt: 5000, speed: 10 });
    await clock.advance(700);
    expect(time.now()).toBe(5000);
    time.start();
    await clock.advance(100);
    expect(time.now()).toBe(6000);
  });

  test.each([{}, { startAt: NOON }, { speed: 60 }])("stands still from the beginning with %j", async (options) => {
    const { clock, time } = running({ ...options, frozen: true });
    await clock.advance(5000);
    expect([time.now(), time.frozen]).toEqual([NOON, true]);
    time.step(1000);
    expect(time.now()).toBe(NOON + 1000);
    time.resume();
    await clock.advance(1000);
    expect(time.now()).toBe(NOON + 1000 + 1000 * time.speed);
  });

  test("stops, steps and resumes", async () => {
    const { clock, time } = running({ startAt: 1000 });
    time.freeze();
    await clock.advance(5000);
    expect([time.now(), time.frozen]).toEqual([1000, true]);
    time.step(90_000);
    expect([time.now(), time.frozen]).toEqual([91_000, true]);
    time.setSpeed(2);
    expect(time.now()).toBe(91_000);
    time.resume();
    await clock.advance(1000);
    expect([time.now(), time.frozen]).toEqual([93_000, false]);
    time.resume();
    expect(time.now()).toBe(93_000);
  });

  test("continues at the wall clock after its release", async () => {
    const { clock, time } = running();
    time.freeze(NOON - 1);
    await clock.advance(2000);
    expect(time.now()).toBe(NOON - 1);
    time.release();
    expect(time.now()).toBe(NOON + 2000);
  });

  test("gives whole milliseconds", async () => {
    const { clock, time } = running({ speed: 0.3 });
    await clock.advance(1);
    expect(time.now()).toBe(NOON);
  });

  test.each([0, -1, 0.001, 86_401, Number.NaN, Infinity])("rejects the speed %d", (speed) => {
    expect(() => new SimulatedTime({ clock: new ManualClock(), speed })).toThrow(RangeError);
    const { time } = running();
    expect(() => time.setSpeed(speed)).toThrow("between 0.01 and 86400");
  });
});
