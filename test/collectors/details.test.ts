import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { record, reference } from "../model/build-record.ts";
import { channel, MINUTE, type Monitored, monitored, SCHEDULED_WITH_DETAILS, smallServer } from "./monitored.ts";

const { signal } = new AbortController();
const END = Date.parse("2027-03-01T00:00:00Z");

function subject(): Monitored {
  const server = smallServer();
  server.licenseUse = { used: 2_600, max: 5_000, expiresAt: END };
  server.autodiscoveries = 2;
  const [probe] = [...server.nodeRecords.values()].filter(({ kind }) => kind === "probe");
  server.connected.set(probe?.id ?? "", true);
  server.channelRecords = [channel("50.0", {}), channel("50.1", {})];
  server.primary = [channel("50.1", {})];
  return monitored(server, { schedules: SCHEDULED_WITH_DETAILS });
}

const shown = ({ series }: Monitored) => ({
  used: series(TREE_FAMILIES.licenseUsed).map(({ value }) => value),
  max: series(TREE_FAMILIES.licenseMax).map(({ value }) => value),
  expiry: series(TREE_FAMILIES.licenseExpiry).map(({ value }) => value),
  running: series(TREE_FAMILIES.autodiscoveries).map(({ value }) => value),
  probes: series(TREE_FAMILIES.probeConnected).map(({ labels, value }) => [labels.path, value]),
  primary: series(TREE_FAMILIES.channelPrimary).map(({ labels, value }) => [labels, value]),
});

const PRIMARY = (channelId: string) => [[{ server: "hq", sensor_id: "50", channel_id: channelId }, 1]];
const NONE = { used: [], max: [], expiry: [], running: [], probes: [], primary: [] };

describe("details", () => {
  test("are shown with what they are about", async () => {
    const monitor = subject();
    expect(await monitor.monitor.pollOnce(signal)).toBe(true);
    expect(shown(monitor)).toEqual({
      ...{ used: [2_600], max: [5_000], expiry: [END / 1_000], running: [2] },
      probes: [["Berlin", 1]],
      primary: PRIMARY("1"),
    });
  });

  test("are not asked for without their collector", async () => {
    const { server } = subject();
    const plain = monitored(server);
    await plain.monitor.pollOnce(signal);
    expect(shown(plain)).toEqual(NONE);
    expect(server.asked.filter((asked) => /license|probeConnected|autodisc|primary/.test(asked))).toEqual([]);
  });

  test("that the server does not tell are absent, without a failure or a line in the log", async () => {
    const monitor = subject();
    const { server } = monitor;
    server.licenseUse = server.autodiscoveries = server.primary = undefined;
    server.connected.clear();
    expect(await monitor.monitor.pollOnce(signal)).toBe(true);
    expect(shown(monitor)).toEqual(NONE);
    const other = /channel states are missing/;
    expect(monitor.log.filter(({ level, msg }) => level >= 30 && !other.test(msg))).toEqual([]);
  });

  test("one that fails leaves the others, and prtg_up as it is", async () => {
    const monitor = subject();
    monitor.server.fail("API_SERVER_ERROR", "license", "probeConnected");
    expect(await monitor.monitor.pollOnce(signal)).toBe(false);
    expect(shown(monitor)).toMatchObject({ used: [], probes: [], running: [2], primary: PRIMARY("1") });
    expect(monitor.monitor.status().up).toBe(true);
  });

  test("follow: another primary channel, a renamed probe, and what goes takes its series along", async () => {
    const monitor = subject();
    const { server } = monitor;
    await monitor.monitor.pollOnce(signal);
    const [probe] = [...server.nodeRecords.values()].filter(({ kind }) => kind === "probe");
    server.change(probe?.id ?? "", { name: "Hamburg" });
    server.primary = [channel("50.0", {})];
    server.connected.set(probe?.id ?? "", false);
    await monitor.monitor.pollOnce(signal);
    expect(shown(monitor)).toMatchObject({ probes: [["Hamburg", 0]], primary: PRIMARY("0") });
    // The list names a channel that no longer exists.
    server.channelRecords = [channel("50.1", {})];
    await monitor.monitor.pollOnce(signal);
    await monitor.monitor.pollOnce(signal);
    expect(shown(monitor).primary).toEqual([]);
    server.primary = [channel("50.1", {})];
    await monitor.monitor.pollOnce(signal);
    expect(shown(monitor).primary).toEqual(PRIMARY("1"));
    server.remove("50");
    await monitor.monitor.pollOnce(signal);
    await monitor.monitor.pollOnce(signal);
    expect(shown(monitor).primary).toEqual([]);
  });

  test("go when nothing confirms them any more", async () => {
    const monitor = subject();
    await monitor.monitor.pollOnce(signal);
    await monitor.clock.advance(46 * MINUTE);
    expect(shown(monitor)).toEqual(NONE);
  });

  test("a server that ignores the filter shows no primary channel, and part of a list changes none", async () => {
    const monitor = subject();
    const { server } = monitor;
    server.primary = server.channelRecords;
    await monitor.monitor.pollOnce(signal);
    expect(shown(monitor).primary).toEqual([]);
    server.primary = [channel("50.1", {})];
    await monitor.monitor.pollOnce(signal);
    server.incomplete.add("primaryChannels");
    server.primary = [];
    await monitor.monitor.pollOnce(signal);
    expect(shown(monitor).primary).toEqual(PRIMARY("1"));
  });

  test("probes that say nothing are not all asked", async () => {
    const monitor = subject();
    const { server } = monitor;
    server.connected.clear();
    for (let id = 900; id < 910; id++) server.put(record("probe", String(id), reference("0"), { name: `P${id}` }));
    await monitor.monitor.pollOnce(signal);
    expect(server.timesAsked("probeConnected")).toBe(2);
  });
});
