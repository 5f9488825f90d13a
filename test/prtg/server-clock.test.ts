import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { ServerClock } from "../../src/prtg/server-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const YEAR_9999 = Date.parse("Fri, 31 Dec 9999 23:59:59 GMT");

/** `Date`s in whole seconds. */
function heardServer() {
  const clock = new ManualClock();
  const log: { readonly level: number; readonly msg: string }[] = [];
  const server = new ServerClock(clock, pino({}, { write: (line: string) => void log.push(JSON.parse(line)) }));
  const whole = (at: number): number => Math.floor(at / SECOND) * SECOND;
  return {
    clock,
    log,
    server,
    answer: (aheadMs: number) => server.update(whole(clock.now() + aheadMs)),
    async answers(aheadMs: number, forMs: number, everyMs = 15 * SECOND) {
      for (let passed = 0; passed < forMs; passed += everyMs) {
        server.update(whole(clock.now() + aheadMs));
        await clock.advance(everyMs);
      }
    },
    /** Expects the offset within a second. */
    isAhead: (aheadMs: number) => expect(Math.abs(server.offsetMs - aheadMs)).toBeLessThanOrEqual(SECOND),
  };
}

describe("first answers", () => {
  test.each([-20 * MINUTE, 2 * HOUR, -400 * 24 * HOUR])("set the offset once three agree, %i ms", (ahead) => {
    const observed = heardServer();
    observed.isAhead(0);
    observed.answer(ahead);
    observed.answer(ahead);
    observed.isAhead(0);
    expect(observed.server.isInDoubt).toBe(true);
    observed.answer(ahead);
    observed.isAhead(ahead);
    expect(observed.server.isInDoubt).toBe(false);
    expect(observed.log).toMatchObject([{ level: 30 }]);
    expect(observed.log[0]?.msg).toMatch(/^the server's clock is \d+ s (behind|ahead of) the exporter's$/);
  });

  test.each([-2 * HOUR, 2 * HOUR])("can be wrong, and count for nothing if the next one is right, %i ms", (wrong) => {
    const observed = heardServer();
    observed.answer(wrong);
    observed.isAhead(0);
    observed.answer(0);
    expect(observed.server.isInDoubt).toBe(false);
    observed.answer(wrong);
    observed.answer(wrong);
    observed.answer(wrong);
    observed.isAhead(0);
    expect(observed.log).toEqual([]);
  });

  test("can be wrong if the server's clock differs from ours", () => {
    const observed = heardServer();
    observed.answer(3 * HOUR);
    for (let count = 0; count < 3; count++) observed.answer(-20 * MINUTE);
    observed.isAhead(-20 * MINUTE);
  });

  test("can lack the header, and then our clock counts, also after a change", () => {
    const observed = heardServer();
    observed.server.update(undefined);
    observed.clock.setWallClock(observed.clock.now() + HOUR);
    expect(observed.server.offsetMs).toBe(0);
    expect(observed.server.now()).toBe(observed.clock.now());
  });
});

describe("known clock", () => {
  test.each([-2 * HOUR, 2 * HOUR])("ignores wrong answers among right ones, %i ms", async (wrong) => {
    const observed = heardServer();
    await observed.answers(0, MINUTE);
    for (let minute = 0; minute < 60; minute++) {
      // A list of 40 wrong pages.
      for (let page = 0; page < 40; page++) {
        observed.answer(wrong);
        await observed.clock.advance(SECOND);
        observed.isAhead(0);
      }
      observed.answer(0);
      await observed.clock.advance(20 * SECOND);
    }
    expect(observed.log).toEqual([]);
  });

  test("ignores the year 9999 and stale cached answers, with rare log lines", async () => {
    const observed = heardServer();
    await observed.answers(0, MINUTE);
    const stored = observed.clock.now();
    for (let poll = 0; poll < 20; poll++) {
      observed.server.update(poll % 2 === 0 ? YEAR_9999 : stored);
      observed.isAhead(0);
      await observed.clock.advance(15 * SECOND);
    }
    // No two consecutive dates show a running clock.
    expect(observed.log).toEqual([]);
  });

  test("follows drift immediately without a log line", async () => {
    const observed = heardServer();
    for (let ahead = 0; ahead < 10 * MINUTE; ahead += 2 * SECOND) await observed.answers(ahead, 15 * SECOND);
    observed.isAhead(10 * MINUTE - 2 * SECOND);
    expect(observed.log).toEqual([]);
  });

  test.each([-2 * HOUR, 2 * HOUR, -10 * SECOND])(
    "jumps if all answers of a minute agree, with a log line, %i ms",
    async (jump) => {
      const observed = heardServer();
      await observed.answers(0, 5 * MINUTE);
      await observed.answers(jump, MINUTE);
      observed.isAhead(0);
      expect(observed.server.isInDoubt).toBe(true);
      observed.answer(jump);
      observed.isAhead(jump);
      expect(observed.server.isInDoubt).toBe(false);
      expect(observed.log).toMatchObject([{ level: 40, msg: expect.stringContaining("the server's clock jumped") }]);
    },
  );

  test("jumps with the first answer of the next poll if polls are rare", async () => {
    const observed = heardServer();
    for (let count = 0; count < 3; count++) observed.answer(0);
    await observed.clock.advance(24 * HOUR);
    for (let count = 0; count < 3; count++) observed.answer(2 * HOUR);
    observed.isAhead(0);
    await observed.clock.advance(24 * HOUR);
    observed.answer(2 * HOUR);
    observed.isAhead(2 * HOUR);
  });

  test("stays if our clock changes", async () => {
    const observed = heardServer();
    await observed.answers(0, MINUTE);
    const before = observed.server.now();
    observed.clock.setWallClock(observed.clock.now() - HOUR);
    expect(observed.server.now()).toBe(before);
    observed.isAhead(HOUR);
    observed.answer(HOUR);
    observed.isAhead(HOUR);
    expect(observed.server.isInDoubt).toBe(false);
    expect(observed.log).toEqual([]);
  });

  test("is correct after the machine slept, when the monotonic clock stops", async () => {
    const observed = heardServer();
    await observed.answers(0, MINUTE);
    observed.clock.setWallClock(observed.clock.now() + 8 * HOUR);
    observed.answer(0);
    observed.isAhead(0);
    expect(observed.server.isInDoubt).toBe(false);
  });

  test("logs repeated jumps every ten minutes", async () => {
    const observed = heardServer();
    await observed.answers(0, MINUTE);
    for (let minute = 0; minute < 60; minute++) await observed.answers(minute * HOUR, MINUTE, 5 * SECOND);
    expect(observed.log.length).toBeGreaterThan(2);
    expect(observed.log.length).toBeLessThanOrEqual(7);
  });
});
