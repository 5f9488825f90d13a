import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { ServerClock } from "../../src/prtg/server-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const YEAR_9999 = Date.parse("Fri, 31 Dec 9999 23:59:59 GMT");

/** A server whose clock is this far from ours, heard at `Date`s in whole seconds. */
function heardServer() {
  const clock = new ManualClock();
  const log: { readonly level: number; readonly msg: string }[] = [];
  const server = new ServerClock(clock, pino({}, { write: (line: string) => void log.push(JSON.parse(line)) }));
  const whole = (at: number): number => Math.floor(at / SECOND) * SECOND;
  return {
    clock,
    log,
    server,
    /** An answer of a server that is so far ahead of ours. */
    answer: (aheadMs: number) => server.heard(whole(clock.now() + aheadMs)),
    /** An answer every so often for so long. */
    async answers(aheadMs: number, forMs: number, everyMs = 15 * SECOND) {
      for (let passed = 0; passed < forMs; passed += everyMs) {
        server.heard(whole(clock.now() + aheadMs));
        await clock.advance(everyMs);
      }
    },
    /** Within a second of this far ahead of our wall clock. */
    isAhead: (aheadMs: number) => expect(Math.abs(server.offsetMs - aheadMs)).toBeLessThanOrEqual(SECOND),
  };
}

describe("the first answers", () => {
  it.each([-20 * MINUTE, 2 * HOUR, -400 * 24 * HOUR])(
    "tell how far ahead the server is as soon as three agree, %i ms",
    (ahead) => {
      const it = heardServer();
      it.isAhead(0);
      it.answer(ahead);
      it.answer(ahead);
      it.isAhead(0);
      expect(it.server.isInDoubt).toBe(true);
      it.answer(ahead);
      it.isAhead(ahead);
      expect(it.server.isInDoubt).toBe(false);
      expect(it.log).toMatchObject([{ level: 30 }]);
      expect(it.log[0]?.msg).toMatch(/^the server's clock is \d+ s (behind|ahead of) ours$/);
    },
  );

  it.each([-2 * HOUR, 2 * HOUR])("may be wrong, and count for nothing when the next one is right, %i ms", (wrong) => {
    const it = heardServer();
    it.answer(wrong);
    it.isAhead(0);
    it.answer(0);
    expect(it.server.isInDoubt).toBe(false);
    it.answer(wrong);
    it.answer(wrong);
    it.answer(wrong);
    it.isAhead(0);
    expect(it.log).toEqual([]);
  });

  it("may be wrong where the server's clock is not ours either", () => {
    const it = heardServer();
    it.answer(3 * HOUR);
    for (let count = 0; count < 3; count++) it.answer(-20 * MINUTE);
    it.isAhead(-20 * MINUTE);
  });

  it("may lack the header: then our clock counts, also after it was set", () => {
    const it = heardServer();
    it.server.heard(undefined);
    it.clock.setWallClock(it.clock.now() + HOUR);
    expect(it.server.offsetMs).toBe(0);
    expect(it.server.now()).toBe(it.clock.now());
  });
});

describe("a clock that is known", () => {
  it.each([-2 * HOUR, 2 * HOUR])("is not moved by wrong answers while others are right, %i ms", async (wrong) => {
    const it = heardServer();
    await it.answers(0, MINUTE);
    for (let minute = 0; minute < 60; minute++) {
      // A whole list of 40 pages, each of them wrong.
      for (let page = 0; page < 40; page++) {
        it.answer(wrong);
        await it.clock.advance(SECOND);
        it.isAhead(0);
      }
      it.answer(0);
      await it.clock.advance(20 * SECOND);
    }
    expect(it.log).toEqual([]);
  });

  it("is not moved by the year 9999, nor by an answer out of a cache that shows no age, told now and then", async () => {
    const it = heardServer();
    await it.answers(0, MINUTE);
    const stored = it.clock.now();
    for (let poll = 0; poll < 20; poll++) {
      it.server.heard(poll % 2 === 0 ? YEAR_9999 : stored);
      it.isAhead(0);
      await it.clock.advance(15 * SECOND);
    }
    // No two in a row told of a clock that goes on.
    expect(it.log).toEqual([]);
  });

  it("follows drift at once, without a line", async () => {
    const it = heardServer();
    for (let ahead = 0; ahead < 10 * MINUTE; ahead += 2 * SECOND) await it.answers(ahead, 15 * SECOND);
    it.isAhead(10 * MINUTE - 2 * SECOND);
    expect(it.log).toEqual([]);
  });

  it.each([-2 * HOUR, 2 * HOUR, -10 * SECOND])(
    "jumps when all answers of a minute say so, and tells, %i ms",
    async (jump) => {
      const it = heardServer();
      await it.answers(0, 5 * MINUTE);
      await it.answers(jump, MINUTE);
      it.isAhead(0);
      expect(it.server.isInDoubt).toBe(true);
      it.answer(jump);
      it.isAhead(jump);
      expect(it.server.isInDoubt).toBe(false);
      expect(it.log).toMatchObject([{ level: 40, msg: expect.stringContaining("the server's clock jumped") }]);
    },
  );

  it("jumps with the first answer of the next poll where polls are rare", async () => {
    const it = heardServer();
    for (let count = 0; count < 3; count++) it.answer(0);
    await it.clock.advance(24 * HOUR);
    for (let count = 0; count < 3; count++) it.answer(2 * HOUR);
    it.isAhead(0);
    await it.clock.advance(24 * HOUR);
    it.answer(2 * HOUR);
    it.isAhead(2 * HOUR);
  });

  it("does not go with ours when that is set", async () => {
    const it = heardServer();
    await it.answers(0, MINUTE);
    const before = it.server.now();
    it.clock.setWallClock(it.clock.now() - HOUR);
    expect(it.server.now()).toBe(before);
    it.isAhead(HOUR);
    it.answer(HOUR);
    it.isAhead(HOUR);
    expect(it.server.isInDoubt).toBe(false);
    expect(it.log).toEqual([]);
  });

  it("is right at once after the machine slept, in which the monotonic clock stands still", async () => {
    const it = heardServer();
    await it.answers(0, MINUTE);
    it.clock.setWallClock(it.clock.now() + 8 * HOUR);
    it.answer(0);
    it.isAhead(0);
    expect(it.server.isInDoubt).toBe(false);
  });

  it("logs a clock that jumps on and on every ten minutes", async () => {
    const it = heardServer();
    await it.answers(0, MINUTE);
    for (let minute = 0; minute < 60; minute++) await it.answers(minute * HOUR, MINUTE, 5 * SECOND);
    expect(it.log.length).toBeGreaterThan(2);
    expect(it.log.length).toBeLessThanOrEqual(7);
  });
});
