import { describe, expect, it } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { HOUR, MINUTE, type Monitored, monitored, SECOND, smallServer } from "./monitored.ts";

async function started(): Promise<Monitored> {
  const it = monitored(smallServer());
  it.monitor.start();
  await it.clock.advance(0);
  return it;
}

function version({ series }: Monitored): string[] {
  return series(TREE_FAMILIES.serverInfo).map(({ labels }) => labels.version ?? "");
}

it("a server that works again is read at once, however rare the polls are", async () => {
  const it = await started();
  const asked = () => [it.server.timesAsked("probe"), it.server.timesAsked("channels")];
  it.server.fail("API_UNAVAILABLE", "health", "sensor", "channels");
  await it.clock.advance(6 * MINUTE);
  expect(await it.own("prtg_exporter_collector_success", { collector: "tree" })).toBe(0);
  const [probes = 0, channels = 0] = asked();
  it.server.heal();
  await it.clock.advance(15 * SECOND);
  expect(await it.own("prtg_up")).toBe(1);
  // Tree and status each, and the channels: not more than that.
  expect(asked()[0]).toBeLessThanOrEqual(probes + 3);
  expect(asked()[1]).toBe(channels + 1);
  await it.monitor.stop();
});

describe("the server's version", () => {
  it("is read when the server first works, then every five minutes", async () => {
    const it = await started();
    expect(version(it)).toEqual(["25.3.110"]);
    await it.clock.advance(4 * MINUTE);
    expect(it.server.timesAsked("version")).toBe(1);
    await it.clock.advance(MINUTE);
    expect(it.server.timesAsked("version")).toBe(2);
    expect(it.server.timesAsked("health")).toBe(21);
    await it.monitor.stop();
  });

  it("is read again after an outage, and replaces the old one", async () => {
    const it = await started();
    it.server.fail("API_UNAVAILABLE", "health");
    await it.clock.advance(30 * SECOND);
    expect(it.server.timesAsked("version")).toBe(1);
    it.server.heal();
    it.server.versionMembers = new Map([["version", "25.4.111"]]);
    await it.clock.advance(15 * SECOND);
    expect(version(it)).toEqual(["25.4.111"]);
    await it.monitor.stop();
  });

  it("does not decide over health", async () => {
    const it = monitored(smallServer());
    it.server.fail("API_NOT_FOUND", "version");
    it.monitor.start();
    await it.clock.advance(HOUR - 1);
    expect(version(it)).toEqual([]);
    expect(it.server.timesAsked("version")).toBe(12);
    expect(await it.own("prtg_up")).toBe(1);
    expect(it.log.filter(({ level }) => level >= 50)).toHaveLength(1);
    await it.monitor.stop();
  });

  it("is withdrawn when the server has not told it for a quarter of an hour", async () => {
    const it = await started();
    it.server.fail("API_TIMEOUT", "version");
    await it.clock.advance(15 * MINUTE - 1);
    expect(version(it)).toEqual(["25.3.110"]);
    await it.clock.advance(1);
    expect(version(it)).toEqual([]);
    await it.monitor.stop();
  });

  it("that changes brings back collectors which lacked an endpoint", async () => {
    const it = monitored(smallServer());
    it.server.fail("API_ENDPOINT_MISSING", "channels");
    it.monitor.start();
    // Tried after 1, 3, 7 ... 63 minutes, then every hour: between two of these.
    await it.clock.advance(3 * HOUR + 10 * MINUTE);
    const tries = it.server.timesAsked("channels");
    it.server.heal();
    await it.clock.advance(5 * MINUTE);
    expect(it.server.timesAsked("channels")).toBe(tries);
    it.server.versionMembers = new Map([["version", "26.1"]]);
    await it.clock.advance(6 * MINUTE);
    expect(it.server.timesAsked("channels")).toBeGreaterThan(tries);
    expect(await it.own("prtg_exporter_collector_enabled", { collector: "channels" })).toBe(1);
    expect(await it.own("prtg_up")).toBe(1);
    await it.monitor.stop();
  });
});

it("a server that is not healthy is still polled: its lists may work", async () => {
  const it = await started();
  it.server.fail("API_UNAVAILABLE", "health");
  const polls = it.server.timesAsked("channels");
  await it.clock.advance(2 * MINUTE);
  expect(it.server.timesAsked("channels")).toBe(polls + 2);
  await it.monitor.stop();
});
