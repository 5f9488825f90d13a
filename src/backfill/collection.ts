import { describeFault, ExporterError } from "../errors/exporter-error.ts";
import type { DayParts } from "./day-parts.ts";
import type { RunContext, UnfinishedRun } from "./output-folder.ts";
import type { PlannedSensor } from "./plan.ts";
import type { SensorReader } from "./sensor-reader.ts";

/** Time between checkpoints. A crash repeats what came after the last one. */
const CHECKPOINT_MS = 5_000;
/** Limits the time of writing on slow disks. */
const SHARE_OF_WRITING = 1 / 10;
const MAX_BUFFERED = 32 * 2 ** 20;
/** More failures are only counted in the log. */
const MAX_LOGGED = 10;

export interface CollectionOptions extends RunContext {
  readonly parts: DayParts;
  readonly reader: SensorReader;
  readonly concurrency: number;
  readonly skipFailed: boolean;
}

interface Failure {
  readonly position: number;
  readonly sensor: PlannedSensor;
  readonly error: unknown;
}

/** Reads the remaining sensors into the parts, in any order, and records them in the journal. */
export class Collection {
  readonly #options: CollectionOptions;
  readonly #done: Set<string>;
  /** Share of the requests that are done, of sensors that are being read. */
  readonly #shares = new Map<number, number>();
  #run: UnfinishedRun;
  #writing: Promise<void> | undefined;
  /** Data is lost, so the journal must not continue. */
  #writeFailed = false;
  #nextCheckpoint: number;
  #failures: Failure[] = [];
  #samples: number;
  #gone = 0;
  #skippedRows = 0;
  #unknownChannels = 0;

  constructor(options: CollectionOptions) {
    this.#options = options;
    this.#run = options.run;
    this.#done = new Set(options.run.done);
    this.#samples = options.run.samples;
    this.#nextCheckpoint = options.clock.monotonic() + CHECKPOINT_MS;
  }

  /**
   * Resolves when all sensors are done. Writes what it read in any case.
   * @throws ExporterError BACKFILL_SENSORS_FAILED, failures of all sensors, or the signal's reason
   */
  async complete(signal: AbortSignal): Promise<UnfinishedRun> {
    const { plan, progress } = this.#options;
    progress.begin("sensors", plan.sensors.length, this.#done.size);
    try {
      const pending = plan.sensors.flatMap(({ id }, position) => (this.#done.has(id) ? [] : [position]));
      await this.#readAll(pending, signal);
      // Tries failed sensors once more.
      await this.#readAll(
        this.#failures.splice(0).map(({ position }) => position),
        signal,
      );
      this.#settleFailures();
    } finally {
      progress.end();
      if (!this.#writeFailed) await this.#checkpoint();
      this.#logLosses();
    }
    return this.#run;
  }

  async #readAll(positions: readonly number[], signal: AbortSignal): Promise<void> {
    const queue = positions.values();
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const work = async (): Promise<void> => {
      try {
        for (const position of queue) await this.#readOne(position, either);
      } catch (error) {
        failed.abort(error);
      }
    };
    await Promise.all(Array.from({ length: this.#options.concurrency }, work));
    either.throwIfAborted();
  }

  async #readOne(position: number, signal: AbortSignal): Promise<void> {
    const { plan, parts, reader } = this.#options;
    const sensor = plan.sensors[position];
    if (sensor === undefined) return;
    const outcome = await reader.read(sensor, signal, (share) => {
      this.#shares.set(position, share);
      this.#advance();
    });
    this.#shares.delete(position);
    if (outcome.kind === "failed") {
      this.#failures.push({ position, sensor, error: outcome.error });
      return;
    }
    if (outcome.kind === "gone") this.#gone++;
    else {
      const { history } = outcome;
      parts.add(position, history.days);
      this.#samples += history.samples;
      this.#skippedRows += history.skippedRows;
      this.#unknownChannels += history.unknownChannels;
    }
    this.#done.add(sensor.id);
    this.#advance();
    await this.#checkpointWhenDue();
  }

  /** Counts requests, because a sensor can need several. */
  #advance(): void {
    const shares = this.#shares.values().reduce((sum, share) => sum + share, 0);
    this.#options.progress.advance(this.#done.size + shares);
  }

  async #checkpointWhenDue(): Promise<void> {
    if (this.#writeFailed) return;
    const { parts, clock } = this.#options;
    const full = parts.bufferedBytes > MAX_BUFFERED;
    if (this.#writing !== undefined) {
      if (full) await this.#writing;
    } else if (full || clock.monotonic() >= this.#nextCheckpoint) {
      await this.#checkpoint();
    }
  }

  #checkpoint(): Promise<void> {
    const writing = this.#writing?.then(() => this.#write()) ?? this.#write();
    this.#writing = writing;
    return writing.finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    const { folder, parts, clock } = this.#options;
    const began = clock.monotonic();
    // Sensors that finish later belong to the next checkpoint.
    const done = [...this.#done];
    const samples = this.#samples;
    try {
      const lengths = await parts.write();
      this.#run = { ...this.#run, done, samples, parts: [...lengths].sort(([a], [b]) => a - b) };
      await folder.writeJournal({ ...folder.journal, unfinished: this.#run });
    } catch (error) {
      this.#writeFailed = true;
      throw error;
    }
    const ended = clock.monotonic();
    this.#nextCheckpoint = ended + Math.max(CHECKPOINT_MS, (ended - began) / SHARE_OF_WRITING);
  }

  #settleFailures(): void {
    const [first] = this.#failures;
    if (first === undefined) return;
    const { skipFailed, plan, log } = this.#options;
    for (const { sensor, error } of this.#failures.slice(0, MAX_LOGGED)) {
      log.warn({ sensor: sensor.id, path: sensor.path }, `the sensor cannot be read: ${describeFault(error)}`);
    }
    if (!skipFailed) {
      const text = `${this.#failures.length} of ${plan.sensors.length} sensors cannot be read, such as ${first.sensor.id} (${first.sensor.path})`;
      throw new ExporterError("BACKFILL_SENSORS_FAILED", text, { cause: first.error });
    }
    log.warn(`continuing without ${this.#failures.length} sensors that cannot be read`);
    for (const { sensor } of this.#failures) this.#done.add(sensor.id);
  }

  #logLosses(): void {
    const { log } = this.#options;
    if (this.#gone > 0) log.warn(`skipped ${this.#gone} sensors that were deleted since the backfill began`);
    if (this.#skippedRows > 0) log.warn(`skipped ${this.#skippedRows} invalid rows`);
    if (this.#unknownChannels > 0) {
      log.info(`skipped ${this.#unknownChannels} deleted channels that still have history`);
    }
  }
}
