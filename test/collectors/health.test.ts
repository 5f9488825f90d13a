import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { HealthReader } from "../../src/collectors/health.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { HOUR, MINUTE, type Monitored, monitored, SCHEDULED, SECOND, smallServer } from "./monitored.ts";

async function started(): Promise<Monitored> {
  const subject = monitored(smallServer());
  subject.monitor.start();
  await subject.clock.advance(0);
  return subject;
}

function version({ series }: Monitored): string[] {
  return series(TREE_FAMILIES.serverInfo).map(({ labels }) => labels.version ?? "");
}

test("a server that works again is read at once, however rare the polls are", async () => {
  const subject = await started();
  const asked = () => [subject.server.timesAsked("probe"), subject.server.timesAsked("channels")];
  subject.server.fail("API_UNAVAILABLE", "health", "sensor", "channels");
  await subject.clock.advance(6 * MINUTE);
  expect(await subject.own("prtg_exporter_collector_success", { collector: "tree" })).toBe(0);
  const [probes = 0, channels = 0] = asked();
  subject.server.heal();
  await subject.clock.advance(15 * SECOND);
  expect(await subject.own("prtg_up")).toBe(1);
  // Tree and status each, and the channels: not more than that.
  expect(asked()[0]).toBeLessThanOrEqual(probes + 3);
  expect(asked()[1]).toBe(channels + 1);
  await subject.monitor.stop();
});

describe("one of many servers", () => {
  const health = (subject: Monitored) => subject.server.timesAsked("health");

  async function oneOfMany(isOneOfMany = true, options: Parameters<typeof monitored>[1] = {}): Promise<Monitored> {
    const subject = monitored(smallServer(), { ...options, isOneOfMany });
    subject.monitor.start();
    await subject.clock.advance(0);
    return subject;
  }

  test("is asked for its health every five minutes while its lists come", async () => {
    const [many, few] = [await oneOfMany(), await oneOfMany(false)];
    const before = [health(many), health(few)];
    for (const subject of [many, few]) await subject.clock.advance(10 * MINUTE);
    const [asked, always] = [many, few].map((subject, at) => health(subject) - (before[at] ?? 0));
    expect(always).toBe(40);
    expect(asked).toBe(2);
    expect(await many.own("prtg_up")).toBe(1);
    for (const { monitor } of [many, few]) await monitor.stop();
  });

  test("is asked as often as its schedule says where lists come more seldom than that", async () => {
    const everyMinute = { ...SCHEDULED, status: SCHEDULED.channels };
    const subject = await oneOfMany(true, { schedules: everyMinute });
    await subject.clock.advance(2 * MINUTE);
    const asked = health(subject);
    await subject.clock.advance(2 * MINUTE);
    // The lists are 15, 30, 45 and 60 s old.
    expect(health(subject) - asked).toBeGreaterThanOrEqual(2);
    await subject.monitor.stop();
  });

  test("is known to be down as soon as another, and up again", async () => {
    const subject = await oneOfMany();
    await subject.clock.advance(5 * MINUTE);
    subject.server.fail("API_UNAVAILABLE", "health", "sensor", "channels");
    // The statuses are read every 30 s, and a little later.
    await subject.clock.advance(32 * SECOND);
    expect(await subject.own("prtg_up")).toBe(0);
    const asked = health(subject);
    await subject.clock.advance(MINUTE);
    expect(health(subject)).toBe(asked + 4);
    subject.server.heal();
    await subject.clock.advance(15 * SECOND);
    expect(await subject.own("prtg_up")).toBe(1);
    await subject.monitor.stop();
  });

  test("tells within five minutes of an inactive license, while its lists come", async () => {
    const subject = await oneOfMany();
    await subject.clock.advance(5 * MINUTE);
    subject.server.fail("API_UNAVAILABLE", "health");
    await subject.clock.advance(5 * MINUTE);
    expect(await subject.own("prtg_up")).toBe(0);
    await subject.monitor.stop();
  });
});

describe("the server's version", () => {
  test("is read when the server first works, then every five minutes", async () => {
    const subject = await started();
    expect(version(subject)).toEqual(["25.3.110"]);
    await subject.clock.advance(4 * MINUTE);
    expect(subject.server.timesAsked("version")).toBe(1);
    await subject.clock.advance(MINUTE);
    expect(subject.server.timesAsked("version")).toBe(2);
    expect(subject.server.timesAsked("health")).toBe(21);
    await subject.monitor.stop();
  });

  test("is read again after an outage, and replaces the old one", async () => {
    const subject = await started();
    subject.server.fail("API_UNAVAILABLE", "health");
    await subject.clock.advance(30 * SECOND);
    expect(subject.server.timesAsked("version")).toBe(1);
    subject.server.heal();
    subject.server.versionMembers = new Map([["version", "25.4.111"]]);
    await subject.clock.advance(15 * SECOND);
    expect(version(subject)).toEqual(["25.4.111"]);
    await subject.monitor.stop();
  });

  test("is asked for again where the request was broken off", async () => {
    const stopping = new AbortController();
    const api = smallServer();
    api.version = async () => {
      api.asked.push("version");
      stopping.abort();
      throw stopping.signal.reason;
    };
    const reader = new HealthReader({ api, clock: new ManualClock(), log: pino({ level: "silent" }) });
    await expect(reader.readVersion(stopping.signal)).rejects.toBe(stopping.signal.reason);
    await expect(reader.readVersion(stopping.signal)).rejects.toBe(stopping.signal.reason);
    expect(api.asked).toEqual(["version", "version"]);
  });

  test("does not decide over health", async () => {
    const subject = monitored(smallServer());
    subject.server.fail("API_NOT_FOUND", "version");
    subject.monitor.start();
    await subject.clock.advance(HOUR - 1);
    expect(version(subject)).toEqual([]);
    expect(subject.server.timesAsked("version")).toBe(12);
    expect(await subject.own("prtg_up")).toBe(1);
    expect(subject.log.filter(({ level }) => level >= 50)).toHaveLength(1);
    await subject.monitor.stop();
  });

  test("is withdrawn when the server has not told it for a quarter of an hour", async () => {
    const subject = await started();
    subject.server.fail("API_TIMEOUT", "version");
    await subject.clock.advance(15 * MINUTE - 1);
    expect(version(subject)).toEqual(["25.3.110"]);
    await subject.clock.advance(1);
    expect(version(subject)).toEqual([]);
    await subject.monitor.stop();
  });

  test("that changes brings back collectors which lacked an endpoint", async () => {
    const subject = monitored(smallServer());
    subject.server.fail("API_ENDPOINT_MISSING", "channels");
    subject.monitor.start();
    // Tried after 2, 5, 10 ... 69 minutes, then after little more than an hour: between two of these.
    await subject.clock.advance(2 * HOUR + 40 * MINUTE);
    const tries = subject.server.timesAsked("channels");
    subject.server.heal();
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

test("a server that is not healthy is still polled: its lists may work", async () => {
  const subject = await started();
  subject.server.fail("API_UNAVAILABLE", "health");
  const polls = subject.server.timesAsked("channels");
  await subject.clock.advance(2 * MINUTE);
  expect(subject.server.timesAsked("channels")).toBe(polls + 2);
  await subject.monitor.stop();
});
