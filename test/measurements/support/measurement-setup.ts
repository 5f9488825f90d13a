import { ManualClock } from "../../support/manual-clock.ts";
import { Disk, MeasurementRun, type MeasurementRunSettings, PERIOD_MS } from "./measurement-run.ts";
import { MemorySink } from "./memory-sink.ts";
import { type RecordedSensor, RecordedServer } from "./recorded-server.ts";

export const BEGIN = Date.UTC(2026, 0, 15, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A sensor that has always scanned. */
export function recordedSensor(
  id: string,
  intervalSeconds: number,
  more: Partial<RecordedSensor> & { readonly phaseSeconds?: number; readonly sinceMs?: number } = {},
): RecordedSensor {
  const { phaseSeconds = 0, sinceMs = 10 * HOUR, ...rest } = more;
  return {
    id,
    intervalMs: intervalSeconds * 1000,
    firstScanAt: BEGIN - sinceMs + phaseSeconds * 1000,
    pauses: [],
    listSkewMs: 0,
    ...rest,
  };
}

export interface MeasurementSetup {
  readonly clock: ManualClock;
  readonly server: RecordedServer;
  readonly receiver: MemorySink;
  readonly disk: Disk;
  start(): Promise<MeasurementRun>;
  /** Polls and reads once per period. */
  run(process: MeasurementRun, minutes: number, pollEveryMs?: number): Promise<void>;
  stop(process: MeasurementRun): Promise<void>;
}

/** Everything in memory, in manual time. Nothing has run. */
export function measurementSetup(
  sensors: readonly RecordedSensor[],
  more: Partial<MeasurementRunSettings> & { readonly pushes?: boolean } = {},
): MeasurementSetup {
  const { pushes = true, ...settings } = more;
  const clock = new ManualClock(BEGIN);
  const server = new RecordedServer(clock, sensors);
  const receiver = new MemorySink(clock);
  const disk = new Disk();
  return {
    clock,
    server,
    receiver,
    disk,
    start: () =>
      MeasurementRun.start(clock, server, pushes ? receiver : undefined, disk, {
        mode: "auto",
        maxPendingPoints: 1_000_000,
        maxBatchPoints: 4_000,
        requestsPerCycle: 600,
        ...settings,
      }),
    async run(process, minutes, pollEveryMs = PERIOD_MS) {
      const end = clock.monotonic() + minutes * MINUTE;
      while (clock.monotonic() < end) {
        await process.poll();
        await clock.advance(Math.min(pollEveryMs, end - clock.monotonic()));
      }
    },
    async stop(process) {
      await Promise.all([process.stop(10_000), clock.advance(11_000)]);
    },
  };
}
