/**
 * Calls `act` when the signal aborts, until the returned function is called, which also frees `act`. Node.js keeps a
 * removed listener reachable from its neighbour, so overlapping requests would keep each other's answers in memory
 * until a major collection.
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
