import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import { ApiError } from "../../src/prtg/api-error.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** A large object that throws. */
class Reader {
  readonly items = new Array(100_000).fill("item");

  async read(fail: () => Promise<never>): Promise<void> {
    await fail();
    this.items.length = 0;
  }
}

const CODE = "API_LIST_TOO_LARGE";
const later = async (error: () => Error): Promise<never> => {
  await nextTurn();
  throw error();
};

test.each<[string, () => Error]>([
  ["an error", () => new ExporterError(CODE, "too large")],
  ["a subclass", () => new ApiError(CODE, "too large", { endpoint: "/things" })],
  ["the cause of an error", () => new ExporterError(CODE, "too large", { cause: new TypeError("of its own") })],
])("keeping %s does not keep its thrower in memory", async (_what, error) => {
  const kept: unknown[] = [];
  const readers: WeakRef<Reader>[] = [];
  await (async () => {
    const reader = new Reader();
    readers.push(new WeakRef(reader));
    await reader.read(() => later(error)).catch((fault: unknown) => kept.push(fault));
  })();
  // A register may hold it.
  for (let turn = 0; turn < 20 && readers[0]?.deref() !== undefined; turn++) {
    await nextTurn();
    collectGarbage();
  }
  expect(kept).toHaveLength(1);
  expect(readers[0]?.deref()).toBeUndefined();
});

test("the stack starts with the class and the message", () => {
  const { stack } = new ApiError(CODE, "too large", { endpoint: "/things" });
  expect(stack).toMatch(/^ApiError: too large\n +at .*exporter-error\.test/);
});
