import type { Logger } from "pino";
import type { SelectRules } from "../config/select-schema.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServerState } from "../model/server-state.ts";
import { NODE_KINDS, type NodePoll, type Tree } from "../model/tree.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { NodeKind } from "../prtg/records.ts";
import { SelectedApi } from "../selection/selected-api.ts";
import { AllNodesReader } from "./all-nodes.ts";

export interface ServerConnectionOptions {
  readonly api: MonitoringApi;
  /** `undefined`: the whole server. */
  readonly select?: SelectRules | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** See `AllNodesOptions`. */
  readonly isOneOfMany?: () => boolean;
}

/** The connection before, and the tree that it has read. */
export interface ConnectionPast {
  readonly connection: ServerConnection;
  readonly tree: Tree;
}

/** The client of one PRTG server, and the part of the server that it reads. A reload keeps it if neither changes. */
export class ServerConnection {
  readonly api: MonitoringApi;
  /** `undefined`: the whole server. */
  readonly selected: SelectedApi | undefined;
  readonly allNodes: AllNodesReader;
  readonly freshLists: FreshLists;
  readonly #options: ServerConnectionOptions;

  constructor(options: ServerConnectionOptions, past?: ConnectionPast) {
    const { api: whole, select, clock, log, isOneOfMany = () => false } = options;
    this.#options = options;
    this.selected =
      select && new SelectedApi({ api: whole, rules: select, clock, log }, past?.connection.selected, past?.tree);
    this.api = this.selected ?? whole;
    this.allNodes = new AllNodesReader({ api: this.api, clock, log, isOneOfMany });
    this.freshLists = new FreshLists(clock);
  }

  /** Objects that are no longer selected, once each. */
  leaving({ tree }: Pick<ServerState, "tree">): ReadonlySet<string> | undefined {
    return this.selected?.selection.leaving(tree);
  }

  /** See `SelectedApi.withProbesAbove`. */
  withProbesAbove(lists: NodePoll): NodePoll {
    return this.selected?.withProbesAbove(lists) ?? lists;
  }

  /** The same client for another part of the server. */
  selecting(select: SelectRules | undefined, tree: Tree): ServerConnection {
    return new ServerConnection({ ...this.#options, select }, { connection: this, tree });
  }
}

/** After this age, read statuses again. */
const MAX_AGE_MS = 5_000;

/**
 * Lists of the last poll of the tree contain statuses. The first poll of statuses follows at once and does not read them
 * again, which saves a tenth of the requests until the first page of a large server.
 */
export class FreshLists {
  readonly #clock: Clock;
  #kinds: ReadonlySet<NodeKind> = new Set();
  /** Monotonic. */
  #at = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The state contains these lists. */
  keep(lists: NodePoll): void {
    this.#kinds = new Set(NODE_KINDS.filter((kind) => lists[kind]?.complete === true));
    this.#at = this.#clock.monotonic();
  }

  /** Kinds that the caller can skip once. */
  take(): ReadonlySet<NodeKind> {
    const kinds = this.#kinds;
    this.#kinds = new Set();
    return this.#clock.monotonic() - this.#at <= MAX_AGE_MS ? kinds : new Set();
  }
}
