import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ManualClock } from "../../support/manual-clock.ts";

/** Without input, nothing more happens until time advances. */
const QUIET_TURNS = 4;

/** For real sockets in one process. Answers take no time. */
export class QuietClock extends ManualClock {
  /** Advances from sleeper to sleeper and lets each one's work finish. */
  async pass(ms: number): Promise<void> {
    const end = this.monotonic() + ms;
    await quiet();
    for (let left = ms; left > 0; left = end - this.monotonic()) {
      await this.advance(Math.min(left, this.pending[0] ?? left));
      await quiet();
    }
  }
}

/** No socket, file or thread activity. */
async function quiet(): Promise<void> {
  let seen = -1;
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await nextTurn();
    const { events } = performance.nodeTiming.uvMetricsInfo;
    if (events !== seen) turns = -1;
    seen = events;
  }
}
