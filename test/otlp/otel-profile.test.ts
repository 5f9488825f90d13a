import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { OTLP_PROTOCOLS } from "../../src/otlp/environment.ts";
import { never } from "../support/never-aborted.ts";
import type { ReceivedBatch } from "./support/decode-metrics.ts";
import { NOON, pushOtel } from "./support/otel-push.ts";
import { deliverRows } from "./support/otlp-exporter.ts";
import type { Receiver } from "./support/otlp-http-receiver.ts";
import { row } from "./support/rows.ts";

type Pushing = Awaited<ReturnType<typeof pushOtel>>;

/** As decoded. Check the diff before updating. */
async function expectGolden(name: string, batches: readonly ReceivedBatch[]): Promise<void> {
  const got = JSON.parse(JSON.stringify(batches, (_, value) => (typeof value === "bigint" ? String(value) : value)));
  const file = new URL(`fixtures/otel-${name}.gen.json`, import.meta.url);
  expect(got).toEqual(JSON.parse(await readFile(file, "utf8")));
}

function batchesOf({ requests }: Receiver): ReceivedBatch[] {
  return requests.flatMap(({ batches }) => batches);
}

/** `device metric` and `end of ...` since the last call. */
function looker(receiver: Receiver): () => string[] {
  let seen = 0;
  return () => {
    const requests = receiver.requests.slice(seen);
    seen = receiver.requests.length;
    return requests.flatMap(({ batches }) =>
      batches.flatMap(({ resource, metrics }) =>
        metrics.flatMap(({ name, points }) =>
          points
            .filter(() => !name.startsWith("prtg.exporter"))
            .map(({ ended, attributes }) => {
              const status = attributes["prtg.status.name"];
              const words = [resource["prtg.device.id"] ?? "exporter", name, ...(status === undefined ? [] : [status])];
              return `${ended ? "end of " : ""}${words.join(" ")}`;
            }),
        ),
      ),
    );
  };
}

function fill({ store, inventory }: Pushing): void {
  const add = (family: keyof typeof TREE_FAMILIES, labels: readonly string[], value: number) => {
    const table = store.table(TREE_FAMILIES[family]);
    table.set(table.add(labels), value);
  };
  add("serverInfo", ["hq", "26.1.116"], 1);
  add("sensors", ["hq", "up"], 2);
  add("nodeStatusCode", ["hq", "1", "probe", "Probe"], 3);
  add("nodeStatusCode", ["hq", "2001", "device", "Probe/Net/Core switch"], 3);
  add("deviceInfo", ["hq", "2001", "Core switch", "10.0.0.1", "device", "core,switch", "Probe/Net/Core switch"], 1);
  add("sensorInfo", ["hq", "40", "2001", "ping", "Ping v2", "3", "", "false"], 1);
  for (const [id, status] of [
    ["40", "up"],
    ["41", "down"],
    ["42", "pausedbyuser"],
  ] as const) {
    add("sensorStatus", [...inventory.sensorLabels(id), status], 1);
    add("sensorInterval", inventory.sensorLabels(id), 60);
  }
  add("channelLimit", [...inventory.channelLabels("40", "0"), "upper_error"], 90);
}

describe.each(OTLP_PROTOCOLS)("profile otel over %s", (protocol) => {
  test("matches the golden file for measurements", async () => {
    const { sink, receiver, observer } = await pushOtel(protocol);
    const rows = [row("40", NOON, 5), row("41", NOON + 1, 2), row("40", NOON + 60_000, 1), row("42", NOON, 1)];
    expect(await deliverRows(sink, rows, never)).toMatchObject({ kind: "accepted", rejectedPoints: 0 });
    expect(receiver.requests).toHaveLength(1);
    expect(observer.counts).toEqual({ "delivered live": 9 });
    await expectGolden("measurements", batchesOf(receiver));
  });

  test("matches the golden file for the current state", async () => {
    const pushing = await pushOtel(protocol);
    fill(pushing);
    await pushing.push.flush();
    expect(pushing.receiver.requests).toHaveLength(2);
    await expectGolden("state", batchesOf(pushing.receiver));
  });

  test("gives an end the resource, name and attributes of earlier values", async () => {
    const pushing = await pushOtel(protocol);
    const { store, inventory, push, receiver, clock } = pushing;
    const look = looker(receiver);
    const table = store.table(TREE_FAMILIES.sensorStatus);
    const slot = table.add([...inventory.sensorLabels("40"), "up"]);
    table.set(slot, 1);
    await push.flush();
    expect(look()).toEqual(["2001 prtg.sensor.status up"]);
    table.relabel(slot, [...inventory.sensorLabels("40"), "down"]);
    await clock.advance(60_000);
    await push.flush();
    expect(look()).toEqual(["2001 prtg.sensor.status down", "end of 2001 prtg.sensor.status up"]);
    const [value, , end] = receiver.points.filter(({ metric }) => metric === "prtg.sensor.status");
    expect(end?.attributes).toEqual(value?.attributes);
    await push.flush();
    expect(look()).toEqual(["2001 prtg.sensor.status down"]);
  });

  test("ends series of a deleted device on that device", async () => {
    const { store, inventory, push, receiver } = await pushOtel(protocol);
    const look = looker(receiver);
    const table = store.table(TREE_FAMILIES.sensorInterval);
    const codes = store.table(TREE_FAMILIES.nodeStatusCode);
    const slot = table.add(inventory.sensorLabels("41"));
    // Without sensors on the other one.
    const nodes = ["2001", "2002"].map((id) => codes.add(["hq", id, "device", `Probe/Net/${id}`]));
    table.set(slot, 60);
    for (const node of nodes) codes.set(node, 3);
    await push.flush();
    inventory.sensors.delete("41");
    inventory.devices.clear();
    table.remove(slot);
    for (const node of nodes) codes.remove(node);
    look();
    await push.flush();
    expect(look()).toEqual([
      "end of 2001 prtg.node.status_code",
      "end of 2002 prtg.node.status_code",
      "end of 2002 prtg.sensor.interval",
    ]);
  });
});

test("a renamed device has a new resource without ending series", async () => {
  const { store, inventory, push, receiver, sink } = await pushOtel("http/protobuf");
  const look = looker(receiver);
  const intervals = store.table(TREE_FAMILIES.sensorInterval);
  const values = store.table(TREE_FAMILIES.channelValue);
  const interval = intervals.add(inventory.sensorLabels("40"));
  const value = values.add(inventory.channelLabels("40", "9"));
  intervals.set(interval, 60);
  values.set(value, 1);
  values.markPushed(value);
  await deliverRows(sink, [{ sensorId: "40", at: NOON, resolution: "live", values: [["9", 1]] }], never);
  await push.flush();
  expect(look()).toEqual(["2001 prtg.channel.value", "2001 prtg.sensor.interval"]);
  const before = inventory.devices.get("2001");
  if (before === undefined) throw new Error("no device");
  inventory.devices.set("2001", { ...before, name: "Edge", path: "Probe/Net/Edge" });
  intervals.relabel(interval, inventory.sensorLabels("40"));
  values.relabel(value, inventory.channelLabels("40", "9"));
  await push.flush();
  expect(look()).toEqual(["2001 prtg.sensor.interval"]);
  const resource = batchesOf(receiver).findLast((batch) => batch.resource["prtg.device.id"] === "2001")?.resource;
  expect(resource).toMatchObject({
    "service.instance.id": "one/hq/2001",
    "host.name": "Edge",
    "prtg.device.path": "Probe/Net/Edge",
  });
  // When the series end, nothing remains to report.
  intervals.remove(interval);
  values.remove(value);
  await push.flush();
  expect(look().sort()).toEqual(["end of 2001 prtg.channel.value", "end of 2001 prtg.sensor.interval"]);
  expect([store.endedSeries.count, intervals.endedCount, values.endedCount]).toEqual([0, 0, 0]);
});

test("a moved sensor ends on its old device", async () => {
  const { store, inventory, push, receiver } = await pushOtel("http/protobuf");
  const look = looker(receiver);
  const table = store.table(TREE_FAMILIES.sensorInterval);
  const slot = table.add(inventory.sensorLabels("40"));
  table.set(slot, 60);
  await push.flush();
  look();
  inventory.sensors.set("40", "2002");
  table.relabel(slot, inventory.sensorLabels("40"));
  await push.flush();
  expect(look()).toEqual(["2002 prtg.sensor.interval", "end of 2001 prtg.sensor.interval"]);
  await push.flush();
  expect(look()).toEqual(["2002 prtg.sensor.interval"]);
});

test("series with unchanged labels end on the old device", async () => {
  const { store, inventory, push, receiver, clock } = await pushOtel("http/protobuf");
  const look = looker(receiver);
  const exceeded = store.table(TREE_FAMILIES.channelLimitExceeded);
  const intervals = store.table(TREE_FAMILIES.sensorInterval);
  // No label has the sensor's place.
  exceeded.set(exceeded.add(["hq", "40", "0", "min_error"]), 0);
  const interval = intervals.add(inventory.sensorLabels("40"));
  intervals.set(interval, 60);
  const values = ["2001 prtg.sensor.interval", "2001 prtg.channel.limit_exceeded"].sort();
  await push.flush();
  expect(look().sort()).toEqual(values);
  const move = async (device: string) => {
    inventory.sensors.set("40", device);
    intervals.relabel(interval, inventory.sensorLabels("40"));
    await clock.advance(60_000);
    await push.flush();
  };
  await move("2002");
  const moved = values.map((value) => value.replace("2001", "2002"));
  expect(look().sort()).toEqual([...moved, ...values.map((value) => `end of ${value}`)].sort());
  await push.flush();
  expect(look().sort()).toEqual(moved);
  await move("2001");
  look();
  await push.flush();
  expect(look().sort()).toEqual(values);
});

test("such an end repeats until the receiver has it, unless the sensor returns", async () => {
  let isOut = false;
  const { store, inventory, push, receiver, clock } = await pushOtel("http/protobuf", {}, () =>
    isOut ? { status: 503 } : undefined,
  );
  const look = looker(receiver);
  const exceeded = store.table(TREE_FAMILIES.channelLimitExceeded);
  for (const id of ["40", "41"]) exceeded.set(exceeded.add(["hq", id, "0", "min_error"]), 0);
  await push.flush();
  look();
  const pushAfter = async (...moves: readonly (readonly [sensor: string, device: string])[]) => {
    for (const [sensor, device] of moves) inventory.sensors.set(sensor, device);
    await clock.advance(60_000);
    await push.flush();
  };
  isOut = true;
  await pushAfter(["40", "2002"], ["41", "2001"]);
  await pushAfter(["41", "2002"]);
  isOut = false;
  look();
  await pushAfter();
  const values = ["2002 prtg.channel.limit_exceeded", "2002 prtg.channel.limit_exceeded"];
  // The receiver never had a value of 41 on the other device, or this cannot be known.
  const end = "end of 2001 prtg.channel.limit_exceeded";
  expect(look().sort()).toEqual([...values, end, end]);
  await pushAfter();
  expect(look()).toEqual(values);
});

test("sensors of a device go together, each in order of time", async () => {
  const { inventory, sink, receiver } = await pushOtel("http/protobuf", { maxRequestBytes: 65_536 });
  for (let sensor = 100; sensor < 200; sensor++)
    inventory.sensors.set(String(sensor), sensor % 2 === 0 ? "2001" : "2002");
  const rows = [0, 1, 2].flatMap((minute) =>
    Array.from({ length: 100 }, (_, sensor) => row(String(100 + sensor), NOON + minute * 60_000, 5)),
  );
  await deliverRows(sink, rows, never);
  expect(receiver.requests.length).toBeGreaterThan(2);
  const devices = batchesOf(receiver).map(({ resource }) => resource["prtg.device.id"]);
  // At most one request contains both.
  expect(devices.length).toBeLessThanOrEqual(receiver.requests.length + 1);
  expect(devices).toEqual(devices.toSorted());
  const times = Map.groupBy(receiver.points, ({ metric, attributes }) => `${metric} ${attributes["prtg.sensor.id"]}`);
  expect(times.size).toBe(500);
  for (const points of times.values()) {
    expect(points.map(({ time }) => Number(time / 1_000_000n) - NOON)).toEqual([0, 60_000, 120_000]);
  }
});
