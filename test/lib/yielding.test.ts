import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { yieldToEventLoop } from "../../src/lib/yielding.ts";

test("does one piece of work a turn of the event loop, in the order in which it was asked for", async () => {
  const done: string[] = [];
  const work = async (name: string, pieces: number) => {
    for (let piece = 1; piece <= pieces; piece++) {
      await yieldToEventLoop();
      done.push(`${name}${piece}`);
    }
  };
  const all = Promise.all([work("a", 2), work("b", 1), work("c", 2)]);
  const turns: number[] = [];
  while (done.length < 5) {
    await turn();
    turns.push(done.length);
  }
  await all;
  expect(done).toEqual(["a1", "b1", "c1", "a2", "c2"]);
  for (const [index, count] of turns.entries()) expect(count - (turns[index - 1] ?? 0)).toBeLessThanOrEqual(1);
});
