import type { Channel } from "../model/channel.ts";
import type { Lookups } from "../model/lookups.ts";
import type { ApiError } from "../prtg/api-error.ts";
import type { ChannelRecord } from "../prtg/records.ts";
import type { RunResult } from "./collector.ts";
import type { KnownObject } from "./one-by-one.ts";
import type { OneByOneWork } from "./one-by-one-work.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";

/** Each commit costs a rendering of the page. */
const CHANNELS_A_COMMIT = 500;

const COLLECTOR = "limits";

/**
 * Limits and lookups of a server that lacks a list of channels, of the channels that are known to have some: those are few, and
 * what has none is not asked for.
 */
export class SingleLimits {
  readonly #reader: ServerReader;
  readonly #writer: StateWriter;
  readonly #work: OneByOneWork;
  #read: ChannelRecord[] = [];

  constructor(reader: ServerReader, writer: StateWriter, work: OneByOneWork) {
    this.#reader = reader;
    this.#writer = writer;
    this.#work = work;
  }

  /** Some channel has limits, or a lookup. */
  get areKnown(): boolean {
    for (const _ of this.#writer.state.limitedChannels) return true;
    return false;
  }

  /** Lists are there. */
  over(): void {
    const { limits } = this.#reader.oneByOne;
    if (limits.roundMs !== undefined) this.#work.over(COLLECTOR, limits);
  }

  /**
   * As many channels as there is room for until the next run, those that were read longest ago.
   * @param listMissing What is thrown where the server has no single channels either.
   */
  async poll(listMissing: ApiError, signal: AbortSignal): Promise<RunResult> {
    const reader = this.#reader;
    const oneByOne = reader.oneByOne.limits;
    const lookups = await reader.lookups.read(signal);
    const options = { limits: true, lookups: lookups !== undefined && lookups.size > 0 };
    const byId = new Map<string, Channel>();
    for (const channel of this.#writer.state.limitedChannels) {
      byId.set(`${channel.sensor.id}.${channel.channelId}`, channel);
    }
    const known = Array.from(byId.keys(), (id): KnownObject<"channel"> => ({ id, kind: "channel" }));
    const begins = oneByOne.roundMs === undefined;
    this.#work.begin(COLLECTOR, oneByOne, known.length);
    if (begins) await this.#writer.prolongLimits();
    this.#read = [];
    const read = async ({ id }: KnownObject<"channel">) => {
      const channel = byId.get(id);
      if (channel === undefined) return;
      this.#read.push(await reader.api.channel(channel.sensor.id, channel.channelId, options, signal));
      if (this.#read.length >= CHANNELS_A_COMMIT) await this.#show(lookups);
    };
    try {
      const run = { collector: COLLECTOR, oneByOne, what: "limits of channels", known, read } as const;
      const { missing } = await this.#work.run(run, signal);
      if (missing.has("channel")) throw listMissing;
    } finally {
      await this.#show(lookups);
    }
    return { complete: false };
  }

  async #show(lookups: Lookups | undefined): Promise<void> {
    const items = this.#read;
    this.#read = [];
    if (items.length > 0) await this.#writer.applyLimits({ items, complete: false, skipped: 0 }, lookups);
  }
}
