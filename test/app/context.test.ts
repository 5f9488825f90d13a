import { getHeapStatistics } from "node:v8";
import { expect, onTestFinished, test } from "vitest";
import { createContext } from "../../src/app/context.ts";
import { memoryForObjects } from "../../src/app/object-memory.ts";
import { Redactor } from "../../src/errors/redactor.ts";

test("objects and pending measurements have bounds that follow the heap", async () => {
  const earlier = new Set(process.listeners("uncaughtException"));
  onTestFinished(() => {
    for (const listener of process.listeners("uncaughtException")) {
      if (!earlier.has(listener)) process.removeListener("uncaughtException", listener);
    }
  });
  const { memory } = await createContext({ "log.level": "error", "log.format": "json" }, new Redactor());
  const heapBytes = getHeapStatistics().heap_size_limit;
  expect(memory.objects.maxBytes).toBe(memoryForObjects(heapBytes));
  expect(memory.pending.maxBytes / heapBytes).toBeCloseTo(0.15);
});
