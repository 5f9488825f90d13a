import type { SelectRules } from "../config/select-schema.ts";
import type { ServerState } from "../model/server-state.ts";
import { NODE_KINDS, type NodePoll, type Tree } from "../model/tree.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { NodeKind } from "../prtg/node-record.ts";
import { SelectedApi } from "../selection/selected-api.ts";
import { type AllNodesOptions, AllNodesReader } from "./all-nodes.ts";

/** After this age, read statuses again. */
const MAX_AGE_MS = 5_000;

export interface ServerConnectionOptions extends AllNodesOptions {
  readonly api: MonitoringApi;
  /** `undefined`: the whole server. */
  readonly select?: SelectRules | undefined;
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
  readonly #options: ServerConnectionOptions;
  /** Complete lists of the last poll of the tree, and its monotonic time. */
  #fresh: { readonly kinds: ReadonlySet<NodeKind>; readonly at: number } | undefined;

  constructor(options: ServerConnectionOptions, past?: ConnectionPast) {
    const { api: whole, select, clock, log, isOneOfMany } = options;
    this.#options = options;
    this.selected =
      select && new SelectedApi({ api: whole, rules: select, clock, log }, past?.connection.selected, past?.tree);
    this.api = this.selected ?? whole;
    this.allNodes = new AllNodesReader({ api: this.api, clock, log, isOneOfMany });
  }

  /** Objects that are no longer selected, once each. */
  leaving({ tree }: Pick<ServerState, "tree">): ReadonlySet<string> | undefined {
    return this.selected?.selection.leaving(tree);
  }

  /** See `SelectedApi.withProbesAbove`. */
  withProbesAbove(lists: NodePoll): NodePoll {
    return this.selected?.withProbesAbove(lists) ?? lists;
  }

  /** The state contains these lists of the tree, with statuses. */
  keepFresh(lists: NodePoll): void {
    const kinds = new Set(NODE_KINDS.filter((kind) => lists[kind]?.complete === true));
    this.#fresh = { kinds, at: this.#options.clock.monotonic() };
  }

  /**
   * Kinds whose statuses the caller can skip once. The first poll of statuses follows the tree at once, and this saves a tenth
   * of the requests until the first page of a large server.
   */
  takeFresh(): ReadonlySet<NodeKind> {
    const fresh = this.#fresh;
    this.#fresh = undefined;
    const isFresh = fresh !== undefined && this.#options.clock.monotonic() - fresh.at <= MAX_AGE_MS;
    return isFresh ? fresh.kinds : new Set();
  }

  /** The same client for another part of the server. */
  selecting(select: SelectRules | undefined, tree: Tree): ServerConnection {
    return new ServerConnection({ ...this.#options, select }, { connection: this, tree });
  }
}
