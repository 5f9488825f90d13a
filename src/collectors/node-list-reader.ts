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

export interface NodeListReaderOptions {
  readonly api: MonitoringApi;
  readonly log: Logger;
}

export interface NodeListRequest {
  readonly optionsFor: (kind: NodeKind) => NodeListOptions;
  /** Kinds whose lists are not read, as they are known. */
  readonly except?: ReadonlySet<NodeKind>;
  /** Counts the lists that are there. */
  readonly held?: MemoryShare | undefined;
}

/** Reads the lists of sensors, devices, groups and probes. */
export class NodeListReader {
  readonly #options: NodeListReaderOptions;
  readonly #missing: LogOnChange;

  /** `before`: of another way to the same server. */
  constructor(options: NodeListReaderOptions, before?: NodeListReader) {
    this.#options = options;
    this.#missing = before === undefined ? new LogOnChange() : before.#missing;
  }

  /** Lists that fail are left out, and recorded in `parts`. */
  async read(parts: PartialPoll, request: NodeListRequest, signal: AbortSignal): Promise<NodeLists> {
    const poll: { [Kind in NodeKind]?: ListResult<NodeRecord> } = {};
    let complete = true;
    for (const kind of this.#options.api.readingOrder) {
      if (request.except?.has(kind) === true) continue;
      const part = await parts.read(() => this.#readList(kind, request, signal));
      if (part?.value !== undefined) poll[kind] = part.value;
      request.held?.add(part?.value?.bytes ?? 0);
      complete &&= part?.value?.complete === true;
    }
    return { poll, complete };
  }

  /** Without sensors there is nothing to show; a server that lacks another list is shown without it. */
  async #readList(
    kind: NodeKind,
    { optionsFor }: NodeListRequest,
    signal: AbortSignal,
  ): Promise<ListResult<NodeRecord> | undefined> {
    try {
      const list = await this.#options.api.nodes(kind, optionsFor(kind), signal);
      this.#missing.kindOver(kind);
      return list;
    } catch (error) {
      if (!goesOnWithout(kind, error)) throw error;
      this.#logMissing(kind, error);
      return undefined;
    }
  }

  #logMissing(kind: NodeKind, error: unknown): void {
    const { log } = this.#options;
    if (this.#missing.record(kind)) log.warn(`going on without the list of ${kind}s: ${describeError(error)}`);
  }
}
