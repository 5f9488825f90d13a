import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";

const MEAN_TRUNCATION_MS = 500;
const SAME_CLOCK_MS = 5_000;
const ANSWERS_TO_AGREE = 3;
/** ... for this time, which is longer than one list takes. */
const TIME_TO_AGREE_MS = 60_000;
/** For a clock that jumps again and again. */
const LOG_EVERY_MS = 10 * 60_000;
/** Smaller differences are not logged. */
const WORTH_A_LINE_MS = 60_000;

interface Reading {
  readonly server: number;
  readonly wall: number;
  readonly monotonic: number;
}

/** Successive answers with another clock. */
interface Doubt {
  readonly since: number;
  readonly answers: number;
  readonly last: number;
}

/**
 * The server's clock, from `Date` headers. One wrong header changes nothing: it continues by the monotonic clock, and
 * jumps only if all answers of a minute agree on another clock. Starts with our clock.
 */
export class ServerClock {
  readonly #clock: Clock;
  readonly #log: Logger;
  #known: Reading | undefined;
  #doubt: Doubt | undefined;
  readonly #jumps: LogOnChange;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.#jumps = new LogOnChange({ remindEveryMs: LOG_EVERY_MS, now: () => clock.monotonic() });
  }

  /** Milliseconds since the epoch, accurate to about half a second. */
  now(): number {
    if (this.#known === undefined) return this.#clock.now();
    return this.#known.server + this.#clock.monotonic() - this.#known.monotonic;
  }

  get offsetMs(): number {
    return this.now() - this.#clock.now();
  }

  /** The last answers disagree with the known clock. */
  get isInDoubt(): boolean {
    return this.#doubt !== undefined;
  }

  /** Call when the head of a successful answer arrives. */
  update(dateMs: number | undefined): void {
    if (dateMs === undefined) return;
    const server = dateMs + MEAN_TRUNCATION_MS;
    if (!this.#agrees(server) && !this.#isSure(server)) return;
    this.#doubt = undefined;
    this.#known = { server, wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
  }

  /** Our wall clock may have been set, and the monotonic clock stops while a machine sleeps. */
  #agrees(server: number): boolean {
    const wall = this.#clock.now();
    const expected = [this.now(), this.#known === undefined ? wall : this.#known.server + wall - this.#known.wall];
    return expected.some((at) => Math.abs(server - at) <= SAME_CLOCK_MS);
  }

  /** Whether enough answers agree on a clock that does not go back. */
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
    const text = `${Math.abs(fields.clock_offset_seconds)} s ${aheadMs < 0 ? "behind" : "ahead of"} the exporter's`;
    if (isFirst) {
      if (Math.abs(aheadMs) >= WORTH_A_LINE_MS) this.#log.info(fields, `the server's clock is ${text}`);
      return;
    }
    if (this.#jumps.record() === undefined) return;
    const byMs = server - this.now();
    const jump = `${Math.round(Math.abs(byMs) / 1_000)} s ${byMs < 0 ? "back" : "ahead"}`;
    this.#log.warn(fields, `the server's clock jumped ${jump}: it is now ${text}`);
  }
}
