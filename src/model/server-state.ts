import type { NodeKind, NodeRecord } from "../prtg/node-record.ts";
import {
  type ChannelList,
  type ChannelRecords,
  type ListResult,
  provesAbsence,
  type StatusSummary,
} from "../prtg/records.ts";
import type { StatusToken } from "../prtg/status.ts";
import type { Channel } from "./channel.ts";
import { Counts, countStatuses, type ParentsByStatus, StatusTally } from "./counts.ts";
import { Details, type DetailsUpdate } from "./details.ts";
import { NODE_FACTS, NodeState, nodeExpiry, nodeTimes } from "./node-state.ts";
import { OutageTracker } from "./outage-tracker.ts";
import { problemOf } from "./outages.ts";
import { reconcileInSteps } from "./reconcile.ts";
import { ServerChannels } from "./server-channels.ts";
import { type KnownVersion, NO_OBSERVER, type NodeWatcher, type StateObserver } from "./state-observer.ts";
import {
  EMPTY_TREE,
  labelSize,
  labelsTooLarge,
  NODE_KINDS,
  type NodePoll,
  type Tree,
  type TreeChanges,
  type TreeNode,
} from "./tree.ts";
import type { UpdateContext } from "./update-context.ts";

/** Members that the poll did not read are missing. */
export interface TreeUpdate {
  readonly nodes?: NodePoll | undefined;
  /** Objects that the selection excludes now. */
  readonly deselected?: ReadonlySet<string> | undefined;
  /** `value` `undefined`: no such endpoint. The exporter counts. */
  readonly statusSummary?: { readonly value: StatusSummary | undefined } | undefined;
  readonly objectCounts?: { readonly value: ReadonlyMap<string, number> | undefined } | undefined;
}

export interface ServerStateOptions {
  /** `undefined`: three scanning intervals, at least five minutes. */
  readonly staleAfterMs: number | undefined;
  /** Maximum characters in the labels of all objects, and of all channels. */
  readonly maxLabelText?: number | undefined;
}

/**
 * Facts about one server and their expiry. It knows no metrics, clients or schedules, so it outlives their change.
 * Collectors call the asynchronous methods one at a time.
 */
export class ServerState {
  readonly statusCounts = new Counts();
  readonly objectCounts = new Counts();
  readonly details: Details;
  readonly outages = new OutageTracker();
  readonly channels: ServerChannels;
  readonly #maxLabelText: number;
  readonly #nodes = new Map<string, NodeState>();
  readonly #nodeTimes = nodeTimes();
  readonly #statuses: Readonly<Record<NodeKind, StatusTally>> = {
    probe: new StatusTally(),
    group: new StatusTally(),
    device: new StatusTally(),
    sensor: new StatusTally(),
  };
  /** Kinds with at least one list. */
  readonly #listed = new Set<string>();
  readonly #provenAt = new Map<NodeKind, number>();
  #tree: Tree = EMPTY_TREE;
  #version: KnownVersion | undefined;
  #observer = NO_OBSERVER;
  #watcher: NodeWatcher | undefined;

  constructor({ staleAfterMs, maxLabelText = Number.POSITIVE_INFINITY }: ServerStateOptions) {
    this.#maxLabelText = maxLabelText;
    const sensor = (id: string) => {
      const node = this.#nodes.get(id);
      return node?.node.kind === "sensor" ? node : undefined;
    };
    const removed = (channel: Channel) => this.details.forget(channel, this.#observer);
    this.channels = new ServerChannels({ sensor, staleAfterMs, removed }, NO_OBSERVER);
    this.details = new Details({
      node: (id) => this.#nodes.get(id),
      channel: (sensorId, channelId) => this.channels.of(sensorId)?.find(channelId),
    });
  }

  observe(observer: StateObserver): void {
    this.#observer = observer;
    this.channels.observer = observer;
  }

  /** From the next poll on. */
  watchNodes(watcher: NodeWatcher | undefined): void {
    this.#watcher = watcher;
  }

  get tree(): Tree {
    return this.#tree;
  }

  *nodes(): Iterable<NodeState> {
    for (const id of this.#tree.nodes.keys()) {
      const node = this.#nodes.get(id);
      if (node !== undefined) yield node;
    }
  }

  node(id: string): NodeState | undefined {
    return this.#nodes.get(id);
  }

  /** As of the last list. */
  statusOf({ id }: Pick<TreeNode, "id">): StatusToken | undefined {
    return this.#nodes.get(id)?.status;
  }

  /** Time (monotonic ms) of the last list that shows every object of this kind. `undefined`: there was none yet. */
  provenAt(kind: NodeKind): number | undefined {
    return this.#provenAt.get(kind);
  }

  intervalMs(sensorId: string): number | undefined {
    const seconds = this.#tree.nodes.get(sensorId)?.intervalSeconds;
    return seconds === undefined ? undefined : seconds * 1_000;
  }

  channel(sensorId: string, channelId: string): Channel | undefined {
    return this.channels.of(sensorId)?.find(channelId);
  }

  *unknownIds(): Iterable<string> {
    yield* this.#tree.missingParents;
    yield* this.channels.pendingSensors;
  }

  get sensorsByStatus(): ReadonlyMap<StatusToken, number> {
    return this.#statuses.sensor.counts();
  }

  /** As of the last lists. */
  get parentsByStatus(): ParentsByStatus {
    const { probe, group, device } = this.#statuses;
    return { probe: probe.counts(), group: group.counts(), device: device.counts() };
  }

  get version(): KnownVersion | undefined {
    return this.#version;
  }

  /**
   * Resolves with whether the counts equal the server's own total. @throws ApiError if the labels of all objects
   * would be too large
   */
  async applyTree(update: TreeUpdate, context: UpdateContext): Promise<{ readonly isConsistent: boolean }> {
    const { nodes, deselected, statusSummary, objectCounts } = update;
    if (nodes !== undefined || deselected !== undefined) await this.#applyNodes(nodes ?? {}, deselected, context);
    const isConsistent =
      statusSummary === undefined || this.#countStatuses(statusSummary.value, nodes?.sensor, context);
    if (objectCounts !== undefined) this.#countObjects(objectCounts.value, context);
    return { isConsistent };
  }

  /** @throws ApiError if the labels of all channels would be too large */
  async applyChannels(list: ChannelList, context: UpdateContext): Promise<void> {
    await this.#checkLabels(list.items, context);
    this.#listed.add("channel");
    await this.channels.list(list, context);
  }

  applyVersion(version: string, { now, expiry }: UpdateContext): void {
    this.#version = { row: 0, version, expiresAt: expiry.version() };
    this.#observer.onRecord("version", this.#version, now.monotonic);
  }

  applyDetails(update: DetailsUpdate, context: UpdateContext): Promise<void> {
    return this.details.apply(update, this.#observer, context);
  }

  async #checkLabels(channels: ChannelRecords, { slices }: UpdateContext): Promise<void> {
    let sensorId: string | undefined;
    let sensorSize = 0;
    let size = 0;
    for (const channel of channels) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (channel.sensorId !== sensorId) {
        sensorId = channel.sensorId;
        const sensor = this.#tree.nodes.get(sensorId);
        sensorSize = sensor === undefined ? 0 : labelSize(sensor);
      }
      size += sensorSize + channel.name.length + channel.unit.length;
      if (size > this.#maxLabelText) throw labelsTooLarge("channels", this.#maxLabelText);
    }
  }

  async #applyNodes(
    poll: NodePoll,
    deselected: ReadonlySet<string> | undefined,
    context: UpdateContext,
  ): Promise<void> {
    const { now, slices } = context;
    // A poll has one watcher from start to end.
    const watcher = this.#watcher;
    watcher?.onPollStart();
    const { added } = await this.#reconcile(poll, deselected, context, watcher);
    const expiresAt = nodeExpiry(context.expiry);
    for (const kind of NODE_KINDS) {
      if (poll[kind] !== undefined) this.#listed.add(kind);
      if (poll[kind] !== undefined && provesAbsence(poll[kind], 1)) this.#provenAt.set(kind, now.monotonic);
      for (const record of poll[kind]?.items ?? []) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        const node = this.#nodes.get(record.id);
        if (node?.node.kind !== kind) continue;
        const { isPaused: wasPaused, status: before, statusSince: since } = node;
        const facts = node.update(record, expiresAt);
        if (node.status !== before) this.#statuses[kind].move(before, node.status);
        this.#observer.onNodeChange(node, facts, now.monotonic);
        watcher?.onNodeRecord(node);
        if (before !== undefined && node.status !== before) watcher?.onStatusChange?.(node, before, since);
        if (kind === "sensor" && node.isPaused && !wasPaused) this.channels.pauseSensor(node.id, now);
      }
    }
    // Statuses first: they decide whether the exporter serves a value.
    const channelsExpireAt = context.expiry.channel();
    for (const node of added) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (node.kind === "sensor") this.channels.adopt(node.id, now, channelsExpireAt);
    }
    const stateOf = (id: string) => this.#nodes.get(id);
    await this.outages.update(this.#tree, stateOf, this.#sensorsWithProblem(), this.#observer, context);
    watcher?.onOutages?.(this.outages.all, this.#tree);
    watcher?.onPollEnd(poll, now);
  }

  #sensorsWithProblem(): number {
    let count = 0;
    for (const [status, sensors] of this.sensorsByStatus) if (problemOf(status) !== undefined) count += sensors;
    return count;
  }

  async #reconcile(
    poll: NodePoll,
    deselected: ReadonlySet<string> | undefined,
    { now, slices }: UpdateContext,
    watcher: NodeWatcher | undefined,
  ): Promise<TreeChanges> {
    const steps = reconcileInSteps(this.#tree, poll, this.#maxLabelText, deselected);
    let step = steps.next();
    while (!step.done) {
      await slices.longStep();
      step = steps.next();
    }
    const { tree, changes } = step.value;
    this.#tree = tree;
    for (const node of changes.removed) this.#remove(node, watcher);
    for (const node of changes.added) {
      const added = new NodeState(this.#nodeTimes, node);
      this.#nodes.set(node.id, added);
      this.#statuses[node.kind].add(undefined);
      watcher?.onNodeAddition(added);
    }
    for (const node of changes.replaced) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const known = this.#nodes.get(node.id);
      if (known === undefined) continue;
      const before = known.node;
      known.node = node;
      watcher?.onNodeReplacement(known, before);
      this.#observer.onNodeChange(known, NODE_FACTS.identity, now.monotonic);
      this.details.relabel(known, this.#observer, now.monotonic);
      if (node.kind === "sensor") this.channels.moveSensor(node.id, now);
    }
    return changes;
  }

  #remove({ id, kind }: TreeNode, watcher: NodeWatcher | undefined): void {
    const known = this.#nodes.get(id);
    if (known === undefined) return;
    if (kind === "sensor") this.channels.removeSensor(id);
    this.#statuses[kind].remove(known.status);
    this.#observer.onNodeRemoval(known);
    this.details.forget(known, this.#observer);
    watcher?.onNodeRemoval(known);
    this.#nodes.delete(id);
    this.#nodeTimes.release(known.row);
  }

  /** Returns whether the counts equal the server's own total. */
  #countStatuses(
    summary: StatusSummary | undefined,
    sensors: ListResult<NodeRecord> | undefined,
    { now, expiry }: UpdateContext,
  ): boolean {
    const { counts, consistent } = countStatuses(summary, this.#statusesOf(sensors));
    const expiresAt = expiry.state();
    for (const [token, count] of counts) {
      this.#observer.onRecord("statusCount", this.statusCounts.set(token, count, expiresAt), now.monotonic);
    }
    return consistent;
  }

  /** `undefined` before the first list. */
  #statusesOf(sensors: ListResult<NodeRecord> | undefined): readonly StatusToken[] | undefined {
    if (sensors?.complete === true) return sensors.items.map((record) => record.status);
    if (!this.#listed.has("sensor")) return undefined;
    return [...this.#nodes.values()].flatMap(({ node, status }) => {
      return node.kind === "sensor" && status !== undefined ? [status] : [];
    });
  }

  #countObjects(counted: ReadonlyMap<string, number> | undefined, { now, expiry }: UpdateContext): void {
    const counts = counted === undefined || counted.size === 0 ? this.#countKnownObjects() : counted;
    const expiresAt = expiry.property();
    for (const [kind, count] of counts) {
      this.#observer.onRecord("objectCount", this.objectCounts.set(kind, count, expiresAt), now.monotonic);
    }
    for (const removed of this.objectCounts.retain((kind) => counts.has(kind))) {
      this.#observer.onRecordRemoval("objectCount", removed);
    }
  }

  /** Omits kinds without a list: a missing list does not mean 0. */
  #countKnownObjects(): ReadonlyMap<string, number> {
    const counts = { ...this.#tree.counts, channel: this.channels.count + this.channels.waiting };
    return new Map(Object.entries(counts).filter(([kind]) => this.#listed.has(kind)));
  }
}
