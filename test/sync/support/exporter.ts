import { ManualClock } from "../../support/manual-clock.ts";
import { Disk, ExporterProcess, PERIOD_MS, type ProcessSettings } from "./exporter-process.ts";
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

export interface World {
  readonly clock: ManualClock;
  readonly server: RecordedServer;
  readonly receiver: MemorySink;
  readonly disk: Disk;
  start(): Promise<ExporterProcess>;
  /** Polls and reads once per period. */
  run(process: ExporterProcess, minutes: number, pollEveryMs?: number): Promise<void>;
  stop(process: ExporterProcess): Promise<void>;
}

export function world(
  sensors: readonly RecordedSensor[],
  more: Partial<ProcessSettings> & { readonly pushes?: boolean } = {},
): World {
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
      ExporterProcess.start(clock, server, pushes ? receiver : undefined, disk, {
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
