import { describe, expect, it } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { record, reference } from "../model/build-record.ts";
import { channel, MINUTE, type Monitored, monitored, SECOND, smallServer } from "./monitored.ts";

const { signal } = new AbortController();

/** Runs of the tree collector so far: no other asks for intervals. */
function treePolls({ server }: Monitored): number {
  return server.asked.filter((asked) => asked === 'sensor {"interval":true}').length;
}

async function started(): Promise<Monitored> {
  const it = monitored(smallServer());
  it.monitor.start();
  await it.clock.advance(SECOND);
  return it;
}

describe("the tree collector", () => {
  it("shows properties and intervals", async () => {
    const it = monitored(smallServer());
    it.server.change("50", { tags: ["a", "b"], priority: 5, type: "snmptraffic", typeName: "SNMP Traffic" });
    await it.monitor.pollOnce(signal);
    expect(it.series(TREE_FAMILIES.sensorInfo)[0]?.labels).toEqual({
      server: "hq",
      sensor_id: "50",
      device_id: "40",
      kind: "snmptraffic",
      kind_name: "SNMP Traffic",
      priority: "5",
      tags: "a,b",
      favorite: "false",
    });
    expect(it.value(TREE_FAMILIES.sensorInterval, { sensor_id: "51" })).toBe(600);
    expect(it.series(TREE_FAMILIES.deviceInfo).map(({ labels }) => labels.host)).toEqual(["192.0.2.1"]);
  });

  it("shows the server's own object counts, and only those", async () => {
    const it = monitored(smallServer());
    it.server.counts = new Map([
      ["sensor", 9],
      ["usergroup", 2],
    ]);
    await it.monitor.pollOnce(signal);
    const shown = () => it.series(TREE_FAMILIES.objects).map(({ labels, value }) => [labels.kind, value]);
    expect(shown()).toEqual([
      ["sensor", 9],
      ["usergroup", 2],
    ]);
    it.server.counts = new Map([["sensor", 8]]);
    await it.monitor.pollOnce(signal);
    expect(shown()).toEqual([["sensor", 8]]);
  });

  it("counts itself where the server does not", async () => {
    const it = monitored(smallServer());
    for (let poll = 0; poll < 2; poll++) await it.monitor.pollOnce(signal);
    const shown = it.series(TREE_FAMILIES.objects).map(({ labels, value }) => [labels.kind, value]);
    expect(shown.sort()).toEqual([
      ["channel", 3],
      ["device", 1],
      ["group", 1],
      ["probe", 1],
      ["sensor", 2],
    ]);
  });

  it("does not count what it has no list of", async () => {
    const it = monitored(smallServer());
    it.server.fail("API_TIMEOUT", "device", "channels");
    await it.monitor.pollOnce(signal);
    expect(it.value(TREE_FAMILIES.objects, { kind: "device" })).toBeUndefined();
    expect(it.value(TREE_FAMILIES.objects, { kind: "channel" })).toBeUndefined();
    expect(it.value(TREE_FAMILIES.objects, { kind: "group" })).toBe(1);
  });
});

describe("a rename or move", () => {
  it.each([
    { what: "rename of a group", change: ["10", { name: "Edge" }] as const, path: "Berlin/Edge/sw-1/Uplink" },
    { what: "rename of a sensor", change: ["50", { name: "WAN" }] as const, path: "Berlin/Network/sw-1/WAN" },
    { what: "move of a device", change: ["40", { parent: reference("1") }] as const, path: "Berlin/sw-1/Uplink" },
  ])("reaches every series at once: $what", async ({ change, path }) => {
    const it = monitored(smallServer(), { channelInfo: true });
    const more = { limits: { max_error: 1 }, lookup: "acme.load" };
    it.server.channelRecords = it.server.channelRecords.map((each) => ({ ...each, ...more }));
    it.server.lookupDefinitions = [
      { id: "acme.load", name: "", entries: [{ kind: "range", from: 0, to: 100, text: "Loaded" }] },
    ];
    it.server.change("50", { statusSince: 1 });
    await it.monitor.pollOnce(signal);
    it.server.change(change[0], change[1]);
    it.server.fail("API_TIMEOUT", "channels", "limits");
    await it.monitor.pollOnce(signal);
    for (const family of Object.values(TREE_FAMILIES)) {
      if (!family.labels.includes("path") || !family.labels.includes("sensor_id")) continue;
      const paths = it
        .series(family)
        .filter(({ labels }) => labels.sensor_id === "50")
        .map(({ labels }) => labels.path);
      expect([...new Set(paths)], family.name).toEqual([path]);
    }
    expect(it.value(TREE_FAMILIES.channelValue, { sensor_id: "50", channel_id: "0" })).toBe(50);
  });
});

describe("what was deleted", () => {
  it("is gone from every family after two complete polls, whichever collector made them", async () => {
    const it = await started();
    it.server.remove("40", "50", "51");
    await it.clock.advance(30 * SECOND);
    expect(it.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    await it.clock.advance(30 * SECOND);
    for (const family of Object.values(TREE_FAMILIES)) {
      const left = it
        .series(family)
        .filter(
          ({ labels }) =>
            ["50", "51"].includes(labels.sensor_id ?? "") || labels.id === "40" || labels.device_id === "40",
        );
      expect(left, family.name).toEqual([]);
    }
    await it.monitor.stop();
  });

  it("stays while lists are incomplete", async () => {
    const it = await started();
    it.server.incomplete.add("sensor");
    it.server.remove("50");
    await it.clock.advance(4 * MINUTE);
    expect(it.series(TREE_FAMILIES.sensorStatusCode).map(({ labels }) => labels.sensor_id)).toEqual(["50", "51"]);
    await it.monitor.stop();
  });
});

describe("a new device", () => {
  it("is seen by the status poll", async () => {
    const it = await started();
    it.server.put(record("device", "41", "10", { name: "sw-2" }), record("sensor", "60", "41", { name: "Ping" }));
    await it.clock.advance(30 * SECOND);
    expect(it.value(TREE_FAMILIES.sensorStatusCode, { path: "Berlin/Network/sw-2/Ping" })).toBe(3);
    expect(it.value(TREE_FAMILIES.deviceInfo, { device_id: "41" })).toBe(1);
    expect(treePolls(it)).toBe(1);
    await it.monitor.stop();
  });

  it("whose sensors are listed before it makes the tree be polled early, once", async () => {
    const it = await started();
    it.server.put(record("sensor", "60", reference("41", "sw-2", "device"), { name: "Ping", intervalSeconds: 30 }));
    await it.clock.advance(30 * SECOND);
    expect(treePolls(it)).toBe(2);
    expect(await it.own("prtg_exporter_orphan_objects", { server: "hq" })).toBe(1);
    expect(it.value(TREE_FAMILIES.sensorStatusCode, { path: "sw-2/Ping", device: "sw-2" })).toBe(3);
    // It stays invisible: no more than the regular polls at 5 and 10 minutes.
    await it.clock.advance(12 * MINUTE);
    expect(treePolls(it)).toBe(4);
    // Another one is news again.
    it.server.put(record("sensor", "61", "42"), record("sensor", "62", "42"));
    await it.clock.advance(30 * SECOND);
    expect(treePolls(it)).toBe(5);
    // One that was revealed, and hidden again, as well.
    it.server.put(record("device", "42", "10"));
    await it.clock.advance(3 * MINUTE);
    expect(treePolls(it)).toBe(6);
    it.server.remove("42");
    await it.clock.advance(MINUTE + 30 * SECOND);
    expect(treePolls(it)).toBe(7);
    await it.monitor.stop();
  });

  it("does not make the tree be polled in a storm while the tree cannot be polled", async () => {
    const it = await started();
    it.server.put(record("sensor", "60", "41"));
    it.server.fail("API_TIMEOUT", "counts");
    await it.clock.advance(4 * MINUTE);
    expect(treePolls(it)).toBe(2);
    await it.monitor.stop();
  });

  it("is asked for again when the tree poll under way may have looked too early", async () => {
    const it = await started();
    const release = it.server.hold("counts");
    await it.clock.advance(5 * MINUTE - SECOND);
    expect(treePolls(it)).toBe(2);
    it.server.put(record("sensor", "60", "41"));
    await it.clock.advance(30 * SECOND);
    expect(treePolls(it)).toBe(2);
    release();
    await it.clock.advance(0);
    expect(treePolls(it)).toBe(3);
    await it.monitor.stop();
  });

  it("whose channels are listed before its sensors makes the tree be polled early", async () => {
    const it = await started();
    await it.clock.advance(35 * SECOND);
    it.server.channelRecords.push(channel("60.0", { measuredAt: it.clock.now(), value: 7 }));
    const release = it.server.hold("sensor");
    await it.clock.advance(25 * SECOND);
    it.server.put(record("sensor", "60", "40", { name: "New", intervalSeconds: 30 }));
    release();
    await it.clock.advance(0);
    expect(treePolls(it)).toBe(2);
    expect(it.value(TREE_FAMILIES.channelValue, { path: "Berlin/Network/sw-1/New" })).toBe(7);
    expect(it.value(TREE_FAMILIES.sensorInterval, { sensor_id: "60" })).toBe(30);
    await it.monitor.stop();
  });
});

it("lists are read children first, so that a list's parents are in a later one", async () => {
  const it = monitored(smallServer());
  await it.monitor.pollOnce(signal);
  const kinds = it.server.asked.map((asked) => asked.split(" ")[0]);
  expect(kinds.slice(2, 6)).toEqual(["sensor", "device", "group", "probe"]);
});
