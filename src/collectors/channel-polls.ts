import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import { Lookups } from "../model/lookups.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { Section } from "../prtg/node-record.ts";
import type { ChannelRecords } from "../prtg/records.ts";
import type { PollResult } from "./collector.ts";
import type { ReadingFailureLog, ServerFailureLogs } from "./failure-log.ts";
import { failureFields, goesOnWithout } from "./failures.ts";
import type { NodeGaps } from "./node-polls.ts";
import type { StateWriter } from "./state-writer.ts";

export interface ChannelPollOptions {
  readonly api: MonitoringApi;
  readonly gaps: Pick<NodeGaps, "parents">;
  readonly writer: StateWriter;
  readonly memory: MemoryBudget;
  readonly clock: Clock;
  /** Passes the list to the time series. `requestedAt`: monotonic. */
  readonly follow: (channels: ChannelRecords, requestedAt: number) => Promise<void>;
}

/** The last measurement of every channel. */
export function pollChannels(
  { api, gaps, writer, memory, clock, follow }: ChannelPollOptions,
  signal: AbortSignal,
): Promise<PollResult> {
  return memory.lend(async (held) => {
    const requestedAt = clock.monotonic();
    const list = await api.channels({}, signal);
    held.add(list.bytes ?? 0);
    signal.throwIfAborted();
    await writer.applyChannels(list);
    const needsTree = gaps.parents.areNew(writer.state.unknownIds());
    await follow(list.items, requestedAt);
    return { complete: list.complete, needsTree };
  });
}

export interface LimitPollOptions {
  readonly api: MonitoringApi;
  readonly lookups: ServerLookups;
  readonly writer: StateWriter;
  readonly memory: MemoryBudget;
}

/** Limits and lookups of every channel. They rarely change and need two more sections of each channel. */
export function pollLimits(
  { api, lookups, writer, memory }: LimitPollOptions,
  signal: AbortSignal,
): Promise<PollResult> {
  return memory.lend(async (held) => {
    const definitions = await lookups.read(api, signal);
    const needsLookups = definitions !== undefined && definitions.size > 0;
    const list = await api.channels({ sections: limitSections(needsLookups) }, signal);
    if (needsLookups) lookups.record(list.refused?.includes("values") === true);
    held.add(list.bytes ?? 0);
    signal.throwIfAborted();
    await writer.applyLimits(list, definitions);
    return { complete: list.complete };
  });
}

/** `check` reads the same. */
export function limitSections(needsLookups: boolean): ReadonlySet<Section> {
  return new Set<Section>(needsLookups ? ["alerting", "values"] : ["alerting"]);
}

/** The lookup definitions of one server, which it may lack. Remembered over connections. */
export class ServerLookups {
  readonly #log: Logger;
  readonly #failures: ReadingFailureLog;
  /** Why states are not served. */
  readonly #off = new LogOnChange({ knows: "last" });
  #last: Lookups | undefined;

  constructor(log: Logger, failures: ServerFailureLogs) {
    this.#log = log;
    this.#failures = failures.open("reading the lookups");
  }

  /**
   * `undefined` if the server has no list for this user. After another failure the last list.
   * @throws the signal's reason
   */
  async read(api: Pick<MonitoringApi, "lookups">, signal: AbortSignal): Promise<Lookups | undefined> {
    try {
      const list = await api.lookups(signal);
      this.#last = list && new Lookups(list.items);
      this.#failures.recordSuccess();
      if (list === undefined) this.#logOff("missing", "the server has no list of lookups");
    } catch (error) {
      signal.throwIfAborted();
      if (!goesOnWithout("lookups", error)) throw error;
      if (error instanceof ApiError && error.code === "API_FORBIDDEN") {
        this.#last = undefined;
        this.#logOff(error.code, describeError(error), failureFields(error));
      } else {
        this.#failures.recordFailure(error);
      }
    }
    return this.#last;
  }

  /** Whether the server refuses to say which channels have lookups. */
  record(isRefused: boolean): void {
    if (isRefused) this.#logOff("refused", "the server does not send the lookups of channels");
    else if (this.#off.over() > 0) this.#log.info("channel states are available: the server sends lookups");
  }

  #logOff(kind: string, because: string, fields: Record<string, unknown> = {}): void {
    if (this.#off.record(kind)) this.#log.info(fields, `channel states are missing: ${because}`);
  }
}
