import type { Clock } from "../lib/clock.ts";

/** A server that accepts connections and never answers must not keep the others from being scraped. */
const PATIENCE_MS = 30_000;

/**
 * Resolves when the page has all first polls, or after 30 s: with the servers whose first poll has not ended.
 * @param firstPolls By name of the server.
 * @param page Resolves when the page has all of them.
 * @param signal Ends the wait.
 */
export async function serversInTime(
  firstPolls: ReadonlyMap<string, Promise<void>>,
  page: Promise<unknown>,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const waiting = new Set(firstPolls.keys());
  for (const [name, polled] of firstPolls) void polled.then(() => waiting.delete(name));
  const done = new AbortController();
  const patience = clock.sleep(PATIENCE_MS, AbortSignal.any([signal, done.signal])).catch(() => undefined);
  await Promise.race([page.finally(() => done.abort()), patience]);
  return signal.aborted ? [] : [...waiting];
}
