import type { Logger } from "pino";
import type { SelectRules } from "../config/select-schema.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServerState } from "../model/server-state.ts";
import type { NodePoll, Tree } from "../model/tree.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import { SelectedApi } from "../selection/selected-api.ts";
import { AllNodesReader } from "./all-nodes.ts";
import { ServerLookups } from "./channel-polls.ts";
import type { ServerFailureLogs } from "./failure-log.ts";
import { ServerHealth } from "./health-poll.ts";
import { FreshLists, NodeGaps } from "./node-polls.ts";

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
