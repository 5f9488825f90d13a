import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import type { NodePoll } from "../model/tree.ts";
import type { MonitoringApi, NodeListOptions } from "../prtg/monitoring-api.ts";
import type { ListResult, NodeKind, NodeRecord } from "../prtg/records.ts";
import type { PartialPoll } from "./partial-poll.ts";
import { goesOnWithout } from "./readings.ts";

export interface NodeLists {
  readonly poll: NodePoll;
  /** True when every list is there, and complete. */
  readonly complete: boolean;
}

/** Reads the lists of sensors, devices, groups and probes. */
export class NodeListReader {
  readonly #api: MonitoringApi;
  readonly #log: Logger;
  readonly #missing: LogOnChange;

  /** `before`: of another way to the same server. */
  constructor(api: MonitoringApi, log: Logger, before?: NodeListReader) {
    this.#api = api;
    this.#log = log;
    this.#missing = before === undefined ? new LogOnChange() : before.#missing;
  }

  /** Lists that fail are left out, and recorded in `parts`. `held`: counts those that are there. */
  async read(
    parts: PartialPoll,
    optionsFor: (kind: NodeKind) => NodeListOptions,
    signal: AbortSignal,
    held?: MemoryShare,
  ): Promise<NodeLists> {
    const poll: { [Kind in NodeKind]?: ListResult<NodeRecord> } = {};
    let complete = true;
    for (const kind of this.#api.readingOrder) {
      const part = await parts.read(() => this.#readList(kind, optionsFor(kind), signal));
      if (part?.value !== undefined) poll[kind] = part.value;
      held?.add(part?.value?.bytes ?? 0);
      complete &&= part?.value?.complete === true;
    }
    return { poll, complete };
  }

  /** Without sensors there is nothing to show; a server that lacks another list is shown without it. */
  async #readList(
    kind: NodeKind,
    options: NodeListOptions,
    signal: AbortSignal,
  ): Promise<ListResult<NodeRecord> | undefined> {
    try {
      const list = await this.#api.nodes(kind, options, signal);
      this.#missing.kindOver(kind);
      return list;
    } catch (error) {
      if (!goesOnWithout(kind, error)) throw error;
      if (this.#missing.met(kind)) this.#log.warn(`going on without the list of ${kind}s: ${describeError(error)}`);
      return undefined;
    }
  }
}
