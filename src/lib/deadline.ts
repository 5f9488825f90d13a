import { type Clock, onAbort } from "./clock.ts";

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  readonly parents: readonly AbortSignal[];
  readonly expired: () => Error;
}

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
  const inherit = (): void => controller.abort(parents.find((parent) => parent.aborted)?.reason);
  const forget = parents.map((parent) => onAbort(parent, inherit));
  if (parents.some((parent) => parent.aborted)) inherit();
  const cancel = afterAwake(clock, ms, () => controller.abort(expired()));
  try {
    controller.signal.throwIfAborted();
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    cancel();
    for (const each of forget) each();
  }
}

/**
 * Like `clock.after`, but if the process was busy, it adds that time once, up to `ms`.
 * @param maxMs Of the whole wait, with the time added.
 */
export function afterAwake(clock: Clock, ms: number, act: () => void, maxMs = Number.POSITIVE_INFINITY): () => void {
  const from = clock.monotonic();
  let cancel = clock.after(Math.min(ms, maxMs), () => {
    const spent = clock.monotonic() - from;
    const late = Math.min(spent - ms, maxMs - spent);
    if (late <= LATE_MS) act();
    else cancel = clock.after(Math.min(late, ms), act);
  });
  return () => cancel();
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
