import { describe, expect, test } from "vitest";
import { never } from "../support/never-aborted.ts";
import { faultsOf } from "./support/delivery-ledger.ts";
import type { MeasurementRun } from "./support/measurement-run.ts";
import {
  BEGIN,
  DAY,
  HOUR,
  type MeasurementSetup,
  MINUTE,
  measurementSetup,
  recordedSensor,
} from "./support/measurement-setup.ts";

const MINUTELY = Array.from({ length: 20 }, (_, index) =>
  recordedSensor(String(100 + index), 60, { phaseSeconds: 3 * index }),
);

/** A sensor's received rows, in seconds since the start. */
function secondsOf({ receiver }: MeasurementSetup, sensorId: string): number[] {
  return receiver.received.filter((row) => row.sensorId === sensorId).map(({ at }) => (at - BEGIN) / 1_000);
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** Has caught up, with an empty request log. */
async function inStep(subject: MeasurementSetup, pollEveryMs?: number): Promise<MeasurementRun> {
  const process = await subject.start();
  await subject.run(process, 3, pollEveryMs);
  subject.server.asked.length = 0;
  return process;
}

describe("mode auto", () => {
  test("reads the live series of each sensor once at the first start", async () => {
    const subject = measurementSetup(MINUTELY);
    const process = await subject.start();
    await subject.run(process, 5);
    expect(subject.server.asked.toSorted()).toEqual(MINUTELY.map(({ id }) => `${id}/live`).toSorted());
    // Second 9. The window began four hours before its read.
    expect(secondsOf(subject, "103")).toEqual(range(-4 * 3_600 + 9, 189, 60));
  });

  test("reads no series while lists show every measurement", async () => {
    const subject = measurementSetup(MINUTELY);
    const process = await inStep(subject, 50_000);
    await subject.run(process, 60, 50_000);
    expect(subject.server.asked).toEqual([]);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("reads only sensors with a gap", async () => {
    const subject = measurementSetup([
      ...MINUTELY,
      recordedSensor("7", 60, { pauses: [{ from: BEGIN + 10 * MINUTE, to: BEGIN + 30 * MINUTE }] }),
    ]);
    const process = await inStep(subject, 50_000);
    await subject.run(process, 60, 50_000);
    expect(subject.server.asked).toEqual(["7/live"]);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test.each([
    { lists: 1, asked: ["7/live"] },
    { lists: 2, asked: [] },
  ])("reads a sensor that is missing in $lists lists: $asked", async ({ lists, asked }) => {
    const subject = measurementSetup([recordedSensor("7", 60), recordedSensor("8", 60)]);
    const { engine } = await inStep(subject);
    await subject.clock.advance(5 * MINUTE);
    await engine.onListPoll(subject.server.list(), () => MINUTE);
    const others = subject.server.list().filter(({ sensorId }) => sensorId === "8");
    for (let count = 0; count < lists; count++) await engine.onListPoll(others, () => MINUTE);
    await Promise.all([engine.readDue(never), subject.clock.advance(MINUTE)]);
    expect(subject.server.asked.filter((each) => each.startsWith("7/"))).toEqual(asked);
  });

  test("reads sensors once a period if they scan faster than list polls", async () => {
    const subject = measurementSetup([recordedSensor("7", 10), recordedSensor("8", 60, { phaseSeconds: 30 })]);
    const process = await inStep(subject);
    await subject.run(process, 30);
    expect(subject.server.asked).toEqual(Array(30).fill("7/live"));
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("delivers all measurements with requests for a third of the sensors per period", async () => {
    const fast = Array.from({ length: 30 }, (_, index) =>
      recordedSensor(String(200 + index), 10, { phaseSeconds: index % 10 }),
    );
    const subject = measurementSetup(fast, { requestsPerCycle: 10 });
    const process = await subject.start();
    await subject.run(process, 30);
    expect(subject.server.asked).toHaveLength(300);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 5 * MINUTE)).toEqual([]);
  });

  test("learns the interval from the series if the server omits it", async () => {
    const subject = measurementSetup([recordedSensor("7", 10)]);
    subject.server.intervalsKnown = false;
    const process = await subject.start();
    await subject.run(process, 20);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("starts a sensor again after a pause longer than the live window", async () => {
    const subject = measurementSetup([
      recordedSensor("7", 60, { pauses: [{ from: BEGIN - 5 * HOUR, to: BEGIN + 20 * MINUTE }] }),
    ]);
    const process = await subject.start();
    await subject.run(process, 19);
    expect([subject.server.asked, subject.receiver.received]).toEqual([[], []]);
    await subject.run(process, 11);
    expect(subject.server.asked).toEqual(["7/live"]);
    expect(secondsOf(subject, "7")).toEqual(range(1_200, 1_740, 60));
  });

  test("delivers the last measurement before a long pause after it left the live window", async () => {
    const subject = measurementSetup([
      recordedSensor("7", 60, { pauses: [{ from: BEGIN + 32 * MINUTE + 1, to: BEGIN + 9 * DAY }] }),
    ]);
    const first = await subject.start();
    await subject.run(first, 10);
    await subject.stop(first);
    await subject.clock.advance(8 * HOUR);
    const second = await subject.start();
    await subject.run(second, 10);
    const rows = subject.receiver.received.filter(({ resolution }) => resolution === "short");
    expect(rows.map(({ at }) => (at - BEGIN) / MINUTE)).toEqual([10, 15, 20, 25, 30]);
    expect(subject.server.asked.filter((asked) => asked !== "7/live")).toEqual(["7/short"]);
    await subject.run(second, 60);
    expect(subject.server.asked).toHaveLength(2);
    await subject.stop(second);
    const received = subject.receiver.received.length;
    const third = await subject.start();
    await subject.run(third, 10);
    expect(subject.receiver.received).toHaveLength(received);
    expect(subject.server.asked).toHaveLength(2);
  });

  test("delivers a measurement that a list shows during the read of the series", async () => {
    const subject = measurementSetup([
      recordedSensor("7", 60, { pauses: [{ from: BEGIN + 6 * MINUTE, to: BEGIN + 9 * DAY }] }),
    ]);
    const process = await inStep(subject);
    // A gap, and 05:00 is measured while the answer is in flight.
    await subject.clock.advance(119_850);
    await process.poll();
    await subject.clock.advance(150);
    await process.engine.onListPoll(subject.server.list(), () => MINUTE);
    await subject.run(process, 5);
    expect(secondsOf(subject, "7").slice(-4)).toEqual([120, 180, 240, 300]);
    expect(subject.server.asked).toEqual(["7/live"]);
  });
});

describe("mode all", () => {
  test("reads every sensor in every period, and lists only confirm it", async () => {
    const subject = measurementSetup([recordedSensor("7", 60), recordedSensor("8", 20)], { mode: "all" });
    const process = await inStep(subject);
    await subject.run(process, 10);
    expect(subject.server.asked.toSorted()).toEqual([...Array(10).fill("7/live"), ...Array(10).fill("8/live")]);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("divides the budget evenly", async () => {
    const subject = measurementSetup(MINUTELY, { mode: "all", requestsPerCycle: 5 });
    const process = await subject.start();
    await subject.run(process, 8);
    const counts = MINUTELY.map(({ id }) => subject.server.asked.filter((asked) => asked === `${id}/live`).length);
    expect(counts).toEqual(Array(20).fill(2));
  });
});

describe("mode off", () => {
  test("delivers only what lists show", async () => {
    const subject = measurementSetup([recordedSensor("7", 20), recordedSensor("8", 60)], { mode: "off" });
    const process = await subject.start();
    await subject.run(process, 5);
    expect(subject.server.asked).toEqual([]);
    expect(secondsOf(subject, "7")).toEqual([0, 60, 120, 180, 240]);
    expect(secondsOf(subject, "8")).toEqual([0, 60, 120, 180, 240]);
  });
});

describe("mode off, beyond the memory limit", () => {
  test("loses and counts new measurements, and delivers waiting ones", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)], { mode: "off", maxPendingPoints: 20 });
    const process = await subject.start();
    subject.receiver.behaviour = "is down";
    await subject.run(process, 15);
    expect(process.counted.dropped).toBe(10);
    subject.receiver.behaviour = "accepts";
    await subject.run(process, 5);
    expect(secondsOf(subject, "7")).toEqual([...range(0, 540, 60), ...range(960, 1_140, 60)]);
  });
});

describe("mode auto without a receiver", () => {
  test("reads series of fast sensors only, for current values", async () => {
    const subject = measurementSetup([recordedSensor("7", 10), recordedSensor("8", 60)], { pushes: false });
    const process = await subject.start();
    await subject.run(process, 10);
    expect(new Set(subject.server.asked)).toEqual(new Set(["7/live"]));
    // First, two lists must skip measurements.
    expect(subject.server.asked.length).toBe(8);
    expect(process.delivery).toBeUndefined();
  });

  test.each([
    { mode: "auto", pages: 4, reads: 4 },
    { mode: "auto", pages: 0, reads: 0 },
    { mode: "auto", pages: 0.5, reads: 0.5 },
    { mode: "auto", pages: 100, reads: 15 },
    { mode: "all", pages: 4, reads: 15 },
  ] as const)("reads $reads series for $pages pages of lists in mode $mode", async ({ mode, pages, reads }) => {
    const sensors = Array.from({ length: 30 }, (_, index) => recordedSensor(String(200 + index), 10));
    const subject = measurementSetup(sensors, { pushes: false, mode, requestsPerCycle: 15 });
    subject.server.pagesPerList = pages;
    const process = await subject.start();
    await subject.run(process, 5);
    subject.server.asked.length = 0;
    await subject.run(process, 30);
    expect(subject.server.asked).toHaveLength(30 * reads);
    // In turn.
    expect(new Set(subject.server.asked).size).toBe(Math.min(30, 30 * reads));
  });

  test("does not add up the pages of minutes without a read", async () => {
    const fast = recordedSensor("7", 10, { pauses: [{ from: BEGIN - HOUR, to: BEGIN + HOUR }] });
    const others = Array.from({ length: 29 }, (_, index) => ({ ...fast, id: String(200 + index) }));
    const subject = measurementSetup([fast, ...others], { pushes: false });
    subject.server.pagesPerList = 4;
    const process = await subject.start();
    await subject.run(process, 60);
    expect(subject.server.asked).toEqual([]);
    await subject.run(process, 5);
    expect(subject.server.asked.length).toBeGreaterThan(4);
    expect(subject.server.asked.length).toBeLessThanOrEqual(20);
  });

  test("reads no further sensors while series cannot be read", async () => {
    const slow = Array.from({ length: 5 }, (_, index) => recordedSensor(String(200 + index), 60));
    const subject = measurementSetup([recordedSensor("7", 10), ...slow], { pushes: false });
    subject.server.failing.set("7", "API_FORBIDDEN");
    const process = await subject.start();
    await subject.run(process, 20);
    expect(new Set(subject.server.asked)).toEqual(new Set(["7/live"]));
  });

  test("sends no request after a start, a failed poll or a pause, because the list is enough", async () => {
    const begin = BEGIN + 30 * MINUTE;
    const subject = measurementSetup(
      [recordedSensor("7", 60), recordedSensor("8", 60, { pauses: [{ from: begin, to: begin + HOUR }] })],
      {
        pushes: false,
      },
    );
    const process = await subject.start();
    await subject.run(process, 10);
    await subject.clock.advance(5 * MINUTE);
    await subject.run(process, 100);
    expect(subject.server.asked).toEqual([]);
  });

  test("uses the newest row of a series if it is newer than the list", async () => {
    const subject = measurementSetup([recordedSensor("7", 10)], { pushes: false });
    const process = await subject.start();
    await subject.run(process, 2);
    const list = subject.server.list();
    await subject.clock.advance(25_000);
    await process.engine.onListPoll(list, () => 10_000);
    await Promise.all([process.engine.readDue(never), subject.clock.advance(1_000)]);
    expect(process.freshest).toEqual([{ sensorId: "7", at: BEGIN + 140_000, values: expect.anything() }]);
    expect(process.freshest[0]?.values).toEqual([
      ["0", expect.any(Number)],
      ["1", 1],
    ]);
  });
});

describe("measurement that only the list shows", () => {
  test("goes out if it is the next one", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    subject.server.seriesLagMs = 30_000;
    const process = await inStep(subject);
    subject.server.failure = "API_UNAVAILABLE";
    await subject.run(process, 10);
    subject.server.failure = undefined;
    await subject.run(process, 3);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
    expect(subject.server.asked).toEqual(["7/live"]);
  });

  test("goes out after one read if the series marks a gap, as for a sensor that is down", async () => {
    const subject = measurementSetup([recordedSensor("7", 10)]);
    const process = await inStep(subject);
    subject.server.down.set("7", subject.server.now());
    await subject.run(process, 10);
    // One read per minute, plus each list's scan.
    expect(subject.server.asked).toEqual(Array(10).fill("7/live"));
    const since = (subject.server.down.get("7") ?? 0) - BEGIN;
    const seconds = secondsOf(subject, "7").filter((second) => second * 1000 > since);
    expect(seconds).toEqual(range(240, 720, 60));
  });

  test("goes out if the series of the sensor stays empty", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    subject.server.answers.set("7", []);
    const process = await subject.start();
    await subject.run(process, 10);
    expect(subject.server.asked).toEqual(["7/live", "7/live"]);
    expect(secondsOf(subject, "7")).toEqual(range(60, 540, 60));
  });
});

describe("failure", () => {
  test.each(["API_SERVER_ERROR", "API_RESPONSE_TOO_LARGE", "API_LIST_TOO_LARGE", "API_MEMORY_FULL"] as const)(
    "affects only one sensor (%s), whose retries become rarer",
    async (code) => {
      const subject = measurementSetup([recordedSensor("7", 60), recordedSensor("8", 60), recordedSensor("9", 10)]);
      subject.server.failing.set("7", code);
      const process = await subject.start();
      await subject.run(process, 34);
      expect(subject.server.asked.filter((asked) => asked === "7/live")).toHaveLength(5);
      subject.server.failing.clear();
      await subject.run(process, 32);
      expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
    },
  );

  test.each(["API_UNAVAILABLE", "API_SUSPENDED", "API_UNAUTHORIZED", "API_RATE_LIMITED"] as const)(
    "ends the cycle if it affects the server (%s)",
    async (code) => {
      const subject = measurementSetup(MINUTELY);
      const process = await subject.start();
      await process.engine.onListPoll(subject.server.list(), () => MINUTE);
      for (const { id } of MINUTELY) subject.server.failing.set(id, code);
      const cycle = process.engine.readDue(never);
      await Promise.all([expect(cycle).rejects.toMatchObject({ code }), subject.clock.advance(MINUTE)]);
      expect(subject.server.asked.length).toBeLessThanOrEqual(2);
    },
  );

  test("rejects if all reads fail", async () => {
    const subject = measurementSetup(MINUTELY);
    const process = await subject.start();
    await process.engine.onListPoll(subject.server.list(), () => MINUTE);
    for (const { id } of MINUTELY) subject.server.failing.set(id, "API_FORBIDDEN");
    const cycle = process.engine.readDue(never);
    await Promise.all([expect(cycle).rejects.toMatchObject({ code: "API_FORBIDDEN" }), subject.clock.advance(MINUTE)]);
    expect(subject.server.asked).toHaveLength(20);
  });

  test("means a missing endpoint after three sensors", async () => {
    const subject = measurementSetup(MINUTELY);
    const process = await subject.start();
    await process.engine.onListPoll(subject.server.list(), () => MINUTE);
    for (const { id } of MINUTELY) subject.server.failing.set(id, "API_ENDPOINT_MISSING");
    const cycle = process.engine.readDue(never);
    await Promise.all([
      expect(cycle).rejects.toMatchObject({ code: "API_ENDPOINT_MISSING" }),
      subject.clock.advance(MINUTE),
    ]);
    expect(subject.server.asked.length).toBeLessThanOrEqual(4);
  });

  test("does not concern the collector if the sensor is deleted", async () => {
    const subject = measurementSetup(MINUTELY);
    subject.server.failing.set("100", "API_ENDPOINT_MISSING");
    subject.server.failing.set("101", "API_NOT_FOUND");
    const process = await subject.start();
    await process.engine.onListPoll(subject.server.list(), () => MINUTE);
    const cycle = process.engine.readDue(never);
    const [report] = await Promise.all([cycle, subject.clock.advance(MINUTE)]);
    expect(report).toEqual({ due: 20, read: 18, failed: 2, requests: 20, deferred: 0 });
  });

  test("is an abort if the cycle was aborted", async () => {
    const subject = measurementSetup(MINUTELY);
    const process = await subject.start();
    await process.engine.onListPoll(subject.server.list(), () => MINUTE);
    const stop = new AbortController();
    const cycle = process.engine.readDue(stop.signal);
    const rejected = expect(cycle).rejects.toThrow("stop");
    await subject.clock.advance(2_500);
    stop.abort(new Error("stop"));
    await rejected;
    expect(subject.server.asked.length).toBeLessThan(6);
  });
});

describe("new and deleted sensors", () => {
  test("stop reads after lists drop a sensor", async () => {
    const subject = measurementSetup([recordedSensor("7", 10), recordedSensor("8", 10)]);
    const process = await inStep(subject);
    const list = () => subject.server.list().filter(({ sensorId }) => sensorId !== "8");
    for (let poll = 0; poll < 3; poll++) {
      await process.engine.onListPoll(list(), () => 10_000);
      await Promise.all([process.engine.readDue(never), subject.clock.advance(MINUTE)]);
    }
    expect(subject.server.asked.filter((asked) => asked === "8/live").length).toBeLessThanOrEqual(1);
    expect(subject.server.asked.filter((asked) => asked === "7/live")).toHaveLength(3);
  });

  test("continue after a sensor returns", async () => {
    const subject = measurementSetup([recordedSensor("7", 60), recordedSensor("8", 60)]);
    const process = await inStep(subject);
    for (let poll = 0; poll < 30; poll++) {
      const list = subject.server.list().filter(({ sensorId }) => sensorId === "7");
      await process.engine.onListPoll(list, () => MINUTE);
      await subject.clock.advance(MINUTE);
    }
    await subject.run(process, 5);
    expect(subject.server.asked).toEqual(["8/live"]);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("ignore an old answer for a returned sensor", async () => {
    const subject = measurementSetup([recordedSensor("7", 60), recordedSensor("8", 60)]);
    const process = await inStep(subject);
    await subject.clock.advance(10 * MINUTE);
    await process.poll();
    const onlySeven = subject.server.list().filter(({ sensorId }) => sensorId === "7");
    for (let poll = 0; poll < 3; poll++) await process.engine.onListPoll(onlySeven, () => MINUTE);
    await process.engine.onListPoll(subject.server.list(), () => MINUTE);
    await subject.run(process, 5);
    expect(subject.server.asked.filter((asked) => asked === "8/live")).toHaveLength(2);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test("drop watermarks a week after the sensor disappears", async () => {
    const subject = measurementSetup([recordedSensor("7", 3_600), recordedSensor("8", 3_600)]);
    const process = await subject.start();
    await subject.run(process, 2);
    const onlySeven = () => subject.server.list().filter(({ sensorId }) => sensorId === "7");
    const kept = () => [...subject.disk.files.values()].join().includes('"8":');
    for (const days of [6, 2]) {
      await subject.clock.advance(days * DAY);
      for (let poll = 0; poll < 3; poll++) await process.engine.onListPoll(onlySeven(), () => HOUR);
      await subject.clock.advance(MINUTE);
      expect(kept()).toBe(days === 6);
    }
  });
});

describe("impossible times", () => {
  test.each(["auto", "all"] as const)(
    "repeat nothing and lose nothing new after the clock goes back 5 h, %s",
    async (mode) => {
      const subject = measurementSetup([recordedSensor("7", 60)], { mode });
      const first = await subject.start();
      await subject.run(first, 3);
      await subject.stop(first);
      const [before] = subject.disk.files.values();
      subject.receiver.received.length = 0;
      subject.clock.setWallClock(BEGIN - 5 * HOUR);
      const second = await subject.start();
      await subject.run(second, 10);
      expect(secondsOf(subject, "7")).toEqual(range(-5 * 3_600, -5 * 3_600 + 540, 60));
      // The watermark stays. The file may be rewritten.
      await subject.stop(second);
      expect([...subject.disk.files.values()]).toEqual([before]);
    },
  );

  test.each(["auto", "all"] as const)("cost nothing in a false jump back, %s", async (mode) => {
    const subject = measurementSetup(MINUTELY, { mode });
    const process = await inStep(subject);
    for (const wrong of [-2 * HOUR, 2 * HOUR, -30 * MINUTE, 8_000 * 365 * DAY]) {
      subject.server.believedOffsetMs = wrong;
      await subject.run(process, 5);
      subject.server.believedOffsetMs = 0;
      await subject.run(process, 10);
    }
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });

  test.each(["auto", "all"] as const)("repeat nothing if the clock goes back and returns, %s", async (mode) => {
    const subject = measurementSetup([recordedSensor("7", 60)], { mode });
    const process = await inStep(subject);
    await subject.run(process, 5);
    const sent = subject.receiver.received.length;
    subject.server.offsetMs = -2 * HOUR;
    await subject.run(process, 10);
    // Sent like new: the server recorded them then.
    const again = subject.receiver.received.slice(sent).map(({ at }) => at);
    expect(again.length).toBeGreaterThan(8);
    subject.server.offsetMs = 0;
    await subject.run(process, 10);
    const after = subject.receiver.received.filter(({ at }) => !again.includes(at));
    expect(new Set(after.map(({ at }) => at)).size).toBe(after.length);
    expect(secondsOf(subject, "7").slice(sent + again.length)).toEqual(expect.arrayContaining(range(600, 24 * 60, 60)));
  });

  test("wait until then in the far future", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    const process = await inStep(subject);
    const [record] = subject.server.list();
    if (record === undefined) throw new Error("no channel");
    await process.engine.onListPoll([{ ...record, measuredAt: BEGIN + DAY }], () => MINUTE);
    await subject.run(process, 5);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });
});

describe("memory limit", () => {
  test("drops and rereads sensors without loss", async () => {
    const subject = measurementSetup(MINUTELY, { maxPendingPoints: 12_000 });
    const process = await subject.start();
    await subject.run(process, 3);
    subject.receiver.behaviour = "is down";
    await subject.run(process, 200);
    expect(process.counted.dropped).toBe(0);
    await subject.run(process, 300);
    const pending = [...(process.delivery?.outbox.pending().values() ?? [])].reduce(
      (sum, { points }) => sum + points,
      0,
    );
    expect(pending).toBeLessThanOrEqual(12_000);
    expect(process.counted.dropped).toBeGreaterThan(0);
    subject.receiver.behaviour = "accepts";
    await subject.run(process, 30);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
    expect(process.counted.delivered.get("live")).toBeGreaterThan(20 * 240 * 2);
  });

  test("leaves rows that do not fit, and newer ones, for the next read", async () => {
    const row = (seconds: number, count: number) => ({
      at: BEGIN + seconds * 1_000,
      values: Array.from({ length: count }, (_, channel) => [String(channel), seconds] as const),
    });
    const subject = measurementSetup([recordedSensor("7", 60)], { maxPendingPoints: 600 });
    const process = await inStep(subject);
    subject.receiver.behaviour = "is down";
    // The second does not fit, the list also has 04:00.
    subject.server.answers.set("7", [row(180, 1), row(190, 600), row(240, 2)]);
    await subject.clock.advance(75_000);
    await subject.run(process, 3, 10_000);
    expect(process.delivery?.outbox.pending().get("live")?.points).toBe(1);
    subject.receiver.behaviour = "accepts";
    await subject.run(process, 4);
    expect(secondsOf(subject, "7").filter((seconds) => seconds > 120 && seconds < 300)).toEqual([180, 190, 240]);
  });

  test("stops reads of series while half of it is full", async () => {
    const subject = measurementSetup([recordedSensor("7", 10)], { maxPendingPoints: 4_000 });
    const process = await subject.start();
    subject.receiver.behaviour = "is down";
    await subject.run(process, 2);
    const asked = subject.server.asked.length;
    await subject.run(process, 30);
    expect(subject.server.asked.length).toBe(asked);
    subject.receiver.behaviour = "accepts";
    await subject.run(process, 5);
    expect(faultsOf(subject.server, subject.receiver.received, [], subject.server.now() - 2 * MINUTE)).toEqual([]);
  });
});

describe("end of the engine", () => {
  test("delivers waiting rows and saves its progress", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    const process = await inStep(subject);
    await process.poll();
    const { writes } = subject.disk;
    await Promise.all([process.stop(10_000), subject.clock.advance(500)]);
    expect(secondsOf(subject, "7").at(-1)).toBe(180);
    expect(subject.disk.writes).toBe(writes + 1);
    expect([...subject.disk.files.values()].join()).toContain(`"7":${BEGIN + 180_000}`);
  });
});

describe("reports of the engine", () => {
  test("list waiting rows by resolution", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    subject.receiver.behaviour = "is down";
    const process = await subject.start();
    await subject.run(process, 3);
    expect(process.delivery?.outbox.pending()).toEqual(
      new Map([["live", { points: 242 * 2, oldestAt: BEGIN - 4 * HOUR + MINUTE }]]),
    );
  });

  test("write watermarks seconds after a move and only if necessary", async () => {
    const subject = measurementSetup([recordedSensor("7", 60)]);
    const process = await subject.start();
    await subject.run(process, 10);
    expect(subject.disk.writes).toBe(10);
    subject.server.failure = "API_UNAVAILABLE";
    await subject.run(process, 10);
    expect(subject.disk.writes).toBe(10);
  });

  test("adopt the list in steps", async () => {
    const subject = measurementSetup(MINUTELY);
    const process = await subject.start();
    let steps = 0;
    await process.engine.onListPoll(subject.server.list(), () => MINUTE, {
      slices: {
        step: () => {
          steps++;
          return steps % 7 === 0 ? Promise.resolve() : undefined;
        },
      },
    });
    // 20 sensors, each twice: the first pass checks the list's order.
    expect(steps).toBe(40);
  });
});
