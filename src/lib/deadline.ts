import { type Clock, onAbort } from "./clock.ts";

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  readonly parents: readonly AbortSignal[];
  readonly expired: () => Error;
}

/** Avoids an exception with a stack trace for each request. */
const OVER = new Error("the work is over");

/** A later timer shows that this process was busy. */
const LATE_MS = 50;

/**
 * Runs work with a signal that aborts at the deadline or with a parent. Rejects with the reason. If the process was too
 * busy to read what arrived, it extends the deadline by the delay, up to `ms`.
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

/** The signal ends the wait, not the shared work. */
export async function waitFor<Result>(shared: Promise<Result>, signal: AbortSignal): Promise<Result> {
  // Nobody may be waiting when the work fails.
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
