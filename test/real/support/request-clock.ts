import { setImmediate as nextTurn } from "node:timers/promises";
import { ManualClock } from "../../support/manual-clock.ts";

/** Nothing else sleeps for so long: what does, waits for the answer to a request. */
export const REQUEST_TIMEOUT_MS = 29_017;
export const OTLP_TIMEOUT_MS = 29_019;
const TIMEOUTS = [REQUEST_TIMEOUT_MS, OTLP_TIMEOUT_MS];

/** Turns of the event loop in which nothing is under way, so that nothing more will happen until time passes. */
const QUIET_TURNS = 3;

/** Manual time that knows of the requests under way, if their timeouts are those above. */
export class RequestClock extends ManualClock {
  requests = 0;

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const isRequest = TIMEOUTS.includes(ms);
    if (isRequest) this.requests++;
    try {
      await super.sleep(ms, signal);
    } finally {
      if (isRequest) this.requests--;
    }
  }

  /** Goes from one sleeper to the next, and lets what each sets off end before time goes on: answers take no time. */
  async pass(ms: number): Promise<void> {
    const end = this.monotonic() + ms;
    await this.quiet();
    for (let left = ms; left > 0; left = end - this.monotonic()) {
      await this.advance(Math.min(left, this.pending[0] ?? left));
      await this.quiet();
    }
  }

  /** Lets time pass until the promise settles. */
  async until<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.quiet();
    while (!isSettled) {
      await this.advance(this.pending[0] ?? 0);
      await this.quiet();
    }
    return promise;
  }

  async quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      await nextTurn();
      if (this.requests > 0) turns = -1;
    }
  }
}
