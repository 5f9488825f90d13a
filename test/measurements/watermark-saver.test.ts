import { pino } from "pino";
import { expect, test } from "vitest";
import { WatermarkSaver, Watermarks } from "../../src/measurements/watermarks.ts";
import type { StateFiles } from "../../src/state/state-files.ts";
import { measurementRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { upTo } from "./support/coverage.ts";

const AT = Date.UTC(2026, 0, 15, 12);

async function saving() {
  const clock = new ManualClock();
  const disk = { full: false, writes: [] as number[] };
  const files: StateFiles = {
    read: async () => undefined,
    write: async () => {
      if (disk.full) throw new Error("ENOSPC: no space left on device");
      disk.writes.push(clock.monotonic());
    },
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  };
  const watermarks = await Watermarks.open("hq", files);
  const lines: { level: number; msg: string }[] = [];
  let failures = 0;
  const saver = new WatermarkSaver({
    watermarks,
    clock,
    log: pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) }),
    observer: Object.assign(measurementRecorder(emptyMetrics(), "hq"), { watermarkFailed: () => void failures++ }),
  });
  const move = (at: number): void => {
    watermarks.move("2490", upTo(at));
    saver.notify();
  };
  return { clock, disk, watermarks, saver, lines, failures: () => failures, move };
}

test("the saver joins many moves into one write, five seconds after the first", async () => {
  const { clock, disk, move } = await saving();
  for (let second = 0; second < 12; second++) {
    move(AT + second);
    await clock.advance(1_000);
  }
  await clock.advance(60_000);
  expect(disk.writes).toEqual([5_000, 10_000, 15_000]);
  expect(clock.pending).toEqual([]);
});

test("the saver writes nothing without a move", async () => {
  const { clock, disk, saver, move } = await saving();
  saver.notify();
  move(AT);
  await clock.advance(10_000);
  move(AT);
  await clock.advance(10_000);
  expect(disk.writes).toEqual([5_000]);
});

test("the saver logs a failure once and retries until success", async () => {
  const { clock, disk, lines, failures, move } = await saving();
  disk.full = true;
  move(AT);
  await clock.advance(15_500);
  disk.full = false;
  await clock.advance(60_000);
  expect(disk.writes).toEqual([20_000]);
  expect(failures()).toBe(3);
  expect(lines).toMatchObject([
    { level: 40, msg: expect.stringContaining("watermarks cannot be written: ENOSPC") },
    { level: 30, msg: "watermarks can be written again" },
  ]);
});

test("the saver logs a full disk every ten minutes with the number of attempts", async () => {
  const { clock, disk, saver, lines, failures, move } = await saving();
  disk.full = true;
  for (let minute = 0; minute < 25; minute++) {
    move(AT + minute);
    await clock.advance(60_000);
  }
  expect(failures()).toBeGreaterThan(200);
  expect(lines.map(({ msg }) => msg.split(":")[0])).toEqual([
    "watermarks cannot be written",
    "watermarks still cannot be written, 121 times so far",
    "watermarks still cannot be written, 241 times so far",
  ]);
  disk.full = false;
  await saver.end();
  expect(lines.at(-1)?.msg).toBe("watermarks can be written again");
});

test("the end writes immediately and leaves no timer", async () => {
  const { clock, disk, saver, move } = await saving();
  await clock.advance(700);
  move(AT);
  await saver.end();
  expect(disk.writes).toEqual([700]);
  expect(clock.pending).toEqual([]);
});

test("the end works with a full disk", async () => {
  const { clock, disk, saver, move, failures } = await saving();
  disk.full = true;
  move(AT);
  await saver.end();
  await clock.advance(60_000);
  expect(failures()).toBe(1);
});
