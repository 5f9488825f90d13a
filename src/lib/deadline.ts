import { onAbort } from "./abort.ts";
import type { Clock } from "./clock.ts";

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Any of these ends the work early, with its own reason. */
  readonly parents: readonly AbortSignal[];
  /** Why the work was ended when the time is over. */
  readonly expired: () => Error;
}

/** Never read; without it, each request would make an exception with a stack trace. */
const OVER = new Error("the work is over");

/** A timer that goes off so late shows that this program was busy, milliseconds. */
const LATE_MS = 50;

/**
 * Runs work that heeds a signal, which aborts when the time is over or a parent aborts. The error is then the reason.
 * Time in which this program itself was too busy to notice is given once more, up to `ms`: what came in meanwhile has not
 * been read yet when a late timer goes off.
 * Listeners are removed by hand: parents may live as long as the program.
 */
export async function withDeadline<Result>(
  deadline: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { clock, ms, parents, expired } = deadline;
  const controller = new AbortController();
  const timer = new AbortController();
  const inherit = (): void => controller.abort(parents.find((parent) => parent.aborted)?.reason);
  const forget = parents.map((parent) => onAbort(parent, inherit));
  if (parents.some((parent) => parent.aborted)) inherit();
  sleepAwake(clock, ms, timer.signal).then(
    () => controller.abort(expired()),
    () => undefined,
  );
  try {
    controller.signal.throwIfAborted();
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    timer.abort(OVER);
    for (const each of forget) each();
  }
}

async function sleepAwake(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const due = clock.monotonic() + ms;
  await clock.sleep(ms, signal);
  const late = clock.monotonic() - due;
  if (late > LATE_MS) await clock.sleep(Math.min(late, ms), signal);
}

/** Waits for work that others wait for too: the signal ends the wait, not the work. */
export async function waitFor<Result>(shared: Promise<Result>, signal: AbortSignal): Promise<Result> {
  // All callers may have stopped waiting when the work fails.
  shared.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const forget = onAbort(signal, () => aborted.reject(signal.reason));
  try {
    return await Promise.race([shared, aborted.promise]);
  } finally {
    forget();
  }
}
