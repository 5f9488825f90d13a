import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { HOUR, type MemoryPipeline, MINUTE, memoryPipeline, SCHEDULED, SECOND } from "./memory-pipeline.ts";
import { smallServer } from "./small-server.ts";

async function started(): Promise<MemoryPipeline> {
  const subject = memoryPipeline(smallServer());
  void subject.monitor.start();
  await subject.clock.advance(0);
  return subject;
}

function version({ series }: MemoryPipeline): string[] {
  return series(TREE_FAMILIES.serverInfo).map(({ labels }) => labels.version ?? "");
}

test("a recovered server is read immediately at any poll interval", async () => {
  const subject = await started();
  const asked = () => [subject.server.timesAsked("probe"), subject.server.timesAsked("channels")];
  subject.server.fail("API_UNAVAILABLE", "health", "sensor", "channels");
  await subject.clock.advance(6 * MINUTE);
  expect(await subject.own("prtg_exporter_collector_success", { collector: "tree" })).toBe(0);
  const [probes = 0, channels = 0] = asked();
  subject.server.recover();
  await subject.clock.advance(15 * SECOND);
  expect(await subject.own("prtg_up")).toBe(1);
  // Only tree, status and channels.
  expect(asked()[0]).toBeLessThanOrEqual(probes + 3);
  expect(asked()[1]).toBe(channels + 1);
  await subject.monitor.stop();
});

describe("version of the server", () => {
  test("comes at the first success, then every five minutes", async () => {
    const subject = await started();
    expect(version(subject)).toEqual(["25.3.110"]);
    await subject.clock.advance(4 * MINUTE);
    expect(subject.server.timesAsked("version")).toBe(1);
    await subject.clock.advance(MINUTE);
    expect(subject.server.timesAsked("version")).toBe(2);
    expect(subject.server.timesAsked("health")).toBe(21);
    await subject.monitor.stop();
  });

  test("comes again after an outage and replaces the old one", async () => {
    const subject = await started();
    subject.server.fail("API_UNAVAILABLE", "health");
    await subject.clock.advance(30 * SECOND);
    expect(subject.server.timesAsked("version")).toBe(1);
    subject.server.recover();
    subject.server.versionMembers = new Map([["version", "25.4.111"]]);
    await subject.clock.advance(15 * SECOND);
    expect(version(subject)).toEqual(["25.4.111"]);
    await subject.monitor.stop();
  });

  test("comes again after an aborted request", async () => {
    let stopping = new AbortController();
    const api = smallServer();
    api.version = async () => {
      api.asked.push("version");
      stopping.abort();
      throw stopping.signal.reason;
    };
    const { monitor } = memoryPipeline(api, { schedules: { health: SCHEDULED.health } });
    expect(await monitor.pollOnce(stopping.signal)).toBe(false);
    stopping = new AbortController();
    expect(await monitor.pollOnce(stopping.signal)).toBe(false);
    expect(api.asked).toEqual(["health", "version", "health", "version"]);
  });

  test("does not affect health", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.fail("API_NOT_FOUND", "version");
    void subject.monitor.start();
    await subject.clock.advance(HOUR - 1);
    expect(version(subject)).toEqual([]);
    expect(subject.server.timesAsked("version")).toBe(12);
    expect(await subject.own("prtg_up")).toBe(1);
    expect(subject.log.filter(({ level }) => level >= 50)).toHaveLength(1);
    await subject.monitor.stop();
  });

  test("expires after 15 minutes without an answer", async () => {
    const subject = await started();
    subject.server.fail("API_TIMEOUT", "version");
    await subject.clock.advance(15 * MINUTE - 1);
    expect(version(subject)).toEqual(["25.3.110"]);
    await subject.clock.advance(1);
    expect(version(subject)).toEqual([]);
    await subject.monitor.stop();
  });

  test("re-enables collectors without endpoint when it changes", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.fail("API_ENDPOINT_MISSING", "channels");
    void subject.monitor.start();
    // Between two attempts: 2, 5, 10 ... 69 minutes, then hourly.
    await subject.clock.advance(2 * HOUR + 40 * MINUTE);
    const tries = subject.server.timesAsked("channels");
    subject.server.recover();
    await subject.clock.advance(5 * MINUTE);
    expect(subject.server.timesAsked("channels")).toBe(tries);
    subject.server.versionMembers = new Map([["version", "26.1"]]);
    await subject.clock.advance(6 * MINUTE);
    expect(subject.server.timesAsked("channels")).toBeGreaterThan(tries);
    expect(await subject.own("prtg_exporter_collector_enabled", { collector: "channels" })).toBe(1);
    expect(await subject.own("prtg_up")).toBe(1);
    await subject.monitor.stop();
  });
});

test("the exporter still polls an unhealthy server", async () => {
  const subject = await started();
  subject.server.fail("API_UNAVAILABLE", "health");
  const polls = subject.server.timesAsked("channels");
  await subject.clock.advance(2 * MINUTE);
  expect(subject.server.timesAsked("channels")).toBe(polls + 2);
  await subject.monitor.stop();
});

describe("the check of one of many servers", () => {
  async function oneOfMany(): Promise<MemoryPipeline> {
    const server = smallServer();
    server.hasAllNodes = true;
    const subject = memoryPipeline(server, { isOneOfMany: true });
    void subject.monitor.start();
    await subject.clock.advance(2 * MINUTE);
    return subject;
  }

  async function checksIn(subject: MemoryPipeline, ms: number): Promise<number> {
    const before = subject.server.timesAsked("health");
    await subject.clock.advance(ms);
    return subject.server.timesAsked("health") - before;
  }

  test("happens once a minute while the list of all objects arrives", async () => {
    const subject = await oneOfMany();
    expect(await checksIn(subject, 5 * MINUTE)).toBe(5);
    expect(subject.server.timesAsked("version")).toBe(2);
    expect(await subject.own("prtg_up")).toBe(1);
    await subject.monitor.stop();
  });

  test("happens each time after a failed one", async () => {
    const subject = await oneOfMany();
    subject.server.fail("API_UNAVAILABLE", "health");
    await subject.clock.advance(MINUTE);
    expect(await subject.own("prtg_up")).toBe(0);
    expect(await checksIn(subject, 2 * MINUTE)).toBe(8);
    subject.server.recover();
    await subject.clock.advance(15 * SECOND);
    expect(await subject.own("prtg_up")).toBe(1);
    await subject.monitor.stop();
  });

  test("happens after a short outage, and everything that failed is read again", async () => {
    const subject = await oneOfMany();
    await subject.clock.advance(3 * MINUTE - SECOND);
    subject.server.fail("API_UNAVAILABLE", "health", "all", "sensor", "channels");
    await subject.clock.advance(2 * SECOND);
    expect(await subject.own("prtg_exporter_collector_success", { collector: "tree" })).toBe(0);
    subject.server.recover();
    await subject.clock.advance(14 * SECOND);
    expect(await subject.own("prtg_up")).toBe(1);
    await subject.monitor.stop();
  });

  test("happens each time while the list fails", async () => {
    const subject = await oneOfMany();
    subject.server.fail("API_SERVER_ERROR", "all");
    await subject.clock.advance(MINUTE);
    expect(await checksIn(subject, 2 * MINUTE)).toBe(8);
    await subject.monitor.stop();
  });
});
