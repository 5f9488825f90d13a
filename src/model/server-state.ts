import type { ChannelRecord, ListResult, NodeRecord, StatusSummary } from "../prtg/records.ts";
import type { StatusToken } from "../prtg/status.ts";
import { labelSize, labelsTooLarge } from "./bounds.ts";
import type { Channel } from "./channel.ts";
import { Counts, countStatuses } from "./counts.ts";
import { Details, type DetailsUpdate } from "./details.ts";
import type { Lookups } from "./lookups.ts";
import { NODE_FACTS, NodeState, NodeTimes, nodeExpiry } from "./node-state.ts";
import type { NodeWatcher } from "./node-watcher.ts";
import { reconcileInSteps } from "./reconcile.ts";
import type { SensorChannels } from "./sensor-channels.ts";
import { type LatestRow, ServerChannels } from "./server-channels.ts";
import { type KnownVersion, NO_OBSERVER, type StateObserver } from "./state-observer.ts";
import { StatusTally } from "./status-tally.ts";
import { EMPTY_TREE, NODE_KINDS, type NodePoll, type Tree, type TreeChanges, type TreeNode } from "./tree.ts";
import type { UpdateContext } from "./update-context.ts";

/** What a poll brought; what it did not ask for, or failed to get, is left out. */
export interface TreeUpdate {
  readonly nodes?: NodePoll | undefined;
  /** Objects that go at once, as they are not selected any more. */
  readonly left?: ReadonlySet<string> | undefined;
  /** `value` undefined: the server has no such endpoint, and we count ourselves. */
  readonly statusSummary?: { readonly value: StatusSummary | undefined } | undefined;
  readonly objectCounts?: { readonly value: ReadonlyMap<string, number> | undefined } | undefined;
}

export interface ServerStateOptions {
  /** Age at which a measurement is withdrawn; undefined: three scanning intervals, at least five minutes. */
  readonly staleAfterMs: number | undefined;
  /** Characters that labels of the objects, and those of the channels, may have in all; undefined: any number. */
  readonly maxLabelText?: number | undefined;
}

/**
 * What we know of one server: its tree, and of each object what was told last and until when that holds. It knows of no
 * metric, label or table, and of no client or schedule, so that it outlives a change of either. Collectors change it by
 * the asynchronous methods, one at a time; an observer hears of each change; everything else reads.
 */
export class ServerState {
  readonly #maxLabelText: number;
  readonly #nodes = new Map<string, NodeState>();
  readonly #nodeTimes = new NodeTimes();
  readonly #channels: ServerChannels;
  readonly #sensorStatuses = new StatusTally();
  readonly #statusCounts = new Counts();
  readonly #objectCounts = new Counts();
  readonly #details: Details;
  /** Kinds of which a list came. */
  readonly #listed = new Set<string>();
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
    const removed = (channel: Channel) => this.#details.forget(channel, this.#observer);
    this.#channels = new ServerChannels({ sensor, staleAfterMs, removed }, NO_OBSERVER);
    this.#details = new Details({
      node: (id) => this.#nodes.get(id),
      channel: (sensorId, channelId) => this.#channels.of(sensorId)?.find(channelId),
    });
  }

  /** Hears of each change from now on, in place of the one before. */
  observe(observer: StateObserver): void {
    this.#observer = observer;
    this.#channels.observer = observer;
  }

  /** Hears of nodes, beside the observer, from the next poll on, in place of the one before. */
  watchNodes(watcher: NodeWatcher | undefined): void {
    this.#watcher = watcher;
  }

  /** As of the last change. */
  get tree(): Tree {
    return this.#tree;
  }

  /** Every probe, group, device and sensor, in the order of the tree. */
  *nodes(): Iterable<NodeState> {
    for (const id of this.#tree.nodes.keys()) {
      const node = this.#nodes.get(id);
      if (node !== undefined) yield node;
    }
  }

  node(id: string): NodeState | undefined {
    return this.#nodes.get(id);
  }

  /** Own status of an object; undefined where no list told, or none has confirmed it for long. `now`: monotonic ms. */
  statusOf({ id }: Pick<TreeNode, "id">, now: number): StatusToken | undefined {
    return this.#nodes.get(id)?.knownStatus(now);
  }

  /** Scanning interval of a sensor, undefined while it is not known. */
  intervalMs(sensorId: string): number | undefined {
    const seconds = this.#tree.nodes.get(sensorId)?.intervalSeconds;
    return seconds === undefined ? undefined : seconds * 1_000;
  }

  /** The channels of each sensor that has some, in the order in which they came first. Changes may come in between. */
  get channelsBySensor(): Iterable<SensorChannels> {
    return this.#channels.all;
  }

  /** Undefined where no channel of the sensor was listed. */
  channelsOf(sensorId: string): SensorChannels | undefined {
    return this.#channels.of(sensorId);
  }

  channel(sensorId: string, channelId: string): Channel | undefined {
    return this.#channels.of(sensorId)?.find(channelId);
  }

  /** Channels whose sensor is known. */
  get channelCount(): number {
    return this.#channels.count;
  }

  /** Channels of the last poll whose sensor is not known yet. */
  get waitingChannels(): number {
    return this.#channels.waiting;
  }

  /** Objects that others refer to, but that no list has shown. */
  *unknownIds(): Iterable<string> {
    yield* this.#tree.missingParents;
    yield* this.#channels.waitingSensors;
  }

  /** Sensors that are known, per status, with the statuses that some sensor has. */
  get sensorsByStatus(): ReadonlyMap<StatusToken, number> {
    return this.#sensorStatuses.counts();
  }

  /** Sensors per status, as the server counts them where it does. */
  get statusCounts(): Counts {
    return this.#statusCounts;
  }

  /** Objects per kind. */
  get objectCounts(): Counts {
    return this.#objectCounts;
  }

  /** Of the server; undefined until it told. */
  get version(): KnownVersion | undefined {
    return this.#version;
  }

  /**
   * Brings the tree, statuses, properties and counts up to date, with as much of it as the poll brought. Resolves with
   * whether the counts add up to the server's own total.
   * @throws ApiError when the labels of all objects would be too large
   */
  async applyTree(update: TreeUpdate, context: UpdateContext): Promise<{ readonly isConsistent: boolean }> {
    const { nodes, left, statusSummary, objectCounts } = update;
    if (nodes !== undefined || left !== undefined) await this.#applyNodes(nodes ?? {}, left, context);
    const isConsistent =
      statusSummary === undefined || this.#countStatuses(statusSummary.value, nodes?.sensor, context);
    if (objectCounts !== undefined) this.#countObjects(objectCounts.value, context);
    return { isConsistent };
  }

  /**
   * Takes over a list of all channels.
   * @throws ApiError when the labels of all channels would be too large
   */
  async applyChannels(list: ListResult<ChannelRecord>, context: UpdateContext): Promise<void> {
    await this.#checkLabels(list.items, context);
    this.#listed.add("channel");
    await this.#channels.list(list, context);
  }

  /** `lookups`: undefined where the server does not tell. Resolves with how many channels have a lookup that is not among them. */
  applyLimits(list: ListResult<ChannelRecord>, lookups: Lookups | undefined, context: UpdateContext): Promise<number> {
    return this.#channels.listLimits(list, lookups, context);
  }

  /** Takes over rows of time series that are newer than what lists have shown, by sensor. */
  applySeries(rows: ReadonlyMap<string, LatestRow>, context: UpdateContext): Promise<void> {
    return this.#channels.takeSeries(rows, context);
  }

  applyVersion(version: string, { now, expiry }: UpdateContext): void {
    this.#version = { row: 0, version, until: expiry.version() };
    this.#observer.versionTold(this.#version, now.monotonic);
  }

  /** What is told seldom. */
  get details(): Details {
    return this.#details;
  }

  applyDetails(update: DetailsUpdate, context: UpdateContext): Promise<void> {
    return this.#details.apply(update, this.#observer, context);
  }

  /** Values are served for another time. No observer is told: everything has to be read anew. */
  changeStaleness(staleAfterMs: number | undefined, context: UpdateContext): Promise<void> {
    return this.#channels.changeStaleness(staleAfterMs, context);
  }

  async #checkLabels(channels: readonly ChannelRecord[], { slices }: UpdateContext): Promise<void> {
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

  async #applyNodes(poll: NodePoll, left: ReadonlySet<string> | undefined, context: UpdateContext): Promise<void> {
    const { now, slices } = context;
    // The same one to the end, as it hears of a poll as a whole.
    const watcher = this.#watcher;
    watcher?.pollBegan();
    const { added } = await this.#reconcile(poll, left, context, watcher);
    const until = nodeExpiry(context.expiry);
    for (const kind of NODE_KINDS) {
      if (poll[kind] !== undefined) this.#listed.add(kind);
      for (const record of poll[kind]?.items ?? []) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        const node = this.#nodes.get(record.id);
        if (node?.node.kind !== kind) continue;
        const { isPaused: wasPaused, status: before } = node;
        const facts = node.update(record, until);
        if (kind === "sensor" && node.status !== before) this.#sensorStatuses.move(before, node.status);
        this.#observer.nodeChanged(node, facts, now.monotonic);
        watcher?.nodeListed(node);
        if (kind === "sensor" && node.isPaused && !wasPaused) this.#channels.pauseSensor(node.id, now);
      }
    }
    // After the statuses, which decide whether a value is served.
    const channelsUntil = context.expiry.channel();
    for (const node of added) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (node.kind === "sensor") this.#channels.adopt(node.id, now, channelsUntil);
    }
    watcher?.pollEnded(poll, now);
  }

  async #reconcile(
    poll: NodePoll,
    left: ReadonlySet<string> | undefined,
    { now, slices }: UpdateContext,
    watcher: NodeWatcher | undefined,
  ): Promise<TreeChanges> {
    const steps = reconcileInSteps(this.#tree, poll, this.#maxLabelText, left);
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
      if (node.kind === "sensor") this.#sensorStatuses.add(undefined);
      watcher?.nodeAdded(added);
    }
    for (const node of changes.replaced) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const known = this.#nodes.get(node.id);
      if (known === undefined) continue;
      const before = known.node;
      known.node = node;
      watcher?.nodeReplaced(known, before);
      this.#observer.nodeChanged(known, NODE_FACTS.identity, now.monotonic);
      this.#details.renamed(known, this.#observer, now.monotonic);
      if (node.kind === "sensor") this.#channels.moveSensor(node.id, now);
    }
    return changes;
  }

  #remove({ id, kind }: TreeNode, watcher: NodeWatcher | undefined): void {
    const known = this.#nodes.get(id);
    if (known === undefined) return;
    if (kind === "sensor") {
      this.#channels.removeSensor(id);
      this.#sensorStatuses.remove(known.status);
    }
    this.#observer.nodeRemoved(known);
    this.#details.forget(known, this.#observer);
    watcher?.nodeRemoved(known);
    this.#nodes.delete(id);
    this.#nodeTimes.release(known.row);
  }

  /** Returns whether the counts add up to the server's own total. */
  #countStatuses(
    summary: StatusSummary | undefined,
    sensors: ListResult<NodeRecord> | undefined,
    { now, expiry }: UpdateContext,
  ): boolean {
    const { counts, consistent } = countStatuses(summary, this.#statuses(sensors));
    const until = expiry.state();
    for (const [token, count] of counts) {
      this.#observer.statusCounted(this.#statusCounts.set(token, count, until), now.monotonic);
    }
    return consistent;
  }

  /** Those of the list; those we know when it is not all there; undefined when no list came yet. */
  #statuses(sensors: ListResult<NodeRecord> | undefined): readonly StatusToken[] | undefined {
    if (sensors?.complete === true) return sensors.items.map((record) => record.status);
    if (!this.#listed.has("sensor")) return undefined;
    return [...this.#nodes.values()].flatMap(({ node, status }) => {
      return node.kind === "sensor" && status !== undefined ? [status] : [];
    });
  }

  #countObjects(counted: ReadonlyMap<string, number> | undefined, { now, expiry }: UpdateContext): void {
    const counts = counted === undefined || counted.size === 0 ? this.#ownCounts() : counted;
    const until = expiry.property();
    for (const [kind, count] of counts) {
      this.#observer.objectsCounted(this.#objectCounts.set(kind, count, until), now.monotonic);
    }
    for (const gone of this.#objectCounts.retain((kind) => counts.has(kind))) this.#observer.objectCountRemoved(gone);
  }

  /** Of the kinds whose list came at least once: a list that we lack is no list of nothing. */
  #ownCounts(): ReadonlyMap<string, number> {
    const counts = { ...this.#tree.counts, channel: this.#channels.count + this.#channels.waiting };
    return new Map(Object.entries(counts).filter(([kind]) => this.#listed.has(kind)));
  }
}
