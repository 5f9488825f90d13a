import { setImmediate as nextTurn } from "node:timers/promises";
import { ManualClock } from "../../support/manual-clock.ts";

/** A unique duration: sleepers with it wait for an answer. */
export const REQUEST_TIMEOUT_MS = 29_017;
export const OTLP_TIMEOUT_MS = 29_019;
const TIMEOUTS = [REQUEST_TIMEOUT_MS, OTLP_TIMEOUT_MS];

/** Idle event-loop turns after which nothing happens until time advances. */
const QUIET_TURNS = 3;

/** Recognises requests in flight by the timeout above. */
export class RequestClock extends ManualClock {
  requests = 0;

  override after(ms: number, act: () => void): () => void {
    if (!TIMEOUTS.includes(ms)) return super.after(ms, act);
    this.requests++;
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.requests--;
      isOpen = false;
    };
    const cancel = super.after(ms, () => {
      end();
      act();
    });
    return () => {
      end();
      cancel();
    };
  }

  /** Sleeper by sleeper. Answers take no time. */
  async pass(ms: number): Promise<void> {
    const end = this.monotonic() + ms;
    await this.quiet();
    for (let left = ms; left > 0; left = end - this.monotonic()) {
      await this.advance(Math.min(left, this.pending[0] ?? left));
      await this.quiet();
    }
  }

  /** Advances time until the promise settles. */
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

  /** Node.js does not show threads that compress: without `compression: none`, time may pass meanwhile. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      await nextTurn();
      if (this.requests > 0 || process.getActiveResourcesInfo().some(isFileRequest)) turns = -1;
    }
  }
}

function isFileRequest(resource: string): boolean {
  return resource.startsWith("FSReq");
}
