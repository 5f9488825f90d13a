import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { OTLP_PROTOCOLS, type OtlpProtocol } from "../../src/otlp/environment.ts";
import type { PendingMeasurements } from "../../src/otlp/state-producer.ts";
import { type StatePushOptions, startStatePush } from "../../src/otlp/state-push.ts";
import { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { type SeenRequest, startReceiver } from "./support/otlp-http-receiver.ts";
import { channelLabels } from "./support/rows.ts";

const NOON = Date.UTC(2026, 0, 15, 12);
const { sensorStatus, sensorInterval, channelValue } = TREE_FAMILIES;

const NOTHING_UNDER_WAY: PendingMeasurements = { endOf: () => undefined, holds: () => false };

function statusLabels(status: string): readonly string[] {
  return ["hq", "40", "Local Probe", "Network", "switch", "Ping", "Local Probe/Network/Ping", status];
}

function newStore(): Store {
  return new Store(Object.values(TREE_FAMILIES));
}

interface TestPushOptions extends Partial<StatePushOptions> {
  readonly protocol?: OtlpProtocol;
  /** Default: 200. */
  readonly status?: (seen: SeenRequest) => number;
}

/** `family sensor label` or `end of ...`, by push. */
async function pushing({ protocol, status, ...options }: TestPushOptions = {}) {
  const receiver = await startReceiver((_, seen) => ({ status: status?.(seen) ?? 200 }));
  const clock = new ManualClock(NOON);
  const observer = recordedObserver();
  const push = startStatePush({
    exporter: await testExporter({ endpoint: receiver.url, ...(protocol !== undefined && { protocol }) }),
    ...{ observer, resource: RESOURCE, scope: SCOPE, store: newStore(), registry: new Registry(), countingSince: NOON },
    measured: new Set([channelValue.name]),
    ends: NOTHING_UNDER_WAY,
    sensorStatus: "current",
    intervalMs: 3_600_000,
    timeoutMs: 30_000,
    clock,
    log: pino({ level: "silent" }),
    ...options,
  });
  onTestFinished(() => push.stop(0));
  return {
    ...{ receiver, clock, observer },
    /** Name, end or value, last label, seconds after noon. */
    next: async () => {
      const before = receiver.points.length;
      await clock.advance(60_000);
      await push.flush();
      return receiver.points
        .slice(before)
        .map(({ metric, ended, value, attributes, time }) => [
          metric,
          ended ? "end" : value,
          attributes.status ?? attributes.sensor_id,
          Number(time / 1_000_000n - BigInt(NOON)) / 1_000,
        ]);
    },
  };
}

describe.each(OTLP_PROTOCOLS)("staleness markers over %s", (protocol) => {
  test("end the old status in the push with the new one", async () => {
    const store = newStore();
    const table = store.table(sensorStatus);
    const slot = table.add(statusLabels("up"));
    table.set(slot, 1);
    const { next, receiver } = await pushing({ protocol, store });
    expect(await next()).toEqual([["prtg.sensor_status", 1, "up", 60]]);
    table.relabel(slot, statusLabels("down"));
    expect(await next()).toEqual([
      ["prtg.sensor_status", 1, "down", 120],
      ["prtg.sensor_status", "end", "up", 120],
    ]);
    expect(await next()).toEqual([["prtg.sensor_status", 1, "down", 180]]);
    // Full labels, because they identify a series to the receiver.
    const { server: _, ...labels } = Object.fromEntries(
      sensorStatus.labels.map((name, index) => [name, statusLabels("up")[index]]),
    );
    const end = receiver.points.find(({ ended }) => ended);
    expect(end?.attributes).toEqual({ server: "hq", ...labels });
    expect(end?.start).toBe(0n);
    const [metric] = receiver.metrics.filter(({ points }) => points.some(({ ended }) => ended));
    expect(metric).toMatchObject({ type: "gauge", unit: "", description: sensorStatus.help });
    expect(receiver.requests.at(-2)?.batches).toMatchObject([
      { resource: { "service.instance.id": "one" }, scope: SCOPE },
    ]);
  });
});

test("withdrawn, expired, removed and invalid values end once", async () => {
  const store = newStore();
  const table = store.table(sensorInterval);
  const [withdrawn = 0, expired = 0, removed = 0, nan = 0, stays = 0] = ["1", "2", "3", "4", "5"].map((id) =>
    table.add(["hq", id, "", "", "", "", ""]),
  );
  for (const slot of [withdrawn, removed, nan, stays]) table.set(slot, 60);
  const { next, clock } = await pushing({ store });
  table.set(expired, 60, clock.monotonic() + 90_000);
  expect(await next()).toHaveLength(5);
  table.withdraw(withdrawn);
  table.remove(removed);
  table.set(nan, Number.NaN);
  expect((await next()).slice(1)).toEqual(
    ["1", "2", "3", "4"].map((id) => ["prtg.sensor_interval_seconds", "end", id, 120]),
  );
  table.set(withdrawn, 30);
  expect(await next()).toEqual([
    ["prtg.sensor_interval_seconds", 30, "1", 180],
    ["prtg.sensor_interval_seconds", 60, "5", 180],
  ]);
});

test("a push ignores series that changed and returned between two pushes", async () => {
  const store = newStore();
  const table = store.table(sensorStatus);
  const slot = table.add(statusLabels("up"));
  table.set(slot, 1);
  const { next } = await pushing({ store });
  await next();
  table.relabel(slot, statusLabels("down"));
  table.relabel(slot, statusLabels("up"));
  expect(await next()).toEqual([["prtg.sensor_status", 1, "up", 120]]);
  table.remove(slot);
  table.set(table.add(statusLabels("up")), 1);
  expect(await next()).toEqual([["prtg.sensor_status", 1, "up", 180]]);
});

test("the next push repeats an undelivered end with its time", async () => {
  const store = newStore();
  const table = store.table(sensorStatus);
  const slot = table.add(statusLabels("up"));
  table.set(slot, 1);
  let isDown = false;
  const { next } = await pushing({ store, status: () => (isDown ? 503 : 200) });
  await next();
  isDown = true;
  table.relabel(slot, statusLabels("down"));
  expect(await next()).toEqual([]);
  table.relabel(slot, statusLabels("paused"));
  isDown = false;
  // Begins with what the last push did not send. The lost push may have arrived.
  expect(await next()).toEqual([
    ["prtg.sensor_status", "end", "up", 180],
    ["prtg.sensor_status", "end", "down", 180],
    ["prtg.sensor_status", 1, "paused", 180],
  ]);
  expect(await next()).toEqual([["prtg.sensor_status", 1, "paused", 240]]);
});

test("measurements end just after the last one, once none waits", async () => {
  const store = newStore();
  const table = store.table(channelValue);
  const paused = table.add(channelLabels("40", "0"));
  const renamed = table.add(channelLabels("41", "0", "Before"));
  const last = NOON + 42_000;
  const waiting = new Set(["hq 40.0", "hq 41.0"]);
  const { next } = await pushing({
    store,
    ends: {
      endOf: (server, sensorId) => (server === "hq" && sensorId !== "" ? last + 1 : undefined),
      holds: (server, sensorId, channelId) => waiting.has(`${server} ${sensorId}.${channelId}`),
    },
  });
  for (const slot of [paused, renamed]) {
    table.set(slot, 1);
    table.markPushed(slot);
  }
  expect(await next()).toEqual([]);
  table.withdraw(paused);
  table.remove(renamed);
  // Pending points of a renamed channel use the new name.
  expect(await next()).toEqual([["prtg.channel_value", "end", "41", 42.001]]);
  waiting.clear();
  expect(await next()).toEqual([["prtg.channel_value", "end", "40", 42.001]]);
  // A late measurement revives an ended series.
  table.markPushed(paused);
  expect(await next()).toEqual([["prtg.channel_value", "end", "40", 42.001]]);
  expect(await next()).toEqual([]);
});

test("a measurement without a known receiver ends now", async () => {
  const store = newStore();
  const table = store.table(channelValue);
  table.markPushed(table.add(channelLabels("40", "0")));
  const { next } = await pushing({ store });
  expect(await next()).toEqual([["prtg.channel_value", "end", "40", 60]]);
});

test("ends that are too old for the receiver affect nothing else", async () => {
  const store = newStore();
  const statuses = store.table(sensorStatus);
  const slot = statuses.add(statusLabels("up"));
  statuses.set(slot, 1);
  const isOld = ({ batches }: SeenRequest): boolean =>
    batches.some(({ metrics }) => metrics.some(({ name }) => name === "prtg.channel_value"));
  const { next, observer } = await pushing({ store, status: (seen) => (isOld(seen) ? 400 : 200) });
  await next();
  statuses.relabel(slot, statusLabels("down"));
  const values = store.table(channelValue);
  values.markPushed(values.add(channelLabels("40", "0")));
  expect(await next()).toEqual([
    ["prtg.sensor_status", 1, "down", 120],
    ["prtg.sensor_status", "end", "up", 120],
  ]);
  expect(observer.counts).toMatchObject({ "delivered state": 3, "refused state": 1, "rejected state": 1 });
  expect(await next()).toEqual([["prtg.sensor_status", 1, "down", 180]]);
});

test("series with new labels after a reload end under the old ones", async () => {
  const store = newStore();
  const table = store.table(sensorInterval);
  for (const id of ["1", "2"]) table.set(table.add(["hq", id, "P", "", "", "", ""]), 60);
  const { next } = await pushing({ store });
  await next();
  const narrow = { ...sensorInterval, labels: sensorInterval.labels.filter((name) => name !== "probe") };
  await store.reshape([narrow], async (tables) => {
    const other = tables.table(narrow);
    other.set(other.add(["hq", "1", "", "", "", ""]), 60);
    return () => undefined;
  });
  expect(await next()).toEqual([
    ["prtg.sensor_interval_seconds", 60, "1", 120],
    ["prtg.sensor_interval_seconds", "end", "1", 120],
    ["prtg.sensor_interval_seconds", "end", "2", 120],
  ]);
  expect(await next()).toEqual([["prtg.sensor_interval_seconds", 60, "1", 180]]);
});

test("series that return after a reload do not end", async () => {
  const store = newStore();
  const labels = ["hq", "1", "", "", "", "", ""];
  const table = store.table(sensorInterval);
  table.set(table.add(labels), 60);
  const { next } = await pushing({ store });
  await next();
  // Like removing and re-adding a server.
  await store.reshape([sensorInterval], async () => () => undefined);
  const other = store.table(sensorInterval);
  other.set(other.add(labels), 60);
  expect(await next()).toEqual([["prtg.sensor_interval_seconds", 60, "1", 120]]);
  expect(store.endedSeries.count).toBe(0);
});

test("a counter reports ends beyond the limit", async () => {
  const store = new Store(Object.values(TREE_FAMILIES), 2_000);
  const { next, observer } = await pushing({ store });
  const dropped: number[] = [];
  Object.assign(observer, { endsDropped: (count: number) => void dropped.push(count) });
  const table = store.table(sensorInterval);
  for (let id = 0; id < 2_003; id++) {
    const slot = table.add(["hq", String(id), "", "", "", "", ""]);
    table.markPushed(slot);
    table.remove(slot);
  }
  const ends = await next();
  expect(ends).toHaveLength(2_000);
  expect(dropped).toEqual([3]);
  expect(store.endedSeries.count).toBe(0);
});

test("without ends, a push omits markers and lingering series", async () => {
  const store = newStore();
  const statuses = store.table(sensorStatus);
  const states = store.table(TREE_FAMILIES.channelState);
  statuses.set(statuses.add(statusLabels("up")), 1);
  states.set(states.add([...channelLabels("40", "0"), "Closed"]), 1);
  const intervals = store.table(sensorInterval);
  const slot = intervals.add(["hq", "1", "", "", "", "", ""]);
  intervals.set(slot, 60);
  const { next } = await pushing({ store, ends: undefined });
  expect(await next()).toEqual([["prtg.sensor_interval_seconds", 60, "1", 60]]);
  intervals.remove(slot);
  expect(await next()).toEqual([]);
  expect(store.endedSeries.count).toBe(0);
});
