import { describe, expect, test } from "vitest";
import type { MeasurementRow } from "../../src/measurements/measurement.ts";
import type { MeasurementRun } from "./support/measurement-run.ts";
import {
  BEGIN,
  HOUR,
  type MeasurementSetup,
  MINUTE,
  measurementSetup,
  recordedSensor,
} from "./support/measurement-setup.ts";
import type { ReceivedRow } from "./support/memory-sink.ts";
import type { RecordedSensor } from "./support/recorded-server.ts";

const QUARTER_HOURLY = recordedSensor("7", 900, { phaseSeconds: 300 });
const LOOK_BACK = 5 * MINUTE;

interface Subject extends MeasurementSetup {
  process: MeasurementRun;
  /** Sensors without served values. */
  readonly withdrawn: Set<string>;
  /** Sensors of a disconnected probe. */
  readonly heldBack: Set<string>;
}

async function repeating(sensors: readonly RecordedSensor[], mode: "auto" | "all" | "off" = "auto"): Promise<Subject> {
  const withdrawn = new Set<string>();
  const heldBack = new Set<string>();
  const values = (id: string): MeasurementRow["values"] => {
    const listed = subject.server.list().filter(({ sensorId }) => sensorId === id && !withdrawn.has(id));
    return listed.flatMap(({ channelId, value }) => (value === undefined ? [] : [[channelId, value]]));
  };
  const subject = measurementSetup(sensors, {
    mode,
    repeats: { intervalMs: 4 * MINUTE, valuesOf: values, isHeldBack: (id) => heldBack.has(id) },
  });
  return Object.assign(subject, { withdrawn, heldBack, process: await subject.start() });
}

const repeatsOf = ({ receiver }: MeasurementSetup, sensorId = "7") =>
  receiver.received.filter((row) => row.sensorId === sensorId && row.resolution === "repeated");

/** Longest time with the newest point older than the look-back. */
function longestGap(rows: readonly ReceivedRow[], since: number, until: number): number {
  let visibleUntil = Number.NEGATIVE_INFINITY;
  let longest = 0;
  for (const { at, receivedAt } of rows) {
    longest = Math.max(longest, receivedAt - Math.max(visibleUntil, since));
    visibleUntil = Math.max(visibleUntil, at + LOOK_BACK);
  }
  return Math.max(longest, until - visibleUntil);
}

describe("sensor with a scan every 15 minutes", () => {
  test.each(["auto", "all", "off"] as const)("always has a point of the last five minutes in mode %s", async (mode) => {
    const subject = await repeating([QUARTER_HOURLY], mode);
    await subject.run(subject.process, 240);
    const rows = subject.receiver.received.filter(({ sensorId }) => sensorId === "7");
    expect(longestGap(rows, BEGIN + 10 * MINUTE, subject.clock.now())).toBe(0);
    expect(repeatsOf(subject).length).toBeGreaterThan(48);
    expect(repeatsOf(subject).length).toBeLessThan(120);
  });

  test("has repeats between two scans, each later than the last", async () => {
    const subject = await repeating([QUARTER_HOURLY]);
    await subject.run(subject.process, 120);
    let last: ReceivedRow | undefined;
    for (const row of subject.receiver.received) {
      expect(row.at).toBeGreaterThan(last?.at ?? 0);
      if (row.resolution === "repeated") expect(row.values).toEqual(last?.values);
      last = row;
    }
  });

  test("counts repeats separately without moving the watermark", async () => {
    const subject = await repeating([QUARTER_HOURLY]);
    await subject.run(subject.process, 60);
    const { counted, delivery } = subject.process;
    const rows = subject.receiver.received;
    const measured = rows.filter(({ resolution }) => resolution === "live");
    expect(counted.delivered.get("live")).toBe(2 * measured.length);
    expect(counted.repeated.get("delivered")).toBe(2 * repeatsOf(subject).length);
    expect(delivery?.watermarks.get("7")?.until).toBe(measured.at(-1)?.at);
    expect(delivery?.outbox.pending()).toEqual(new Map());
  });

  test("counts rejected repeats separately", async () => {
    const subject = await repeating([QUARTER_HOURLY]);
    await subject.run(subject.process, 10);
    const before = repeatsOf(subject).length;
    subject.receiver.behaviour = "refuses";
    await subject.run(subject.process, 4);
    expect(repeatsOf(subject).length).toBeGreaterThan(before);
    expect(subject.process.counted.repeated.get("rejected")).toBe(2);
    expect(subject.process.counted.rejected.size).toBe(0);
  });

  test("ends just after its last repeat", async () => {
    const subject = await repeating([QUARTER_HOURLY]);
    await subject.run(subject.process, 12);
    expect(subject.process.delivery?.endOf("7")).toBe((repeatsOf(subject).at(-1)?.at ?? 0) + 1);
  });

  test("has no repeats while its values are withdrawn", async () => {
    const subject = await repeating([QUARTER_HOURLY]);
    await subject.run(subject.process, 20);
    subject.withdrawn.add("7");
    const before = repeatsOf(subject).length;
    await subject.run(subject.process, 30);
    expect(repeatsOf(subject)).toHaveLength(before);
  });

  test("has no repeats after the next scan is due while results wait", async () => {
    const paused = { from: BEGIN + 20 * MINUTE, to: BEGIN + 10 * HOUR };
    const subject = await repeating([{ ...QUARTER_HOURLY, pauses: [paused] }]);
    subject.heldBack.add("7");
    await subject.run(subject.process, 90);
    const scan = subject.server.lastScan(subject.server.sensor("7"), subject.clock.now()) ?? 0;
    expect(repeatsOf(subject).at(-1)?.at).toBe(scan + 14 * MINUTE);
  });

  test("continues without a gap after a skipped scan", async () => {
    const skipped = { from: BEGIN + 20 * MINUTE, to: BEGIN + 40 * MINUTE };
    const subject = await repeating([{ ...QUARTER_HOURLY, pauses: [skipped] }]);
    await subject.run(subject.process, 90);
    expect(longestGap(subject.receiver.received, BEGIN + 10 * MINUTE, subject.clock.now())).toBe(0);
  });

  test("has no repeats while its series waits for a read", async () => {
    // The series of the other sensor can be read.
    const subject = await repeating([QUARTER_HOURLY, recordedSensor("8", 60)]);
    subject.server.failing.set("7", "API_NOT_FOUND");
    await subject.run(subject.process, 30);
    expect(subject.receiver.received.filter(({ sensorId }) => sensorId === "7")).toEqual([]);
  });

  test("has at most one waiting repeat during an outage of the receiver", async () => {
    const subject = await repeating([QUARTER_HOURLY]);
    await subject.run(subject.process, 6);
    subject.receiver.behaviour = "is down";
    await subject.run(subject.process, 13);
    expect(subject.process.delivery?.outbox.points).toBeLessThanOrEqual(4);
  });

  test("continues after a restart with later times", async () => {
    const subject = await repeating([QUARTER_HOURLY]);
    await subject.run(subject.process, 12);
    await subject.stop(subject.process);
    const before = repeatsOf(subject);
    subject.process = await subject.start();
    await subject.run(subject.process, 6);
    const after = repeatsOf(subject).slice(before.length);
    expect(after.length).toBeGreaterThan(0);
    expect(after[0]?.at).toBeGreaterThan(before.at(-1)?.at ?? 0);
  });
});

test("a sensor whose last scan is older than the live window has repeats from the start", async () => {
  const fiveHoursAgo = { sinceMs: 5 * HOUR };
  const subject = await repeating([recordedSensor("7", 21_600, fiveHoursAgo)]);
  await subject.run(subject.process, 5);
  expect(repeatsOf(subject).length).toBeGreaterThan(0);
});

test("a sensor with a scan every minute has no repeats", async () => {
  const subject = await repeating([recordedSensor("7", 60), recordedSensor("8", 10)]);
  await subject.run(subject.process, 60);
  expect(repeatsOf(subject, "7")).toEqual([]);
  expect(repeatsOf(subject, "8")).toEqual([]);
});

test("without repeats each row is a measurement", async () => {
  const subject = measurementSetup([QUARTER_HOURLY]);
  await subject.run(await subject.start(), 60);
  expect(new Set(subject.receiver.received.map(({ resolution }) => resolution))).toEqual(new Set(["live"]));
});
