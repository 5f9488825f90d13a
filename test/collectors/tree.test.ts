import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { record, reference } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { type MemoryPipeline, MINUTE, memoryPipeline, SECOND } from "./memory-pipeline.ts";
import { channel, smallServer } from "./small-server.ts";

/** Only the tree collector requests intervals. */
function treePolls({ server }: MemoryPipeline): number {
  return server.asked.filter((asked) => asked.startsWith("sensor intervalgroup")).length;
}

async function started(): Promise<MemoryPipeline> {
  const subject = memoryPipeline(smallServer());
  void subject.monitor.start();
  await subject.clock.advance(SECOND);
  return subject;
}

describe("tree collector", () => {
  test("shows properties and intervals", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.change("50", { tags: ["a", "b"], priority: 5, type: "snmptraffic", typeName: "SNMP Traffic" });
    await subject.monitor.pollOnce(never);
    expect(subject.series(TREE_FAMILIES.sensorInfo)[0]?.labels).toEqual({
      server: "hq",
      sensor_id: "50",
      device_id: "40",
      kind: "snmptraffic",
      kind_name: "SNMP Traffic",
      priority: "5",
      tags: "a,b",
      favorite: "false",
    });
    expect(subject.value(TREE_FAMILIES.sensorInterval, { sensor_id: "51" })).toBe(600);
    expect(subject.series(TREE_FAMILIES.deviceInfo).map(({ labels }) => labels.host)).toEqual(["192.0.2.1"]);
  });

  test("shows the delay of down only if the configuration asks for it", async () => {
    for (const sensorDownDelay of [false, true]) {
      const subject = memoryPipeline(smallServer(), { sensorDownDelay });
      subject.server.change("50", { downDelay: 0 });
      await subject.monitor.pollOnce(never);
      const delays = subject
        .series(TREE_FAMILIES.sensorDownDelay)
        .map(({ labels, value }) => [labels.sensor_id, value]);
      expect(delays).toEqual(sensorDownDelay ? [["50", 0]] : []);
    }
  });

  test("shows dependencies on any object", async () => {
    const subject = memoryPipeline(smallServer(), { dependencyInfo: true });
    const shown = () =>
      subject.series(TREE_FAMILIES.dependencyInfo).map(({ labels }) => Object.values(labels).join(" "));
    subject.server.change("10", { dependsOn: "" });
    subject.server.change("40", { dependsOn: "7" });
    subject.server.change("50", { dependsOn: "51" });
    await subject.monitor.pollOnce(never);
    expect(shown().toSorted()).toEqual(["hq 40 device 7", "hq 50 sensor 51"]);
    subject.server.change("40", { dependsOn: "51" });
    subject.server.change("50", { dependsOn: "" });
    await subject.monitor.pollOnce(never);
    expect(shown()).toEqual(["hq 40 device 51"]);
    subject.server.change("40", { dependsOn: undefined });
    await subject.clock.advance(16 * MINUTE);
    await subject.monitor.pollOnce(never);
    expect(shown()).toEqual([]);
  });

  test("shows the locations of probes, groups and devices from their own tags", async () => {
    const subject = memoryPipeline(smallServer());
    const shown = () =>
      subject
        .series(TREE_FAMILIES.nodeLocation)
        .map(({ labels: { id, kind, latitude, longitude } }) => `${id} ${kind} ${latitude} ${longitude}`);
    await subject.monitor.pollOnce(never);
    expect(shown()).toEqual([]);
    subject.server.change("10", { tags: ["site", "geo:52.52_13.4"] });
    subject.server.change("40", { tags: ["geo:-33.9,151"] });
    subject.server.change("50", { tags: ["geo:1,2"] });
    await subject.monitor.pollOnce(never);
    expect(shown().toSorted()).toEqual(["10 group 52.52 13.4", "40 device -33.9 151"]);
    subject.server.change("10", { name: "Edge", tags: ["geo:48.1_11.5"] });
    subject.server.change("40", { tags: ["geo:91_0"] });
    await subject.monitor.pollOnce(never);
    expect(shown()).toEqual(["10 group 48.1 11.5"]);
    subject.server.change("10", { tags: [] });
    await subject.monitor.pollOnce(never);
    expect(shown()).toEqual([]);
  });

  test("shows no locations if the configuration omits them", async () => {
    const subject = memoryPipeline(smallServer(), { locationInfo: false });
    subject.server.change("10", { tags: ["geo:52.52_13.4"] });
    await subject.monitor.pollOnce(never);
    expect(subject.series(TREE_FAMILIES.nodeLocation)).toEqual([]);
  });

  test("reads dependencies with its lists, without further requests", async () => {
    const asked = async (dependencyInfo: boolean) => {
      const subject = memoryPipeline(smallServer(), { dependencyInfo });
      await subject.monitor.pollOnce(never);
      return subject.server.asked;
    };
    const [off, on] = [await asked(false), await asked(true)];
    expect(on).toHaveLength(off.length);
    const kinds = (all: readonly string[]) =>
      all.filter((each) => each.includes("scheduledependency")).map((each) => each.split(" ")[0]);
    expect([kinds(off), kinds(on)]).toEqual([[], ["sensor", "device", "group", "probe"]]);
  });

  test("shows only the server's object counts", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.counts = new Map([
      ["sensor", 9],
      ["usergroup", 2],
    ]);
    await subject.monitor.pollOnce(never);
    const shown = () => subject.series(TREE_FAMILIES.objects).map(({ labels, value }) => [labels.kind, value]);
    expect(shown()).toEqual([
      ["sensor", 9],
      ["usergroup", 2],
    ]);
    subject.server.counts = new Map([["sensor", 8]]);
    await subject.monitor.pollOnce(never);
    expect(shown()).toEqual([["sensor", 8]]);
  });

  test("counts objects if the server does not", async () => {
    const subject = memoryPipeline(smallServer());
    for (let poll = 0; poll < 2; poll++) await subject.monitor.pollOnce(never);
    const shown = subject.series(TREE_FAMILIES.objects).map(({ labels, value }) => [labels.kind, value]);
    expect(shown.sort()).toEqual([
      ["channel", 3],
      ["device", 1],
      ["group", 1],
      ["probe", 1],
      ["sensor", 2],
    ]);
  });

  test("omits counts without a list", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.fail("API_TIMEOUT", "device", "channels");
    await subject.monitor.pollOnce(never);
    expect(subject.value(TREE_FAMILIES.objects, { kind: "device" })).toBeUndefined();
    expect(subject.value(TREE_FAMILIES.objects, { kind: "channel" })).toBeUndefined();
    expect(subject.value(TREE_FAMILIES.objects, { kind: "group" })).toBe(1);
  });
});

describe("rename or move", () => {
  test.each([
    { what: "rename of a group", change: ["10", { name: "Edge" }] as const, path: "Berlin/Edge/sw-1/Uplink" },
    { what: "rename of a sensor", change: ["50", { name: "WAN" }] as const, path: "Berlin/Network/sw-1/WAN" },
    { what: "move of a device", change: ["40", { parent: reference("1") }] as const, path: "Berlin/sw-1/Uplink" },
  ])("reaches every series immediately: $what", async ({ change, path }) => {
    const subject = memoryPipeline(smallServer(), { channelInfo: true, sensorDownDelay: true });
    const more = { limits: { max_error: 1 }, lookup: "acme.load" };
    subject.server.channelRecords = subject.server.channelRecords.map((each) => ({ ...each, ...more }));
    subject.server.lookupDefinitions = [
      { id: "acme.load", name: "", entries: [{ kind: "range", from: 0, to: 100, text: "Loaded" }] },
    ];
    subject.server.change("50", { statusSince: 1, downDelay: 1 });
    await subject.monitor.pollOnce(never);
    subject.server.change(change[0], change[1]);
    subject.server.fail("API_TIMEOUT", "channels", "limits");
    await subject.monitor.pollOnce(never);
    for (const family of Object.values(TREE_FAMILIES)) {
      if (!family.labels.includes("path") || !family.labels.includes("sensor_id")) continue;
      const paths = subject
        .series(family)
        .filter(({ labels }) => labels.sensor_id === "50")
        .map(({ labels }) => labels.path);
      expect([...new Set(paths)], family.name).toEqual([path]);
    }
    expect(subject.value(TREE_FAMILIES.channelValue, { sensor_id: "50", channel_id: "0" })).toBe(50);
  });
});

describe("deleted object", () => {
  test("leaves every family after two complete polls of any collector", async () => {
    const subject = await started();
    subject.server.remove("40", "50", "51");
    await subject.clock.advance(30 * SECOND);
    expect(subject.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    await subject.clock.advance(30 * SECOND);
    for (const family of Object.values(TREE_FAMILIES)) {
      const left = subject
        .series(family)
        .filter(
          ({ labels }) =>
            ["50", "51"].includes(labels.sensor_id ?? "") || labels.id === "40" || labels.device_id === "40",
        );
      expect(left, family.name).toEqual([]);
    }
    await subject.monitor.stop();
  });

  test("stays while lists are incomplete", async () => {
    const subject = await started();
    subject.server.incomplete.add("sensor");
    subject.server.remove("50");
    await subject.clock.advance(4 * MINUTE);
    expect(subject.series(TREE_FAMILIES.sensorStatusCode).map(({ labels }) => labels.sensor_id)).toEqual(["50", "51"]);
    await subject.monitor.stop();
  });
});

describe("new device", () => {
  test("appears at the status poll", async () => {
    const subject = await started();
    subject.server.put(record("device", "41", "10", { name: "sw-2" }), record("sensor", "60", "41", { name: "Ping" }));
    await subject.clock.advance(30 * SECOND);
    expect(subject.value(TREE_FAMILIES.sensorStatusCode, { path: "Berlin/Network/sw-2/Ping" })).toBe(3);
    expect(subject.value(TREE_FAMILIES.deviceInfo, { device_id: "41" })).toBe(1);
    expect(treePolls(subject)).toBe(1);
    await subject.monitor.stop();
  });

  test("triggers one early tree poll if its sensors come first", async () => {
    const subject = await started();
    subject.server.put(
      record("sensor", "60", reference("41", "sw-2", "device"), { name: "Ping", intervalSeconds: 30 }),
    );
    await subject.clock.advance(30 * SECOND);
    expect(treePolls(subject)).toBe(2);
    expect(await subject.own("prtg_exporter_orphan_objects", { server: "hq" })).toBe(1);
    expect(subject.value(TREE_FAMILIES.sensorStatusCode, { path: "sw-2/Ping", device: "sw-2" })).toBe(3);
    // Only the regular polls at 5 and 10 minutes.
    await subject.clock.advance(12 * MINUTE);
    expect(treePolls(subject)).toBe(4);
    // Another one is news again.
    subject.server.put(record("sensor", "61", "42"), record("sensor", "62", "42"));
    await subject.clock.advance(30 * SECOND);
    expect(treePolls(subject)).toBe(5);
    // Same for one that appeared and was hidden again.
    subject.server.put(record("device", "42", "10"));
    await subject.clock.advance(3 * MINUTE);
    expect(treePolls(subject)).toBe(6);
    subject.server.remove("42");
    await subject.clock.advance(MINUTE + 30 * SECOND);
    expect(treePolls(subject)).toBe(7);
    await subject.monitor.stop();
  });

  test("does not trigger a storm of tree polls while they fail", async () => {
    const subject = await started();
    subject.server.put(record("sensor", "60", "41"));
    subject.server.fail("API_TIMEOUT", "counts");
    await subject.clock.advance(4 * MINUTE);
    expect(treePolls(subject)).toBe(2);
    await subject.monitor.stop();
  });

  test("triggers another tree poll if the current one can have missed it", async () => {
    const subject = await started();
    const release = subject.server.hold("counts");
    await subject.clock.advance(5 * MINUTE - SECOND);
    expect(treePolls(subject)).toBe(2);
    subject.server.put(record("sensor", "60", "41"));
    await subject.clock.advance(30 * SECOND);
    expect(treePolls(subject)).toBe(2);
    release();
    await subject.clock.advance(0);
    expect(treePolls(subject)).toBe(3);
    await subject.monitor.stop();
  });

  test("triggers an early tree poll if its channels come before its sensors", async () => {
    const subject = await started();
    await subject.clock.advance(35 * SECOND);
    subject.server.channelRecords.push(channel("60.0", { measuredAt: subject.clock.now(), value: 7 }));
    const release = subject.server.hold("sensor");
    await subject.clock.advance(25 * SECOND);
    subject.server.put(record("sensor", "60", "40", { name: "New", intervalSeconds: 30 }));
    release();
    await subject.clock.advance(0);
    expect(treePolls(subject)).toBe(2);
    expect(subject.value(TREE_FAMILIES.channelValue, { path: "Berlin/Network/sw-1/New" })).toBe(7);
    expect(subject.value(TREE_FAMILIES.sensorInterval, { sensor_id: "60" })).toBe(30);
    await subject.monitor.stop();
  });
});

test("the collector reads children before parents, to know all parents", async () => {
  const subject = memoryPipeline(smallServer());
  await subject.monitor.pollOnce(never);
  const kinds = subject.server.asked.map((asked) => asked.split(" ")[0]);
  expect(kinds.slice(2, 6)).toEqual(["sensor", "device", "group", "probe"]);
});
