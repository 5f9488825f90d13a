import type { Clock } from "../lib/clock.ts";
import type { ApiError } from "../prtg/api-error.ts";
import type { ChannelRecord } from "../prtg/records.ts";
import type { SyncEngine } from "../sync/sync-engine.ts";
import type { RunResult } from "./collector.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { KnownObject } from "./one-by-one.ts";
import type { OneByOneWork } from "./one-by-one-work.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";

/** Each commit costs a rendering of the page. */
const SHOWN_EVERY_MS = 5_000;

const COLLECTOR = "channels";

export interface SingleChannelsOptions {
  readonly reader: ServerReader;
  readonly writer: StateWriter;
  readonly work: OneByOneWork;
  readonly known: KnownObjects;
  /** Hears of every measurement; undefined where time series are not followed. */
  readonly engine: Pick<SyncEngine, "onPartialPoll"> | undefined;
  readonly clock: Clock;
}

/** The values of the sensors that are known, of a server that lacks a list of channels: sensor by sensor. */
export class SingleChannels {
  readonly #options: SingleChannelsOptions;
  #read: ChannelRecord[] = [];
  #shownAt = 0;

  constructor(options: SingleChannelsOptions) {
    this.#options = options;
  }

  /** Sensors are known, if only by their ids. */
  areKnown(): Promise<boolean> {
    return this.#options.known.has("sensor");
  }

  /** Lists are there. */
  over(): void {
    const { reader, writer, work } = this.#options;
    const { channels } = reader.oneByOne;
    if (channels.roundMs === undefined) return;
    work.over(COLLECTOR, channels);
    void writer.spaceValues(0);
  }

  /**
   * As many sensors as there is room for until the next run, those that were read longest ago.
   * @param listMissing What is thrown where the server has no data of single sensors either.
   */
  async poll(listMissing: ApiError, signal: AbortSignal): Promise<RunResult> {
    const { reader, writer, work, clock } = this.#options;
    const { channels } = reader.oneByOne;
    const known = this.#sensors();
    // After a start: they come one by one.
    if (known.length === 0) return { complete: false };
    const begins = channels.roundMs === undefined;
    work.begin(COLLECTOR, channels, known.length);
    // They may have come with the values, and hold no longer than these; the run of limits comes later.
    if (begins) await writer.prolongLimits();
    await writer.spaceValues(channels.roundMs ?? 0);
    this.#read = [];
    this.#shownAt = clock.monotonic();
    const read = async ({ id }: KnownObject<"sensor">, next: () => Promise<void>) => {
      const found = await reader.api.sensorChannels(id, signal);
      for (const channel of found) this.#read.push(await this.#complete(channel, next, signal));
      if (clock.monotonic() - this.#shownAt >= SHOWN_EVERY_MS) await this.#show();
    };
    try {
      const run = { collector: COLLECTOR, oneByOne: channels, what: "channels", known, read } as const;
      const { missing } = await work.run(run, signal);
      if (missing.has("sensor")) throw listMissing;
    } finally {
      await this.#show();
    }
    return { complete: false };
  }

  /** A sensor that is paused has no values. */
  #sensors(): readonly KnownObject<"sensor">[] {
    const known: KnownObject<"sensor">[] = [];
    for (const { id, node, isPaused } of this.#options.writer.state.nodes()) {
      if (node.kind === "sensor" && !isPaused) known.push({ id, kind: "sensor" });
    }
    return known;
  }

  /** Names and units where the record has none: as they are known, or from the channel itself. */
  async #complete(record: ChannelRecord, next: () => Promise<void>, signal: AbortSignal): Promise<ChannelRecord> {
    if (record.name !== "" && record.unit !== "") return record;
    const { reader, writer } = this.#options;
    const { sensorId, channelId } = record;
    let known: Pick<ChannelRecord, "name" | "unit"> | undefined = writer.state.channel(sensorId, channelId);
    if (known === undefined) {
      await next();
      known = await reader.api.channel(sensorId, channelId, {}, signal);
    }
    return { ...record, name: record.name || known.name, unit: record.unit || known.unit };
  }

  async #show(): Promise<void> {
    const { writer, engine, clock } = this.#options;
    const items = this.#read;
    // All of them were read since then.
    const requestedAt = this.#shownAt;
    this.#read = [];
    this.#shownAt = clock.monotonic();
    if (items.length === 0) return;
    await writer.applyChannels({ items, complete: false, skipped: 0 });
    const intervalOf = (sensorId: string) => writer.state.intervalMs(sensorId);
    await engine?.onPartialPoll(items, intervalOf, { requestedAt, slices: writer.slices() });
  }
}
