/**
 * Calls `act` when the signal aborts, until the function that this returns is called: `act` and all that it refers to are
 * then let go. Node.js keeps the listeners of a signal in a list, and one that was removed still refers to the one that
 * was next to it. Where they overlap, as those of requests do that follow each other, a removed one that has reached the
 * old generation so keeps alive all that came after it, with their answers, until the next major collection.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  let handler: (() => void) | undefined = act;
  const listener = (): void => handler?.();
  signal.addEventListener("abort", listener, { once: true });
  return () => {
    handler = undefined;
    signal.removeEventListener("abort", listener);
  };
}
