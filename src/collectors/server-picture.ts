import type { Clock } from "../lib/clock.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { ChannelMapper, ValueSeries } from "../mapping/channel-mapper.ts";
import type { Lookups } from "../mapping/lookups.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { oncePerNode } from "../mapping/once-per-node.ts";
import { countStatuses } from "../mapping/status-counts.ts";
import { labelSize, labelsTooLarge } from "../model/bounds.ts";
import type { NodePoll } from "../model/poll.ts";
import { reconcileInSteps } from "../model/reconcile.ts";
import { EMPTY_TREE, NODE_KINDS, type Tree, type TreeChanges, type TreeNode } from "../model/tree.ts";
import type { ChannelRecord, ListResult, NodeRecord, StatusSummary } from "../prtg/records.ts";
import { isPaused, type StatusToken } from "../prtg/status.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Owner } from "../store/owner.ts";
import type { Store, Tables } from "../store/store.ts";
import { type ServerMetrics, UNMAPPED_REASONS } from "../telemetry/server-metrics.ts";
import { ChannelPicture, type ChannelPictureOptions, type Showing } from "./channel-picture.ts";
import type { Moment } from "./channel-series.ts";
import type { Deadlines } from "./deadlines.ts";
import type { FreshRow } from "./freshest-values.ts";
import { type ChannelChoice, inspectChannel, type SensorInspection } from "./inspection.ts";
import { nodeOwner } from "./node-owner.ts";
import { NodeSeries, type ParentKind } from "./node-series.ts";
import { SensorSeries } from "./sensor-series.ts";
import type { SensorStatusMode } from "./sensor-status-series.ts";

/** What is shown of a server, and how. */
export interface PictureShape {
  /** Decides which labels series have, and as what channels are served. */
  readonly mapper: ChannelMapper;
  /** Whether `prtg_channel_info` is served. */
  readonly channelInfo: boolean;
  readonly sensorStatus: SensorStatusMode;
  /** Kinds of objects below which sensors are counted per status. */
  readonly nodeSensors: Iterable<ParentKind>;
  /** Age at which a measurement is withdrawn; undefined: three scanning intervals, at least five minutes. */
  readonly staleAfterMs: number | undefined;
}

export interface ServerPictureOptions extends PictureShape {
  /** Value of the label `server`. */
  readonly server: string;
  readonly store: Store;
  readonly metrics: ServerMetrics;
  readonly clock: Clock;
  /** The server's clock minus ours, in milliseconds. */
  readonly clockOffset: () => number;
  /** It is not clear whether that is still so. */
  readonly isClockInDoubt: () => boolean;
  readonly deadlines: Deadlines;
  /** Characters that labels of the objects, and those of the channels, may have in all; undefined: any number. */
  readonly maxLabelText?: number | undefined;
}

/** What a poll brought; what it did not ask for, or failed to get, is left out. */
export interface TreeUpdate {
  readonly nodes?: NodePoll | undefined;
  /** `value` undefined: the server has no such endpoint, and we count ourselves. */
  readonly statusSummary?: { readonly value: StatusSummary | undefined } | undefined;
  readonly objectCounts?: { readonly value: ReadonlyMap<string, number> | undefined } | undefined;
}

/**
 * What we know of one server, and the store's view of it. Each method is one commit: readers of the store see all of a
 * poll or nothing of it, and polls of different collectors take turns.
 */
export class ServerPicture {
  readonly #options: ServerPictureOptions;
  #shape: PictureShape;
  #nodes: NodeSeries;
  #sensors: SensorSeries;
  #channels: ChannelPicture;
  #statusCounts: KeyedSeries;
  #objectCounts: KeyedSeries;
  #serverInfo: KeyedSeries;
  /** Kinds of which a list came. */
  readonly #listed = new Set<string>();
  /** With which other series those of an object stay together. */
  readonly #ownerOf = (id: string): Owner =>
    nodeOwner(this.#options.server, this.#tree.nodes.get(id) ?? { id, deviceId: "" });
  #tree: Tree = EMPTY_TREE;

  constructor(options: ServerPictureOptions) {
    const { server, store, mapper, sensorStatus, nodeSensors } = options;
    this.#options = options;
    this.#shape = options;
    this.#nodes = new NodeSeries(server, store, nodeSensors, this.#ownerOf);
    this.#sensors = new SensorSeries(server, store, mapper.labels, sensorStatus, this.#ownerOf);
    this.#statusCounts = new KeyedSeries(store.table(TREE_FAMILIES.sensors));
    this.#objectCounts = new KeyedSeries(store.table(TREE_FAMILIES.objects));
    this.#serverInfo = new KeyedSeries(store.table(TREE_FAMILIES.serverInfo));
    this.#channels = new ChannelPicture(this.#channelOptions(options, store));
  }

  /**
   * Copies what is shown into other tables, as `shape` wants it. Call inside `Store.reshape`, and what this resolves with at
   * its end; until then nothing changes here.
   */
  async reshape(shape: PictureShape, tables: Tables): Promise<() => void> {
    const { server, clock } = this.#options;
    const slices = new TimeSlices(clock);
    const nodes = new NodeSeries(server, tables, shape.nodeSensors, this.#ownerOf);
    const sensors = new SensorSeries(server, tables, shape.mapper.labels, shape.sensorStatus, this.#ownerOf);
    for (const node of this.#tree.nodes.values()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (node.kind === "sensor") sensors.takeOver(node, this.#sensors);
      else nodes.takeOver(node, this.#nodes);
    }
    const channels = await this.#channels.copyTo(this.#channelOptions(shape, tables), this.#showing(), slices);
    const statusCounts = this.#statusCounts.copyTo(tables.table(TREE_FAMILIES.sensors));
    const objectCounts = this.#objectCounts.copyTo(tables.table(TREE_FAMILIES.objects));
    const serverInfo = this.#serverInfo.copyTo(tables.table(TREE_FAMILIES.serverInfo));
    return () => {
      const hadRules = this.#shape.mapper.hasRules;
      this.#shape = shape;
      this.#nodes = nodes;
      this.#sensors = sensors;
      this.#channels = channels;
      this.#statusCounts = statusCounts;
      this.#objectCounts = objectCounts;
      this.#serverInfo = serverInfo;
      this.#report(hadRules);
    };
  }

  /** As of the last commit. */
  get tree(): Tree {
    return this.#tree;
  }

  /** Objects that others refer to, but that no list has shown. */
  *unknownIds(): Iterable<string> {
    yield* this.#tree.missingParents;
    yield* this.#channels.waitingSensors;
  }

  /** Brings the tree, statuses, properties and counts up to date, with as much of it as the poll brought. */
  async applyTree(update: TreeUpdate): Promise<void> {
    await this.#commit(async (slices) => {
      if (update.nodes !== undefined) await this.#applyNodes(update.nodes, slices);
      if (update.statusSummary !== undefined) this.#applyStatusCounts(update.statusSummary.value, update.nodes?.sensor);
      if (update.objectCounts !== undefined) this.#applyObjectCounts(update.objectCounts.value);
    });
  }

  async applyChannels(list: ListResult<ChannelRecord>): Promise<void> {
    await this.#checkLabels(list.items);
    this.#listed.add("channel");
    await this.#commit((slices) => this.#channels.applyValues(list, this.#showing(), slices));
  }

  /** @throws ApiError when the labels of all channels would be too large */
  async #checkLabels(channels: readonly ChannelRecord[]): Promise<void> {
    const { maxLabelText = Number.POSITIVE_INFINITY, clock } = this.#options;
    const slices = new TimeSlices(clock);
    const sensorSize = oncePerNode(labelSize);
    let size = 0;
    for (const { sensorId, name, unit } of channels) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const sensor = this.#tree.nodes.get(sensorId);
      size += (sensor === undefined ? 0 : sensorSize(sensor)) + name.length + unit.length;
      if (size > maxLabelText) throw labelsTooLarge("channels", maxLabelText);
    }
  }

  /** `lookups`: undefined where the server does not tell. */
  async applyLimits(list: ListResult<ChannelRecord>, lookups: Lookups | undefined): Promise<void> {
    const { deadlines, metrics } = this.#options;
    const until = deadlines.limit();
    await this.#commit(async (slices) => {
      const unknown = await this.#channels.applyLimits(list, lookups, until, this.#showing().now, slices);
      metrics.decodeProblem("lookup", unknown);
    });
  }

  /** Shows rows of time series that are newer than what lists have shown, by sensor. */
  async applySeries(rows: ReadonlyMap<string, FreshRow>): Promise<void> {
    await this.#commit((slices) => this.#channels.applySeries(rows, this.#showing().now, slices));
  }

  /** Scanning interval of a sensor, undefined while it is not known. */
  intervalMs(sensorId: string): number | undefined {
    const seconds = this.#tree.nodes.get(sensorId)?.intervalSeconds;
    return seconds === undefined ? undefined : seconds * 1_000;
  }

  /** The series that show a channel's value; undefined while the channel or its sensor is not known. */
  seriesOf(sensorId: string, channelId: string): readonly ValueSeries[] | undefined {
    return this.#channels.seriesOf(sensorId, channelId);
  }

  /** What is known of a sensor and its channels; undefined while it is not known. */
  inspect(sensorId: string, choice: ChannelChoice): SensorInspection | undefined {
    const { server } = this.#options;
    const sensor = this.#sensor(sensorId);
    if (sensor === undefined) return undefined;
    const { now } = this.#showing();
    const status = this.#sensors.statuses.get(sensorId);
    const kept = this.#channels.channelsOf(sensorId);
    const all = kept?.channels ?? [];
    const first = "from" in choice ? Math.min(choice.from, Math.max(0, all.length - 1)) : 0;
    const chosen =
      "from" in choice
        ? all.slice(first, first + choice.count)
        : all.filter(({ channelId }) => channelId === choice.channelId);
    return {
      ...{ server, sensor, status, staleAfterMs: kept?.staleAfterMs, channelCount: all.length, channelsFrom: first },
      channels: chosen.map((channel) => inspectChannel(channel, status, now)),
    };
  }

  /** Own status of an object; undefined where no list told, or none has confirmed it for long. */
  nodeStatus(node: TreeNode): StatusToken | undefined {
    return node.kind === "sensor" ? this.#sensors.statuses.get(node.id) : this.#nodes.status(node.id);
  }

  /** Channels whose sensor is known. */
  get channelCount(): number {
    return this.#channels.count;
  }

  /** Every channel whose sensor is known. Polls may go on in between. */
  channels(): ReturnType<ChannelPicture["all"]> {
    return this.#channels.all();
  }

  /** For work over many channels. */
  slices(): TimeSlices {
    return new TimeSlices(this.#options.clock);
  }

  async applyVersion(version: string): Promise<void> {
    const { server, deadlines } = this.#options;
    const labels = [server, version.toWellFormed()];
    await this.#commit(() => this.#serverInfo.set("", labels, 1, deadlines.version()));
  }

  async #commit(change: (slices: TimeSlices) => void | Promise<void>): Promise<void> {
    const { store, clock } = this.#options;
    await store.commit(() => change(new TimeSlices(clock)));
    this.#report();
  }

  #report(hadRules = false): void {
    const { metrics } = this.#options;
    metrics.orphans(this.#tree.orphans);
    metrics.waitingChannels(this.#channels.waiting);
    if (!hadRules && !this.#shape.mapper.hasRules) return;
    for (const reason of UNMAPPED_REASONS) metrics.unmappedChannels(reason, this.#channels.countOf(reason));
  }

  #channelOptions({ mapper, channelInfo, staleAfterMs }: PictureShape, tables: Tables): ChannelPictureOptions {
    return {
      server: this.#options.server,
      tables,
      mapper,
      channelInfo,
      staleAfterMs,
      sensor: (id) => this.#sensor(id),
      isPaused: (id) => isPaused(this.#sensors.statuses.get(id) ?? "unknown"),
      ownerOf: this.#ownerOf,
    };
  }

  #sensor(id: string): TreeNode | undefined {
    const node = this.#tree.nodes.get(id);
    return node?.kind === "sensor" ? node : undefined;
  }

  async #applyNodes(poll: NodePoll, slices: TimeSlices): Promise<void> {
    const { added } = await this.#reconcile(poll, slices);
    const { deadlines } = this.#options;
    const until = { state: deadlines.state(), property: deadlines.property() };
    const showing = this.#showing();
    for (const kind of NODE_KINDS) {
      if (poll[kind] !== undefined) this.#listed.add(kind);
      for (const record of poll[kind]?.items ?? []) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        const node = this.#tree.nodes.get(record.id);
        if (node?.kind === kind) this.#showNode(node, record, until, showing);
      }
    }
    // After the statuses, which decide whether a value is served.
    for (const node of added) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (node.kind === "sensor") this.#channels.adopt(node, showing);
    }
  }

  async #reconcile(poll: NodePoll, slices: TimeSlices): Promise<TreeChanges> {
    const steps = reconcileInSteps(this.#tree, poll, this.#options.maxLabelText);
    let step = steps.next();
    while (!step.done) {
      await slices.longStep();
      step = steps.next();
    }
    const { tree, changes } = step.value;
    this.#tree = tree;
    for (const node of changes.removed) this.#remove(node);
    const { now } = this.#showing();
    for (const { node } of changes.replaced) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      this.#relabel(node, now);
    }
    return changes;
  }

  #showNode(
    node: TreeNode,
    record: NodeRecord,
    until: { readonly state: number; readonly property: number },
    { now }: Showing,
  ): void {
    if (node.kind !== "sensor") {
      this.#nodes.show(node, record, until);
      return;
    }
    const before = this.#sensors.statuses.get(node.id);
    this.#sensors.show(node, record, until);
    if (isPaused(record.status) && (before === undefined || !isPaused(before))) {
      this.#channels.withdrawValues(node.id, now);
    }
  }

  #relabel(node: TreeNode, now: Moment): void {
    if (node.kind !== "sensor") this.#nodes.relabel(node);
    else {
      this.#sensors.relabel(node);
      this.#channels.relabel(node, now);
    }
  }

  #remove(node: TreeNode): void {
    if (node.kind !== "sensor") this.#nodes.remove(node.id);
    else {
      this.#sensors.remove(node.id);
      this.#channels.removeSensor(node.id);
    }
  }

  #showing(): Showing {
    const { clock, clockOffset, isClockInDoubt, deadlines } = this.#options;
    const server = clock.now() + clockOffset();
    const now = { monotonic: clock.monotonic(), server, isServerInDoubt: isClockInDoubt() };
    return { now, until: deadlines.channel() };
  }

  #applyStatusCounts(summary: StatusSummary | undefined, sensors: ListResult<NodeRecord> | undefined): void {
    const { server, metrics, deadlines } = this.#options;
    const { counts, consistent } = countStatuses(summary, this.#statuses(sensors));
    const until = deadlines.state();
    for (const [token, count] of counts) this.#statusCounts.set(token, [server, token], count, until);
    if (!consistent) metrics.decodeProblem("summary", 1);
  }

  /** Those of the list; those we know when it is not all there; undefined when no list came yet. */
  #statuses(sensors: ListResult<NodeRecord> | undefined): readonly StatusToken[] | undefined {
    if (sensors?.complete === true) return sensors.items.map((record) => record.status);
    return this.#listed.has("sensor") ? [...this.#sensors.statuses.values()] : undefined;
  }

  #applyObjectCounts(counted: ReadonlyMap<string, number> | undefined): void {
    const { server, deadlines } = this.#options;
    const counts = counted === undefined || counted.size === 0 ? this.#ownCounts() : counted;
    const until = deadlines.property();
    for (const [kind, count] of counts) this.#objectCounts.set(kind, [server, kind.toWellFormed()], count, until);
    this.#objectCounts.retain((kind) => counts.has(kind));
  }

  /** Of the kinds whose list came at least once: a list that we lack is no list of nothing. */
  #ownCounts(): ReadonlyMap<string, number> {
    const counts = { ...this.#tree.counts, channel: this.#channels.count + this.#channels.waiting };
    return new Map(Object.entries(counts).filter(([kind]) => this.#listed.has(kind)));
  }
}
