import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { ChannelLimits } from "../../src/prtg/records.ts";
import { record } from "../model/build-record.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { channel, HOUR, MINUTE, type Monitored, monitored, SECOND, smallServer } from "./monitored.ts";

const STATUS = TREE_FAMILIES.sensorStatusCode;
const VALUE = TREE_FAMILIES.channelValue;
const LISTS = ["sensor", "device", "group", "probe", "channels", "limits"] as const;

/** Sensors below the device of the small server, each with a channel that is measured each minute. */
function largeServer(sensors: number) {
  const server = smallServer();
  for (let id = 1_000; id < 1_000 + sensors; id++) {
    server.put(record("sensor", String(id), "40", { name: `S${id}`, intervalSeconds: 60 }));
  }
  return server;
}

function measure({ server, clock }: Monitored, value: number): void {
  const sensors = [...server.nodeRecords.values()].filter(({ kind }) => kind === "sensor");
  server.channelRecords = sensors.map(({ id }) => channel(`${id}.0`, { value, measuredAt: clock.now() }));
}

/** Lets time pass, in which each sensor is measured each minute. */
async function measuring(subject: Monitored, minutes: number, value: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    measure(subject, value);
    await subject.clock.advance(MINUTE);
  }
}

async function started(sensors = 0, requestsPerSecond = 10): Promise<Monitored> {
  const subject = monitored(largeServer(sensors), { requestsPerSecond });
  measure(subject, 1);
  void subject.monitor.start();
  await subject.clock.advance(MINUTE);
  expect(subject.series(STATUS)).toHaveLength(sensors + 2);
  return subject;
}

function warnings({ log }: Monitored): string[] {
  return log.filter(({ level }) => level >= 40).map(({ msg }) => msg);
}

describe("with all lists gone", () => {
  test("statuses and values of what is known go on, and the collectors work", async () => {
    const subject = await started();
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    await subject.clock.advance(MINUTE);
    subject.server.change("50", { status: "down" });
    await measuring(subject, 20, 2);
    expect(subject.value(STATUS, { sensor_id: "50" })).toBe(5);
    expect(subject.value(STATUS, { sensor_id: "51" })).toBe(3);
    expect(subject.series(VALUE).map(({ value }) => value)).toEqual([2, 2]);
    // As they were in the list: the data of a sensor has none.
    expect(subject.series(VALUE).map(({ labels }) => labels.unit)).toEqual(["%", "%"]);
    expect(subject.series(TREE_FAMILIES.sensorInterval)).toHaveLength(2);
    expect(await subject.own("prtg_up")).toBe(1);
    expect(warnings(subject).filter((line) => line.includes("one by one"))).toEqual([
      "the server has no lists of sensors, devices, groups, probes: those that are known are read one by one, each every 30 s, and new ones are not found",
      "the server has no lists of channels: those that are known are read one by one, each every 60 s, and new ones are not found",
    ]);
    await subject.monitor.stop();
  });

  test("no series is missing at any time, however long a round is, and the budget is kept", async () => {
    // 0.5 requests a second: 300 sensors take ten minutes for statuses, and as long for values.
    const subject = await started(300, 1);
    const { server, clock } = subject;
    server.fail("API_ENDPOINT_MISSING", ...LISTS);
    const before = server.asked.length;
    for (let minute = 0; minute < 60; minute++) {
      await measuring(subject, 1, 100 + minute);
      expect(subject.series(STATUS)).toHaveLength(302);
      expect(subject.series(VALUE)).toHaveLength(302);
    }
    const asked = server.asked.slice(before);
    const singles = asked.filter((each) => /^(node|sensorChannels) /.test(each));
    // One a second, of which the first runs, while only one of the collectors knows, have all.
    expect(singles.length).toBeLessThan(60 * 60 + 60);
    expect(singles.length).toBeGreaterThan(60 * 50);
    const values = subject.series(VALUE).map(({ value }) => value);
    // The oldest first: each is of the last round.
    expect(Math.min(...values)).toBeGreaterThanOrEqual(159 - 13);
    expect(await subject.own("prtg_exporter_one_by_one_round_seconds", { collector: "channels" })).toBe(660);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "status" })).toBe(305);
    expect(clock.monotonic()).toBe(61 * MINUTE);
    await subject.monitor.stop();
  });

  test("a value that is not measured any more goes, after as long as a round takes longer", async () => {
    const subject = await started(300, 1);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    // Five minutes, and the eleven that a round takes, from the last measurement on.
    await subject.clock.advance(14 * MINUTE);
    expect(subject.series(VALUE)).toHaveLength(302);
    await subject.clock.advance(MINUTE);
    // But for the sensor that is measured every ten minutes.
    expect(subject.series(VALUE)).toHaveLength(1);
    await subject.monitor.stop();
  });

  test("an age that the configuration sets is not stretched", async () => {
    const subject = monitored(largeServer(300), { requestsPerSecond: 1, staleAfterMs: 3 * MINUTE });
    measure(subject, 1);
    void subject.monitor.start();
    await subject.clock.advance(MINUTE);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    await subject.clock.advance(2 * MINUTE);
    expect(subject.series(VALUE)).toEqual([]);
    await subject.monitor.stop();
  });

  test("an object that is gone goes, when others of its kind are still found", async () => {
    const subject = await started(5);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    await measuring(subject, 2, 1);
    subject.server.remove("1002");
    await measuring(subject, 2, 1);
    expect(subject.series(STATUS).map(({ labels }) => labels.sensor_id)).not.toContain("1002");
    expect(subject.series(VALUE)).toHaveLength(6);
    expect(subject.monitor.node("1002")).toBeUndefined();
    await subject.monitor.stop();
  });

  test("the lists are asked for every ten minutes, and read again when they are back", async () => {
    const subject = await started(5);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    await measuring(subject, 5, 1);
    const asked = subject.server.timesAsked("sensor");
    await measuring(subject, 30, 2);
    expect(subject.server.timesAsked("sensor") - asked).toBeLessThanOrEqual(4);
    subject.server.heal();
    subject.server.put(record("sensor", "2000", "40", { name: "New" }));
    await measuring(subject, 11, 3);
    expect(subject.series(STATUS)).toHaveLength(8);
    expect(subject.series(VALUE)).toHaveLength(8);
    const singles = subject.server.timesAsked("node") + subject.server.timesAsked("sensorChannels");
    await measuring(subject, 5, 4);
    expect(subject.server.timesAsked("node") + subject.server.timesAsked("sensorChannels")).toBe(singles);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "channels" })).toBe(0);
    expect(subject.log.filter(({ msg }) => msg.startsWith("lists are there again"))).toHaveLength(2);
    await subject.monitor.stop();
  });

  test("a 404 of a moment is bridged, and the next run asks for the list", async () => {
    const subject = await started(5);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    await subject.clock.advance(30 * SECOND);
    subject.server.heal();
    subject.server.put(record("sensor", "2000", "40", { name: "New" }));
    await subject.clock.advance(MINUTE);
    expect(subject.series(STATUS)).toHaveLength(8);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "status" })).toBe(0);
    await subject.monitor.stop();
  });

  test("what runs another version, or was down, is asked for its lists at once", async () => {
    const subject = await started(5);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    await measuring(subject, 3, 1);
    subject.server.heal();
    subject.server.versionMembers = new Map([["version", "27.1"]]);
    // It tells its version every five minutes.
    await measuring(subject, 4, 2);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "status" })).toBe(0);
    await subject.monitor.stop();
  });

  test("paused sensors, which have no values, cost no request for them", async () => {
    const subject = await started(5);
    for (const id of ["1000", "1001", "1002"]) subject.server.change(id, { status: "pausedbyuser" });
    await subject.clock.advance(MINUTE);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    await measuring(subject, 2, 1);
    const before = subject.server.asked.length;
    await measuring(subject, 3, 1);
    const asked = subject.server.asked.slice(before).filter((each) => each.startsWith("sensorChannels "));
    expect(asked.some((each) => each.includes("1001"))).toBe(false);
    expect(new Set(asked).size).toBe(4);
    await subject.monitor.stop();
  });
});

describe("limits, with the lists of channels gone", () => {
  const LIMIT = TREE_FAMILIES.channelLimit;
  const LISTLESS = ["channels", "limits"] as const;
  const limitsOf = new Map<string, ChannelLimits>();

  function limit({ server }: Monitored): void {
    server.channelRecords = server.channelRecords.map((each) => ({
      ...each,
      limits: limitsOf.get(each.sensorId) ?? {},
    }));
  }

  async function measuringLimited(subject: Monitored, minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      measure(subject, 1);
      limit(subject);
      await subject.clock.advance(MINUTE);
    }
  }

  async function startedLimited(limited: number, unlimited: number, requestsPerSecond = 10): Promise<Monitored> {
    limitsOf.clear();
    for (let id = 1_000; id < 1_000 + limited; id++) limitsOf.set(String(id), { max_error: 90 });
    const subject = monitored(largeServer(limited + unlimited), { requestsPerSecond });
    measure(subject, 1);
    limit(subject);
    void subject.monitor.start();
    await subject.clock.advance(MINUTE);
    expect(subject.series(LIMIT)).toHaveLength(limited);
    return subject;
  }

  test("that are known are read channel by channel, and what has none is not asked for", async () => {
    const subject = await startedLimited(3, 20);
    const { server } = subject;
    server.fail("API_ENDPOINT_MISSING", ...LISTLESS);
    await measuringLimited(subject, 20);
    limitsOf.set("1000", { max_error: 70, min_error: 10 });
    limitsOf.delete("1001");
    limitsOf.set("1010", { max_error: 50 });
    await measuringLimited(subject, 120);
    const shown = subject.series(LIMIT).map(({ labels, value }) => `${labels.sensor_id} ${labels.limit} ${value}`);
    expect(shown.toSorted()).toEqual(["1000 max_error 70", "1000 min_error 10", "1002 max_error 90"]);
    expect(subject.series(TREE_FAMILIES.channelLimitExceeded)).toHaveLength(3);
    const asked = new Set(server.asked.filter((each) => each.startsWith("channel ")));
    expect([...asked].map((each) => each.slice(8)).toSorted()).toEqual(
      ["1000", "1001", "1002"].map((sensorId) => JSON.stringify({ sensorId, channelId: "0" })),
    );
    expect(await subject.own("prtg_exporter_collector_enabled", { collector: "limits" })).toBe(1);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "limits" })).toBe(2);
    expect(warnings(subject)).toContain(
      "the server has no lists of limits of channels: those that are known are read one by one, each every 900 s, and new ones are not found",
    );
    server.heal();
    await measuringLimited(subject, 30);
    expect(subject.series(LIMIT)).toHaveLength(4);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "limits" })).toBe(0);
    await subject.monitor.stop();
  });

  test("none is missing at any time, however long a round is, and values hardly wait for them", async () => {
    // A sixth of a request a second: 150 in a quarter of an hour.
    const subject = await startedLimited(600, 0, 1);
    const { server } = subject;
    server.fail("API_ENDPOINT_MISSING", ...LISTLESS);
    await measuringLimited(subject, 16);
    const before = server.asked.length;
    for (let minute = 0; minute < 150; minute++) {
      await measuringLimited(subject, 1);
      expect(subject.series(LIMIT)).toHaveLength(600);
    }
    const asked = server.asked.slice(before);
    const limits = asked.filter((each) => each.startsWith("channel ")).length;
    expect(limits).toBeGreaterThan(1_300);
    expect(limits).toBeLessThanOrEqual(1_650);
    const values = asked.filter((each) => each.startsWith("sensorChannels ")).length;
    expect(values).toBeGreaterThan(4 * limits);
    expect(await subject.own("prtg_exporter_one_by_one_round_seconds", { collector: "limits" })).toBe(3_600);
    await subject.monitor.stop();
  });

  test("are still known when the server comes back after hours without lists", async () => {
    const subject = await startedLimited(5, 5);
    subject.server.fail("API_UNAVAILABLE", ...LISTLESS, "channel");
    await measuringLimited(subject, 120);
    expect(subject.series(LIMIT)).toEqual([]);
    subject.server.heal();
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTLESS);
    await measuringLimited(subject, 20);
    expect(subject.series(LIMIT)).toHaveLength(5);
    expect(subject.server.timesAsked("channel")).toBeLessThan(20);
    await subject.monitor.stop();
  });

  test("go where single channels are gone, too", async () => {
    const subject = await startedLimited(5, 0);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTLESS);
    subject.server.fail("API_NOT_FOUND", "channel");
    await measuringLimited(subject, 80);
    expect(subject.series(LIMIT)).toEqual([]);
    expect(subject.series(VALUE)).toHaveLength(7);
    expect(await subject.own("prtg_exporter_collector_enabled", { collector: "limits" })).toBe(0);
    expect(await subject.own("prtg_up")).toBe(1);
    await subject.monitor.stop();
  });
});

describe("after a start without lists", () => {
  /** An exporter that knows the lists of a server, and one after it that has none. */
  async function restarted(sensors: number, requestsPerSecond: number) {
    const server = largeServer(sensors);
    const files = memoryFiles();
    const first = monitored(server, { requestsPerSecond, files });
    measure(first, 1);
    void first.monitor.start();
    await first.clock.advance(MINUTE);
    await first.monitor.stop();
    server.fail("API_ENDPOINT_MISSING", ...LISTS);
    server.asked.length = 0;
    return monitored(server, { requestsPerSecond, files });
  }

  test("what was known before is shown again, within the budget, as it was with lists", async () => {
    const subject = await restarted(300, 10);
    void subject.monitor.start();
    // Ten requests a second: 305 objects, the values of 302 sensors, and once the units of their channels.
    await measuring(subject, 5, 2);
    expect(subject.series(STATUS)).toHaveLength(302);
    expect(subject.series(VALUE)).toHaveLength(302);
    const [{ labels } = { labels: {} }] = subject.series(VALUE);
    expect(labels).toMatchObject({ probe: "Berlin", group: "Network", device: "sw-1", unit: "%" });
    expect(await subject.own("prtg_up")).toBe(1);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "status" })).toBe(305);
    const singles = subject.server.asked.filter((each) => /^(node|sensorChannels|channel) /.test(each));
    expect(singles.length).toBeGreaterThan(3 * 302);
    // As above, the first run has all.
    expect(singles.length).toBeLessThan(5 * 60 * 10 + 60);
    await subject.monitor.stop();
  });

  test("nothing hangs below what is not there yet: what is above others is read first", async () => {
    const subject = await restarted(50, 1);
    void subject.monitor.start();
    await measuring(subject, 1, 2);
    const asked = subject.server.asked.filter((each) => each.startsWith("node ")).slice(0, 3);
    expect(asked.map((each) => each.slice(5))).toEqual(
      [
        { kind: "probe", id: "1" },
        { kind: "group", id: "10" },
        { kind: "device", id: "40" },
      ].map((each) => JSON.stringify(each)),
    );
    await subject.monitor.stop();
  });

  test("what is gone by then is not asked for for ever", async () => {
    const subject = await restarted(5, 10);
    subject.server.remove("1002");
    void subject.monitor.start();
    await measuring(subject, 3, 2);
    expect(subject.series(STATUS)).toHaveLength(6);
    const asked = () => subject.server.asked.filter((each) => each.includes('"1002"')).length;
    const before = asked();
    expect(before).toBe(2);
    await measuring(subject, 3, 2);
    expect(asked()).toBe(before);
    await subject.monitor.stop();
  });

  test("lists that come back are read, and new objects found", async () => {
    const subject = await restarted(5, 10);
    void subject.monitor.start();
    await measuring(subject, 2, 2);
    subject.server.heal();
    subject.server.put(record("sensor", "2000", "40", { name: "New" }));
    await measuring(subject, 11, 3);
    expect(subject.series(STATUS)).toHaveLength(8);
    expect(await subject.own("prtg_exporter_one_by_one_objects", { collector: "status" })).toBe(0);
    await subject.monitor.stop();
  });

  test("without single objects either, it is as if nothing had been known", async () => {
    const subject = await restarted(5, 10);
    subject.server.singles = false;
    void subject.monitor.start();
    await measuring(subject, 10, 2);
    expect(subject.series(STATUS)).toEqual([]);
    expect(await subject.own("prtg_up")).toBe(0);
    await subject.monitor.stop();
  });
});

test("only what is missing is read one by one", async () => {
  const subject = await started(5);
  subject.server.fail("API_ENDPOINT_MISSING", "device");
  await measuring(subject, 10, 2);
  const asked = subject.server.asked.filter((each) => each.startsWith("node "));
  expect(new Set(asked)).toEqual(new Set(['node {"kind":"device","id":"40"}']));
  expect(subject.server.timesAsked("sensorChannels")).toBe(0);
  expect(subject.series(TREE_FAMILIES.deviceInfo)).toHaveLength(1);
  await subject.monitor.stop();
});

describe("with single objects gone, too", () => {
  test("nothing is known any more, and nothing goes on being asked", async () => {
    const subject = await started(20);
    subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
    subject.server.singles = false;
    await subject.clock.advance(HOUR);
    expect(subject.series(STATUS)).toEqual([]);
    expect(await subject.own("prtg_up")).toBe(0);
    expect(await subject.own("prtg_exporter_collector_enabled", { collector: "status" })).toBe(0);
    // Three of each kind, at ever rarer runs.
    expect(subject.server.timesAsked("node")).toBeLessThan(60);
    // No object is gone on the word of an endpoint that is.
    expect(subject.monitor.node("1000")).toBeDefined();
    await subject.monitor.stop();
  });
});

test("a server that fails ends the run: its objects are not asked for one after the other", async () => {
  const subject = await started(20);
  subject.server.fail("API_ENDPOINT_MISSING", ...LISTS);
  await measuring(subject, 3, 1);
  subject.server.fail("API_UNAVAILABLE", "node", "sensorChannels");
  const before = subject.server.asked.length;
  await subject.clock.advance(2 * MINUTE);
  const asked = subject.server.asked.slice(before).filter((each) => /^(node|sensorChannels) /.test(each));
  // Two at a time, in each run of status and channels.
  expect(asked.length).toBeLessThanOrEqual(2 * (5 + 3));
  expect(await subject.own("prtg_up")).toBe(0);
  await subject.monitor.stop();
});
