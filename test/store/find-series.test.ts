import { describe, expect, test } from "vitest";
import type { Steps } from "../../src/lib/yielding.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { findSeries } from "../../src/store/find-series.ts";
import { Store } from "../../src/store/store.ts";

function family(name: string, ...labels: string[]): MetricFamily {
  return { name, type: "gauge", help: "", labels };
}

const STATUS = family("status", "server", "sensor_id");
const VALUE = family("value", "server", "sensor_id", "channel_id");
const UP = family("up", "server");

const AT_ONCE: Steps = { step: () => undefined };

function filledStore(): Store {
  const store = new Store([STATUS, VALUE, UP]);
  const add = (of: MetricFamily, value: number, labels: readonly string[], expiresAt?: number) => {
    const table = store.table(of);
    table.set(table.add(labels), value, expiresAt);
  };
  add(STATUS, 1, ["hq", "50"]);
  add(STATUS, 2, ["branch", "50"]);
  add(VALUE, 3, ["hq", "50", "0"]);
  add(VALUE, 4, ["hq", "51", "50"], 100);
  add(UP, 5, ["50"]);
  add(UP, 6, ["hq"]);
  return store;
}

async function found(
  labels: Readonly<Record<string, string>>,
  { now = 0, store = filledStore(), isWanted }: FindOptions = {},
): Promise<string[]> {
  const series = await findSeries(store, labels, now, AT_ONCE, isWanted);
  return series.map((each) => `${each.family.name}{${each.labels.join(",")}} ${each.value}`);
}

interface FindOptions {
  readonly now?: number;
  readonly store?: Store;
  readonly isWanted?: Parameters<typeof findSeries>[4];
}

describe("findSeries", () => {
  test.each([
    [{ sensor_id: "50" }, ["status{hq,50} 1", "status{branch,50} 2", "value{hq,50,0} 3"]],
    [{ sensor_id: "50", server: "hq" }, ["status{hq,50} 1", "value{hq,50,0} 3"]],
    // "50" is a server in one family.
    [{ server: "50" }, ["up{50} 5"]],
    [{ server: "hq", channel_id: "50" }, ["value{hq,51,50} 4"]],
    [{ server: "hq", colour: "" }, []],
    [{ sensor_id: "5" }, []],
  ])("finds the series with %j, in families that have all these labels", async (labels, expected) => {
    expect(await found(labels)).toEqual(expected);
  });

  test("finds all series without labels", async () => {
    expect(await found({})).toHaveLength(6);
  });

  test("omits series without a value", async () => {
    const store = filledStore();
    store.table(STATUS).withdraw(0);
    expect(await found({ sensor_id: "50" }, { store })).toEqual(["status{branch,50} 2", "value{hq,50,0} 3"]);
  });

  test("omits series that have expired, and updates the page", async () => {
    const store = filledStore();
    expect(await found({ channel_id: "50" }, { store, now: 99 })).toHaveLength(1);
    let commits = 0;
    store.onCommit(() => commits++);
    expect(await found({ channel_id: "50" }, { store, now: 100 })).toEqual([]);
    expect(commits).toBe(1);
    expect(await found({ sensor_id: "50" }, { store, now: 101 })).toHaveLength(3);
    expect(commits).toBe(1);
  });

  test("leaves out what the caller does not want", async () => {
    const isWanted = (of: MetricFamily, labels: readonly string[]) => of === STATUS && labels[0] === "hq";
    expect(await found({ sensor_id: "50" }, { isWanted })).toEqual(["status{hq,50} 1"]);
  });
});
