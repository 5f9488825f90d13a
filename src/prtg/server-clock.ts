import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";

/** `Date` is cut to whole seconds: on average the truth lies half a second later. */
const MEAN_TRUNCATION_MS = 500;
/** Answers that differ by no more tell the same clock: it drifts, and answers take their time. */
const SAME_CLOCK_MS = 5_000;
/** Another clock than the one that is known counts when so many answers in a row tell it ... */
const ANSWERS_TO_AGREE = 3;
/** ... over this time, which is more than one list takes, and in which other endpoints are asked. */
const TIME_TO_AGREE_MS = 60_000;
/** A clock that jumps on and on is worth a line that often. */
const LOG_EVERY_MS = 10 * 60_000;
/** By how much clocks may differ without a line. */
const WORTH_A_LINE_MS = 60_000;

/** What a server's clock showed, and what ours showed then. */
interface Reading {
  readonly server: number;
  readonly wall: number;
  readonly monotonic: number;
}

/** Another clock than the one that is known, as answers in a row tell it. */
interface Doubt {
  readonly since: number;
  readonly answers: number;
  readonly last: number;
}

/**
 * The server's clock, from the `Date` headers of its answers. One wrong header moves nothing: it goes by the monotonic
 * clock from the last answer that agreed with it, and jumps only when every answer of a whole minute tells of another
 * clock. Until the first answers agree it is taken to be ours.
 */
export class ServerClock {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Undefined until known. */
  #known: Reading | undefined;
  #doubt: Doubt | undefined;
  readonly #jumps: LogOnChange;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.#jumps = new LogOnChange({ remindEveryMs: LOG_EVERY_MS, now: () => clock.monotonic() });
  }

  /** Milliseconds since the epoch, true to about half a second; our own clock until it is known. */
  now(): number {
    if (this.#known === undefined) return this.#clock.now();
    return this.#known.server + this.#clock.monotonic() - this.#known.monotonic;
  }

  /** Server's clock minus ours, milliseconds. */
  get offsetMs(): number {
    return this.now() - this.#clock.now();
  }

  /** The last answers tell of another clock, and it is not clear yet which one is right. */
  get isInDoubt(): boolean {
    return this.#doubt !== undefined;
  }

  /** To be called as soon as the head of a successful answer is there, with its `Date`. */
  heard(dateMs: number | undefined): void {
    if (dateMs === undefined) return;
    const server = dateMs + MEAN_TRUNCATION_MS;
    if (!this.#agrees(server) && !this.#isSure(server)) return;
    this.#doubt = undefined;
    this.#known = { server, wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
  }

  /** Our wall clock may have been set, and the monotonic one stands still while a machine sleeps: either may be right. */
  #agrees(server: number): boolean {
    const wall = this.#clock.now();
    const expected = [this.now(), this.#known === undefined ? wall : this.#known.server + wall - this.#known.wall];
    return expected.some((at) => Math.abs(server - at) <= SAME_CLOCK_MS);
  }

  /** Whether enough answers told of another clock, one that does not go back. */
  #isSure(server: number): boolean {
    const now = this.#clock.monotonic();
    const before = this.#doubt;
    const goesOn = before !== undefined && server >= before.last - SAME_CLOCK_MS;
    const { since, answers } = goesOn ? before : { since: now, answers: 0 };
    this.#doubt = { since, answers: answers + 1, last: server };
    const isFirst = this.#known === undefined;
    if (answers + 1 < ANSWERS_TO_AGREE || (!isFirst && now - since < TIME_TO_AGREE_MS)) return false;
    this.#logJump(server, isFirst);
    return true;
  }

  #logJump(server: number, isFirst: boolean): void {
    const aheadMs = server - this.#clock.now();
    const fields = { clock_offset_seconds: Math.round(aheadMs / 1_000) };
    const text = `${Math.abs(fields.clock_offset_seconds)} s ${aheadMs < 0 ? "behind" : "ahead of"} ours`;
    if (isFirst) {
      if (Math.abs(aheadMs) >= WORTH_A_LINE_MS) this.#log.info(fields, `the server's clock is ${text}`);
      return;
    }
    if (this.#jumps.record() === undefined) return;
    const byMs = server - this.now();
    const jump = `${Math.round(Math.abs(byMs) / 1_000)} s ${byMs < 0 ? "back" : "ahead"}`;
    this.#log.warn(fields, `the server's clock jumped ${jump}: by now it is ${text}`);
  }
}
