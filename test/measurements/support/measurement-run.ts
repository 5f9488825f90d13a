import { pino } from "pino";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Extras } from "../../../src/lib/extra-work.ts";
import { Delivery } from "../../../src/measurements/delivery.ts";
import type { Repeats } from "../../../src/measurements/list-measurements.ts";
import type { MeasurementRow, MeasurementSink, Resolution } from "../../../src/measurements/measurement.ts";
import { MeasurementEngine, MeasurementProgress } from "../../../src/measurements/measurement-engine.ts";
import { Outbox } from "../../../src/measurements/outbox.ts";
import type { KnownChannels } from "../../../src/measurements/plan.ts";
import type { MeasurementMode } from "../../../src/measurements/sensor-measurements.ts";
import { Watermarks } from "../../../src/measurements/watermarks.ts";
import type { StateFiles } from "../../../src/state/state-files.ts";
import { type MeasurementRecorder, measurementRecorder } from "../../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";
import { FREE_EXTRAS } from "../../support/free-extras.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import type { RecordedServer } from "./recorded-server.ts";

/** Files that outlive a process. */
export class Disk {
  writes = 0;
  readonly files = new Map<string, string>();
}

export interface MeasurementRunSettings {
  readonly mode: MeasurementMode;
  readonly maxPendingPoints: number;
  readonly maxBatchPoints: number;
  readonly requestsPerCycle: number;
  readonly extras?: Extras;
  readonly channelsOf?: (sensorId: string) => KnownChannels | undefined;
  readonly repeats?: Repeats;
}

export const PERIOD_MS = 60_000;

/** The exporter's own counters. */
interface Counted {
  delivered: Map<Resolution, number>;
  rejected: Map<Resolution, number>;
  repeated: Map<string, number>;
  dropped: number;
  failures: number;
}

/** Engine and delivery of one start of the exporter, in memory. `kill` stops everything, like SIGKILL. */
export class MeasurementRun {
  readonly engine: MeasurementEngine;
  /** Undefined without a receiver. */
  readonly delivery: Delivery | undefined;
  readonly counted: Counted;
  readonly freshest: { readonly sensorId: string; readonly at: number; readonly values: MeasurementRow["values"] }[];
  readonly log: string[];
  readonly #server: RecordedServer;
  readonly #clock: Clock;
  readonly #life: AbortController;
  #cycle: Promise<unknown> | undefined;
  readonly #stopping = new AbortController();

  private constructor(
    engine: MeasurementEngine,
    delivery: Delivery | undefined,
    server: RecordedServer,
    clock: Clock,
    life: AbortController,
    report: Pick<MeasurementRun, "counted" | "freshest" | "log">,
  ) {
    this.engine = engine;
    this.delivery = delivery;
    this.counted = report.counted;
    this.freshest = report.freshest;
    this.log = report.log;
    this.#server = server;
    this.#clock = clock;
    this.#life = life;
    delivery?.start();
  }

  static async start(
    clock: ManualClock,
    server: RecordedServer,
    sink: MeasurementSink | undefined,
    disk: Disk,
    settings: MeasurementRunSettings,
  ): Promise<MeasurementRun> {
    const life = new AbortController();
    const own = mortalClock(clock, life.signal);
    const counted: Counted = {
      delivered: new Map(),
      rejected: new Map(),
      repeated: new Map(),
      dropped: 0,
      failures: 0,
    };
    const freshest: MeasurementRun["freshest"] = [];
    const log: string[] = [];
    const add = <Key>(counts: Map<Key, number>, key: Key, points = 1) => {
      counts.set(key, (counts.get(key) ?? 0) + points);
    };
    const observed: Partial<MeasurementRecorder> = {
      delivered: ({ resolution }, points) => add(counted.delivered, resolution, points),
      rejected: ({ resolution }, points) => add(counted.rejected, resolution, points),
      repeated: ({ outcome }, points) => add(counted.repeated, outcome, points),
      deliveryFailed: () => {
        counted.failures++;
      },
      dropped: (points = 1) => {
        counted.dropped += points;
      },
    };
    const observer = Object.assign(measurementRecorder(emptyMetrics(), "test"), observed);
    const lines = pino({ level: "debug" }, { write: (line) => void log.push(line) });
    const delivery =
      sink &&
      new Delivery({
        sink: {
          deliver: (rows, signal) =>
            life.signal.aborted ? forEver() : mortal(life.signal, sink.deliver(rows, signal)),
        },
        outbox: new Outbox(settings.maxPendingPoints),
        watermarks: await Watermarks.open("test", mortalFiles(disk, own, life.signal)),
        maxBatchPoints: settings.maxBatchPoints,
        clock: own,
        random: () => 0.5,
        log: lines,
        observer,
      });
    const engine = new MeasurementEngine({
      log: lines,
      api: {
        clockOffset: () => server.clockOffset(),
        isClockInDoubt: () => false,
        listPages: () => server.listPages,
        timeSeries: (...asked) => mortal(life.signal, server.timeSeries(...asked)),
      },
      mode: settings.mode,
      delivery,
      progress: new MeasurementProgress(),
      limits: { requests: settings.requestsPerCycle, periodMs: PERIOD_MS },
      extras: settings.extras ?? FREE_EXTRAS,
      clock: own,
      observer,
      onFreshest: (sensorId, at, values) => freshest.push({ sensorId, at, values }),
      channelsOf: settings.channelsOf ?? (() => undefined),
      repeats: settings.repeats,
    });
    return new MeasurementRun(engine, delivery, server, own, life, { counted, freshest, log });
  }

  /** A list poll, then a cycle of series reads in the background. */
  async poll(): Promise<void> {
    try {
      const requestedAt = this.#clock.monotonic();
      await this.engine.onListPoll(this.#server.list(), (id) => this.#server.interval(id), { requestedAt });
    } catch {
      // The list failed. The time series collector has its own schedule.
    }
    if (this.#cycle !== undefined) return;
    this.#cycle = this.engine.readDue(this.#stopping.signal).then(
      () => {
        this.#cycle = undefined;
      },
      () => {
        this.#cycle = undefined;
      },
    );
  }

  kill(): void {
    this.#life.abort();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await this.delivery?.flush(graceMs);
    this.kill();
  }
}

function forEver<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** After death, no promise settles. */
function mortal<T>(life: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => {
        if (!life.aborted) resolve(value);
      },
      (error) => {
        if (!life.aborted) reject(error);
      },
    );
  });
}

function mortalClock(clock: Clock, life: AbortSignal): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, act) => clock.after(ms, () => life.aborted || act()),
    sleep: (ms, signal) => mortal(life, clock.sleep(ms, signal === undefined ? life : AbortSignal.any([signal, life]))),
  };
}

/** Takes time, so that a kill can fall between steps. */
function mortalFiles(disk: Disk, clock: Clock, life: AbortSignal): StateFiles {
  const { files } = disk;
  const step = <T>(act: () => T): Promise<T> => (life.aborted ? forEver() : clock.sleep(20).then(act));
  return {
    read: async (name) => files.get(name),
    write: (name, text) =>
      step(() => {
        files.set(name, text);
        disk.writes++;
      }),
    rename: (from, to) =>
      step(() => {
        const text = files.get(from);
        if (text === undefined) throw new Error(`ENOENT: ${from}`);
        files.delete(from);
        files.set(to, text);
      }),
    syncDirectory: () => step(() => undefined),
  };
}
