import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import { Lookups } from "../model/lookups.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { NodeKind, WantedSections } from "../prtg/node-record.ts";
import type { StatusSummary } from "../prtg/records.ts";
import type { ReadingFailureLog, ServerFailureLogs } from "./failure-log.ts";
import { failureFields, goesOnWithout, type ReadingName } from "./failures.ts";
import type { ServerConnection } from "./server-connection.ts";
import type { StateWriter } from "./state-writer.ts";
import type { ListFollower, ServerSeries } from "./time-series.ts";

/** Everything that polls of one server use. */
export interface PolledServer {
  readonly connection: ServerConnection;
  readonly history: PollHistory;
  readonly writer: StateWriter;
  /** For answers, of all servers together. */
  readonly memory: MemoryBudget;
  readonly sections: WantedSections;
  /** `undefined` if time series are neither read nor pushed. */
  readonly series: ServerSeries | undefined;
  readonly lists: ListFollower;
  readonly clock: Clock;
  /** The server works again. */
  readonly onRecovered: () => void;
  readonly onNewVersion: () => void;
}

/** What polls remember of a server over all its connections. */
export class PollHistory {
  readonly health: ServerHealth;
  readonly nodes: NodeGaps;
  readonly lookups: ServerLookups;

  constructor(log: Logger, failures: ServerFailureLogs) {
    this.health = new ServerHealth(failures);
    this.nodes = new NodeGaps(log);
    this.lookups = new ServerLookups(log, failures);
  }
}

/** Health and version of a server. */
export class ServerHealth {
  readonly versionFailures: ReadingFailureLog;
  version: string | undefined;
  /** Monotonic. */
  nextVersionAt = Number.NEGATIVE_INFINITY;
  /** Monotonic: last answer of `/health`. */
  checkedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic: last list of all nodes, which only one of many servers sends. */
  listedAt = Number.NEGATIVE_INFINITY;
  hasFailed = false;

  constructor(failures: ServerFailureLogs) {
    this.versionFailures = failures.open("reading the server's version");
  }
}

/**
 * Ids that lists refer to but do not contain. Each one triggers one poll of the tree. If that does not return the object,
 * the user may not see it.
 */
class UnknownParents {
  #requested: ReadonlySet<string> = new Set();

  /** Whether one of them needs a poll of the tree. */
  areNew(unknown: Iterable<string>): boolean {
    const ids = [...unknown];
    if (ids.every((id) => this.#requested.has(id))) return false;
    this.#requested = new Set([...this.#requested, ...ids]);
    return true;
  }

  /** A poll of the tree did not return these. */
  settle(unknown: Iterable<string>): void {
    this.#requested = new Set(unknown);
  }
}

/** Lists and counts that a server lacks: each one is logged once, whichever connection the polls use. */
export class NodeGaps {
  readonly parents = new UnknownParents();
  readonly #log: Logger;
  readonly #missing = new LogOnChange();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `undefined` if the poll continues without the list. */
  list<List>(kind: NodeKind, read: () => Promise<List>): Promise<List | undefined> {
    return this.#read(kind, read, (error) => {
      this.#log.warn(`continuing without the list of ${kind}s: ${describeError(error)}`);
    });
  }

  /** The server's own count of sensors per status. Without it the exporter counts the lists. */
  statuses(api: MonitoringApi, signal: AbortSignal): Promise<StatusSummary | undefined> {
    const report = (error: unknown) => this.#reportCount("sensors per status", error);
    return this.#read("statusSummary", () => api.statusSummary(signal), report);
  }

  /** The server's own count of objects per kind. */
  objects(api: MonitoringApi, signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined> {
    const report = (error: unknown) => this.#reportCount("objects per kind", error);
    return this.#read("objectCounts", () => api.objectCounts(signal), report);
  }

  #reportCount(what: string, error: unknown): void {
    this.#log.warn(failureFields(error), `counting ${what} from the lists: ${describeError(error)}`);
  }

  async #read<Part>(
    reading: ReadingName,
    read: () => Promise<Part>,
    report: (error: unknown) => void,
  ): Promise<Part | undefined> {
    try {
      const found = await read();
      this.#missing.kindOver(reading);
      return found;
    } catch (error) {
      if (!goesOnWithout(reading, error)) throw error;
      if (this.#missing.record(reading)) report(error);
      return undefined;
    }
  }
}

/** The lookup definitions of one server, which it may lack. */
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
