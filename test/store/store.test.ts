import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Store } from "../../src/store/store.ts";

const FAMILY = { name: "f", type: "gauge", help: "", labels: [] } as const;

function newStore(): Store {
  return new Store([FAMILY]);
}

test("the store alternates readers and writers", async () => {
  const store = newStore();
  const trace: string[] = [];
  const slowly = (name: string) => async () => {
    trace.push(`${name} begins`);
    await nextTurn();
    trace.push(`${name} ends`);
  };
  await Promise.all([store.read(slowly("read")), store.commit(slowly("write")), store.read(slowly("read again"))]);
  expect(trace).toEqual([
    "read begins",
    "read ends",
    "write begins",
    "write ends",
    "read again begins",
    "read again ends",
  ]);
});

test("the store continues after a failed writer and notifies current listeners", async () => {
  const store = newStore();
  let told = 0;
  const stop = store.onCommit(() => told++);
  await expect(
    store.commit(() => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  await expect(store.commit(() => 42)).resolves.toBe(42);
  expect(told).toBe(1);
  stop();
  await store.commit(() => undefined);
  expect(told).toBe(1);
});

test("the store rejects a family that the metric table lacks", () => {
  expect(() => newStore().table({ ...FAMILY, name: "other" })).toThrow(RangeError);
});

test("increases its version with new tables, even if they are empty", async () => {
  const store = newStore();
  const slot = store.table(FAMILY).add([]);
  for (const value of [1, 2, 3]) await store.commit(() => store.table(FAMILY).set(slot, value));
  for (const reshapes of [1, 2]) {
    const before = store.version;
    await store.reshape([FAMILY], async () => () => undefined);
    expect(store.version, `after ${reshapes}`).toBeGreaterThan(before);
  }
});
