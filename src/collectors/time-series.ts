import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import type { MeasurementEngine } from "../measurements/measurement-engine.ts";
import type { LatestRow } from "../model/server-channels.ts";
import type { ChannelRecords } from "../prtg/records.ts";
import type { StateWriter } from "./state-writer.ts";

/** The time series of one server. */
export interface ServerSeries {
  readonly engine: Pick<MeasurementEngine, "readDue" | "onListPoll">;
  readonly latest: LatestValues;
}

/** Series come one by one, and each commit renders the page again. */
const WRITE_EVERY_MS = 1_000;

/** Gathers the newest rows of time series and writes them to the state, at most once a second. */
export class LatestValues {
  readonly #writer: Pick<StateWriter, "applySeries">;
  readonly #clock: Clock;
  #rows = new Map<string, LatestRow>();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();

  constructor(writer: Pick<StateWriter, "applySeries">, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  add(sensorId: string, at: number, values: LatestRow["values"]): void {
    this.#rows.set(sensorId, { at, values });
    if (this.#clock.monotonic() - this.#writtenAt >= WRITE_EVERY_MS) void this.write();
  }

  write(): Promise<void> {
    if (this.#rows.size === 0) return this.#writing;
    const rows = this.#rows;
    this.#rows = new Map();
    this.#writtenAt = this.#clock.monotonic();
    this.#writing = this.#writer.applySeries(rows);
    return this.#writing;
  }
}

export interface ListFollowerOptions {
  readonly series: Pick<ServerSeries, "engine"> | undefined;
  readonly writer: Pick<StateWriter, "state" | "slices">;
  readonly log: Logger;
}

/**
 * Passes lists of channels to the time series. These would delay the first page, so they follow the first list when the
 * page is up to date, and later lists at once.
 */
export class ListFollower {
  readonly #options: ListFollowerOptions;
  #phase:
    | { readonly name: "holding the first list"; follow?: () => Promise<void> }
    | { readonly name: "following"; readonly first?: Promise<void> | undefined }
    | { readonly name: "stopped" } = { name: "following" };

  constructor(options: ListFollowerOptions) {
    this.#options = options;
  }

  /** From now on the first list waits for `release`. */
  hold(): void {
    this.#phase = { name: "holding the first list" };
  }

  /** The page is up to date. Resolves when the time series have followed the first list. Never rejects. */
  async release(): Promise<void> {
    const phase = this.#phase;
    if (phase.name === "stopped") return;
    if (phase.name === "following") return phase.first;
    const first = phase.follow?.().catch((err: unknown) => {
      this.#options.log.error({ err }, "cannot start the time series after the first list");
    });
    this.#phase = { name: "following", first };
    await first;
  }

  /** Drops the first list if it waits or comes later. Resolves as `release`. */
  async stop(): Promise<void> {
    if (this.#phase.name === "following") return this.#phase.first;
    this.#phase = { name: "stopped" };
  }

  /** Call before the request of a list: the second one does not wait for the page. */
  async beforeList(): Promise<void> {
    const phase = this.#phase;
    if (phase.name === "holding the first list" && phase.follow === undefined) return;
    await this.release();
  }

  /** @param requestedAt monotonic */
  async follow(channels: ChannelRecords, requestedAt: number): Promise<void> {
    const { series, writer } = this.#options;
    if (series === undefined) return;
    const { state } = writer;
    const intervalOf = state.intervalMs.bind(state);
    const follow = () => series.engine.onListPoll(channels, intervalOf, { requestedAt, slices: writer.slices() });
    const phase = this.#phase;
    if (phase.name === "following") await follow();
    else if (phase.name === "holding the first list") phase.follow = follow;
  }
}
