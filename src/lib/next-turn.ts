import { setImmediate } from "node:timers";

const waiting: (() => void)[] = [];

/**
 * Waits until the event loop has looked after everything else. Of all the long work that waits like this, one piece is
 * done a turn, so that however much goes on at a time, a turn takes as long as the longest piece and not as all of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}
