import type { Logger } from "pino";
import type { SelectRules } from "../config/select-schema.ts";
import type { Clock } from "../lib/clock.ts";
import { MemoryBudget } from "../lib/memory-budget.ts";
import type { ServerState } from "../model/server-state.ts";
import type { Tree } from "../model/tree.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import { SelectedApi } from "../selection/selected-api.ts";
import { AllNodesReader } from "./all-nodes.ts";
import { BroughtLists } from "./brought-lists.ts";
import { CountReader } from "./count-reader.ts";
import { HealthReader } from "./health.ts";
import { LookupReader } from "./lookup-reader.ts";
import { NodeListReader } from "./node-list-reader.ts";

export interface ServerReaderOptions {
  readonly api: MonitoringApi;
  /** The part of the server that is monitored; undefined: all of it. */
  readonly select?: SelectRules | undefined;
  /** The server as it is shown; all of it where there was no selection. */
  readonly shown?: Tree | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** See `AllNodesReaderOptions`. */
  readonly isOneOfMany?: () => boolean;
  /** What collectors hold of lists while they run is counted against it; undefined: without a bound. */
  readonly memory?: MemoryBudget;
}

/**
 * The client of one PRTG server, and what it was found to lack, so that each gap is logged once. A reload hands it
 * from one pipeline to the next, and only where the server is reached in another way there is a new one.
 */
export class ServerReader {
  readonly api: MonitoringApi;
  /** Undefined where all of the server is monitored. */
  readonly selected: SelectedApi | undefined;
  readonly memory: MemoryBudget;
  readonly health: HealthReader;
  readonly nodes: NodeListReader;
  readonly allNodes: AllNodesReader;
  readonly counts: CountReader;
  readonly lookups: LookupReader;
  readonly unknownParents: UnknownParents;
  readonly broughtLists: BroughtLists;
  readonly #whole: MonitoringApi;

  /** `before`: of another way to the same server, where what it was found to lack is known. */
  constructor(options: ServerReaderOptions, before?: ServerReader) {
    const { api: whole, select, shown, clock, log, memory, isOneOfMany = () => false } = options;
    this.#whole = whole;
    this.selected = select && new SelectedApi({ api: whole, rules: select, clock, log }, before?.selected, shown);
    const api = this.selected ?? whole;
    this.api = api;
    this.memory = memory ?? new MemoryBudget();
    this.health = new HealthReader({ api, clock, log }, before?.health);
    this.broughtLists = new BroughtLists(clock);
    this.nodes = new NodeListReader({ api, log }, before?.nodes);
    this.allNodes = new AllNodesReader({ api, clock, log, isOneOfMany });
    this.counts = new CountReader(api, log, before?.counts);
    this.lookups = new LookupReader({ api, clock, log }, before?.lookups);
    this.unknownParents = before?.unknownParents ?? new UnknownParents();
  }

  /** Objects of the state that are not selected any more, each told once; undefined where there are none. */
  leaving({ tree }: Pick<ServerState, "tree">): ReadonlySet<string> | undefined {
    return this.selected?.selection.leaving(tree);
  }

  /** The same way to the server, of which another part is monitored. */
  selecting(options: Omit<ServerReaderOptions, "api" | "memory">): ServerReader {
    return new ServerReader({ ...options, api: this.#whole, memory: this.memory }, this);
  }
}

/**
 * Decides when ids that lists refer to but do not show call for an early tree poll: once each. An id that a tree poll
 * did not reveal is invisible to the user, not new; it is not asked for again unless it was revealed in between.
 */
export class UnknownParents {
  #asked: ReadonlySet<string> = new Set();

  /** Another collector met these ids: whether one of them calls for a tree poll. */
  areNew(unknown: Iterable<string>): boolean {
    const ids = [...unknown];
    if (ids.every((id) => this.#asked.has(id))) return false;
    this.#asked = new Set([...this.#asked, ...ids]);
    return true;
  }

  /** A tree poll left these ids unknown. */
  settle(unknown: Iterable<string>): void {
    this.#asked = new Set(unknown);
  }
}
