import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { ManualClock } from "../../support/manual-clock.ts";

/** Without input, nothing more happens until time advances. */
const QUIET_TURNS = 4;
/** Real time in which the system of a busy machine delivers what is under way. */
const DELIVERY_MS = 10;

/** For real sockets in one process. Answers take no time. */
export class QuietClock extends ManualClock {
  /** A request is under way, perhaps to a server that never answers. */
  isWaiting: () => Promise<boolean> = async () => false;

  /** Advances from sleeper to sleeper and lets each one's work finish. */
  async pass(ms: number): Promise<void> {
    const end = this.monotonic() + ms;
    await this.#quiet();
    for (let left = ms; left > 0; left = end - this.monotonic()) {
      await this.advance(Math.min(left, this.pending[0] ?? left));
      await this.#quiet();
    }
  }

  async #quiet(): Promise<void> {
    for (let before = -1, events = await quiet(); events !== before; events = await quiet()) {
      if (!(await this.isWaiting())) return;
      before = events;
      await sleep(DELIVERY_MS);
    }
  }
}

/** No socket, file or thread activity. Resolves with the number of events so far. */
async function quiet(): Promise<number> {
  let seen = -1;
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await nextTurn();
    const { events } = performance.nodeTiming.uvMetricsInfo;
    if (events !== seen) turns = -1;
    seen = events;
  }
  return seen;
}
