import type { Readable } from "node:stream";

/** Resolves when standard input ends: the program at its other end has closed it, or has ended. */
export function endOfInput(input: Readable & { unref?(): unknown } = process.stdin): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    input.resume();
    // A signal can end the process before the input ends.
    input.unref?.();
  });
}
