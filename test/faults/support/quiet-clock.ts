import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ManualClock } from "../../support/manual-clock.ts";

/** Turns of the event loop without any input, after which nothing more happens until time passes. */
const QUIET_TURNS = 4;

/** Manual time for programs that talk over real sockets, in one process: answers take no time, whatever is held up. */
export class QuietClock extends ManualClock {
  /** Lets time pass: goes from one sleeper to the next, and lets what each sets off end before time goes on. */
  async pass(ms: number): Promise<void> {
    const end = this.monotonic() + ms;
    await quiet();
    for (let left = ms; left > 0; left = end - this.monotonic()) {
      await this.advance(Math.min(left, this.pending[0] ?? left));
      await quiet();
    }
  }
}

/** Resolves when no socket, file or thread has had anything to say for some turns. */
async function quiet(): Promise<void> {
  let seen = -1;
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await nextTurn();
    const { events } = performance.nodeTiming.uvMetricsInfo;
    if (events !== seen) turns = -1;
    seen = events;
  }
}
