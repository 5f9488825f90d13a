import type { Clock } from "../lib/clock.ts";
import type { Extras } from "../lib/extra-work.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import type { ChannelRecord, ListResult } from "../prtg/records.ts";
import type { SyncEngine } from "../sync/sync-engine.ts";
import type { Collector, RunResult } from "./collector.ts";
import { runExtra } from "./extra-run.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";

export interface ChannelsCollectorOptions {
  readonly reader: ServerReader;
  readonly writer: StateWriter;
  /** Hears of every measurement; undefined where time series are not followed. */
  readonly engine: Pick<SyncEngine, "onListPoll"> | undefined;
  readonly clock: Clock;
  /** Objects that no list has shown were met. */
  readonly requestTree: () => void;
}

/** The last measurement of every channel. */
export class ChannelsCollector implements Collector {
  readonly name = "channels";
  readonly #options: ChannelsCollectorOptions;
  #leavesRest = false;
  #rest: (() => Promise<void>) | undefined;
  /** Never rejects: who takes what was left hears of a failure, and the lists that follow do not. */
  #taking: Promise<void> = Promise.resolve();

  constructor(options: ChannelsCollectorOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    await (this.#rest === undefined ? this.#taking : this.takeRest());
    return await this.#options.reader.memory.lend((held) => this.#poll(held, signal));
  }

  /** The time series follow a list from `takeRest` on, not before the page shows it. */
  leaveRest(): void {
    this.#leavesRest = true;
  }

  /** Takes what was left, and leaves nothing of lists to come. */
  takeRest(): Promise<void> {
    const taken = this.#taking.then(this.#rest);
    this.#leavesRest = false;
    this.#rest = undefined;
    this.#taking = taken.catch(() => undefined);
    return taken;
  }

  /** What is left is not taken any more; resolves when what is being taken has been. */
  stop(): Promise<void> {
    this.#rest = undefined;
    return this.#taking;
  }

  async #poll(held: MemoryShare, signal: AbortSignal): Promise<RunResult> {
    const { reader, writer, engine, clock, requestTree } = this.#options;
    const requestedAt = clock.monotonic();
    const list = await reader.api.channels({}, signal);
    held.add(list.bytes ?? 0);
    signal.throwIfAborted();
    await writer.applyChannels(list);
    if (reader.unknownParents.areNew(writer.state.unknownIds())) requestTree();
    if (engine !== undefined) {
      const { state } = writer;
      const intervalOf = state.intervalMs.bind(state);
      this.#rest = () => engine.onListPoll(list.items, intervalOf, { requestedAt, slices: writer.slices() });
      if (!this.#leavesRest) await this.takeRest();
    }
    return { complete: list.complete };
  }
}

/** Limits and lookups of every channel: they rarely change, and cost the server two sections more per channel. */
export class LimitsCollector implements Collector {
  readonly name = "limits";
  readonly #reader: ServerReader;
  readonly #writer: StateWriter;
  readonly #extras: Extras;
  #isFirst = true;

  constructor(reader: ServerReader, writer: StateWriter, extras: Extras) {
    this.#reader = reader;
    this.#writer = writer;
    this.#extras = extras;
  }

  run(signal: AbortSignal): Promise<RunResult> {
    const poll = () => this.#reader.memory.lend((held) => this.#poll(held, signal));
    return runExtra(this.#extras, { collector: this.name, isFirst: this.#isFirst, poll }, signal);
  }

  async #poll(held: MemoryShare, signal: AbortSignal): Promise<RunResult> {
    const lookups = await this.#reader.lookups.read(signal);
    const list = await this.#readChannels(lookups !== undefined && lookups.size > 0, signal);
    this.#isFirst = false;
    held.add(list.bytes ?? 0);
    signal.throwIfAborted();
    await this.#writer.applyLimits(list, lookups);
    return { complete: list.complete };
  }

  /** The lookups are an extra. */
  async #readChannels(wantsLookups: boolean, signal: AbortSignal): Promise<ListResult<ChannelRecord>> {
    const { api, lookups } = this.#reader;
    if (!wantsLookups) return api.channels({ limits: true }, signal);
    const list = await api.channels({ limits: true, lookups: true }, signal);
    if (list.refused?.includes("values") === true) lookups.refused();
    else lookups.used();
    return list;
  }
}
