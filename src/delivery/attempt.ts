import { describeError } from "../errors/exporter-error.ts";
import { onAbort } from "../lib/abort.ts";

/**
 * Sends, and fails when the time is over: a sink that ignores the signal must not keep the process alive.
 * Never rejects.
 */
export async function attempt<Outcome>(
  send: (signal: AbortSignal) => Promise<Outcome>,
  cutOff: AbortSignal,
  failed: (message: string) => Outcome,
): Promise<Outcome> {
  const over = Promise.withResolvers<Outcome>();
  const forget = onAbort(cutOff, () => over.resolve(failed("no time left before the exit")));
  try {
    return await Promise.race([send(cutOff), over.promise]);
  } catch (error) {
    return failed(describeError(error));
  } finally {
    forget();
  }
}
