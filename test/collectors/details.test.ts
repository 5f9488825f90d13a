import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { record, reference } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { type MemoryPipeline, MINUTE, memoryPipeline, SCHEDULED_WITH_DETAILS } from "./memory-pipeline.ts";
import { channel, smallServer } from "./small-server.ts";

const END = Date.parse("2027-03-01T00:00:00Z");

function subject(): MemoryPipeline {
  const server = smallServer();
  server.licenseUse = { used: 2_600, max: 5_000, expiresAt: END };
  server.autodiscoveries = 2;
  const [probe] = [...server.nodeRecords.values()].filter(({ kind }) => kind === "probe");
  server.connected.set(probe?.id ?? "", true);
  server.channelRecords = [channel("50.0", {}), channel("50.1", {})];
  server.primary = [channel("50.1", {})];
  return memoryPipeline(server, { schedules: SCHEDULED_WITH_DETAILS });
}

const shown = ({ series }: MemoryPipeline) => ({
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
  test("appear with their object", async () => {
    const monitor = subject();
    expect(await monitor.monitor.pollOnce(never)).toBe(true);
    expect(shown(monitor)).toEqual({
      ...{ used: [2_600], max: [5_000], expiry: [END / 1_000], running: [2] },
      probes: [["Berlin", 1]],
      primary: PRIMARY("1"),
    });
  });

  test("need their collector", async () => {
    const { server } = subject();
    const plain = memoryPipeline(server);
    await plain.monitor.pollOnce(never);
    expect(shown(plain)).toEqual(NONE);
    expect(server.asked.filter((asked) => /license|probeConnected|autodisc|primary/.test(asked))).toEqual([]);
  });

  test("stay absent without failure or log line if the server omits them", async () => {
    const monitor = subject();
    const { server } = monitor;
    server.licenseUse = server.autodiscoveries = server.primary = undefined;
    server.connected.clear();
    expect(await monitor.monitor.pollOnce(never)).toBe(true);
    expect(shown(monitor)).toEqual(NONE);
    const other = /channel states are missing/;
    expect(monitor.log.filter(({ level, msg }) => level >= 30 && !other.test(msg))).toEqual([]);
  });

  test("keep other details and prtg_up if one fails", async () => {
    const monitor = subject();
    monitor.server.fail("API_SERVER_ERROR", "license", "probeConnected");
    expect(await monitor.monitor.pollOnce(never)).toBe(false);
    expect(shown(monitor)).toMatchObject({ used: [], probes: [], running: [2], primary: PRIMARY("1") });
    expect(monitor.monitor.status().up).toBe(true);
  });

  test("follow primary channels and renamed probes, and end with their object", async () => {
    const monitor = subject();
    const { server } = monitor;
    await monitor.monitor.pollOnce(never);
    const [probe] = [...server.nodeRecords.values()].filter(({ kind }) => kind === "probe");
    server.change(probe?.id ?? "", { name: "Hamburg" });
    server.primary = [channel("50.0", {})];
    server.connected.set(probe?.id ?? "", false);
    await monitor.monitor.pollOnce(never);
    expect(shown(monitor)).toMatchObject({ probes: [["Hamburg", 0]], primary: PRIMARY("0") });
    // The list names a channel that no longer exists.
    server.channelRecords = [channel("50.1", {})];
    await monitor.monitor.pollOnce(never);
    await monitor.monitor.pollOnce(never);
    expect(shown(monitor).primary).toEqual([]);
    server.primary = [channel("50.1", {})];
    await monitor.monitor.pollOnce(never);
    expect(shown(monitor).primary).toEqual(PRIMARY("1"));
    server.remove("50");
    await monitor.monitor.pollOnce(never);
    await monitor.monitor.pollOnce(never);
    expect(shown(monitor).primary).toEqual([]);
  });

  test("end without confirmation", async () => {
    const monitor = subject();
    await monitor.monitor.pollOnce(never);
    await monitor.clock.advance(46 * MINUTE);
    expect(shown(monitor)).toEqual(NONE);
  });

  test("omit primary channels if the server ignores the filter or sends a part", async () => {
    const monitor = subject();
    const { server } = monitor;
    server.primary = server.channelRecords;
    await monitor.monitor.pollOnce(never);
    expect(shown(monitor).primary).toEqual([]);
    server.primary = [channel("50.1", {})];
    await monitor.monitor.pollOnce(never);
    server.incomplete.add("primaryChannels");
    server.primary = [];
    await monitor.monitor.pollOnce(never);
    expect(shown(monitor).primary).toEqual(PRIMARY("1"));
  });

  test("stop asking further probes after one without details", async () => {
    const monitor = subject();
    const { server } = monitor;
    server.connected.clear();
    for (let id = 900; id < 910; id++) server.put(record("probe", String(id), reference("0"), { name: `P${id}` }));
    await monitor.monitor.pollOnce(never);
    expect(server.timesAsked("probeConnected")).toBe(2);
  });
});
