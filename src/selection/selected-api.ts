import type { SelectRules } from "../config/select-schema.ts";
import type { Clock } from "../lib/clock.ts";
import type { Runtime } from "../lib/runtime.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { ListedNode, NodePoll, Tree } from "../model/tree.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { ListOptions, MonitoringApi } from "../prtg/monitoring-api.ts";
import { type NodeKind, type NodeRecord, READING_ORDER } from "../prtg/node-record.ts";
import type { ChannelList, ChannelRecord, Items, ListResult } from "../prtg/records.ts";
import { channelFilters, sensorFilters } from "./list-filters.ts";
import { CONTAINER_KINDS, type ContainerKind, Selection } from "./selection.ts";
import { isFilterRefusal, joined, SelectiveReader } from "./selective-reader.ts";

export interface SelectedApiOptions extends Pick<Runtime, "clock" | "log"> {
  readonly api: MonitoringApi;
  readonly rules: SelectRules;
}

/** Channels per sensor before the first list. */
const ASSUMED_CHANNELS = 10;

/**
 * The selected part of a server: lists and counts have no other objects. Reads probes, groups and devices completely,
 * sensors and channels in the cheaper way.
 */
export class SelectedApi implements MonitoringApi {
  readonly selection: Selection;
  /** Parents first, because they decide. */
  readonly readingOrder = READING_ORDER.toReversed();
  readonly sensorReader: SelectiveReader<NodeRecord>;
  readonly channelReader: SelectiveReader<ChannelRecord>;
  readonly health: MonitoringApi["health"] = (signal) => this.#api.health(signal);
  readonly lookups: MonitoringApi["lookups"] = (signal) => this.#api.lookups(signal);
  readonly timeSeries: MonitoringApi["timeSeries"] = (...request) => this.#api.timeSeries(...request);
  readonly listPages: MonitoringApi["listPages"] = () => this.#api.listPages();
  readonly clockOffset: MonitoringApi["clockOffset"] = () => this.#api.clockOffset();
  readonly isClockInDoubt: MonitoringApi["isClockInDoubt"] = () => this.#api.isClockInDoubt();
  readonly close: MonitoringApi["close"] = () => this.#api.close();
  readonly #api: MonitoringApi;
  readonly #clock: Clock;
  #known = new Set<NodeKind>();
  /** Sensors with channels in the last list. */
  #withChannels: ReadonlySet<string> | undefined;
  #channels: number | undefined;
  #version: string | undefined;
  /** Probes of the last list, selected or not. */
  #probes: readonly NodeRecord[] = [];
  /** Serializes changes of the selection. */
  #taking: Promise<unknown> = Promise.resolve();

  /**
   * @param before Of the same server, whose knowledge stays.
   * @param tree The served tree. Complete if there was no selection before.
   */
  constructor({ api, rules, clock, log }: SelectedApiOptions, before?: SelectedApi, tree?: Tree) {
    this.#api = api;
    this.#clock = clock;
    this.selection = new Selection(rules, before?.selection, tree);
    const total = tree?.counts.sensor === 0 ? undefined : tree?.counts.sensor;
    this.sensorReader = before?.sensorReader ?? new SelectiveReader("sensors", clock, log, total);
    this.channelReader = before?.channelReader ?? new SelectiveReader("channels", clock, log);
    if (before === undefined) {
      if (total !== undefined) this.#known = new Set(READING_ORDER);
      return;
    }
    this.#known = new Set(before.#known);
    this.#withChannels = before.#withChannels;
    this.#channels = before.#channels;
    this.#version = before.#version;
  }

  async nodes(kind: NodeKind, options: ListOptions, signal: AbortSignal): Promise<ListResult<ListedNode>> {
    if (kind !== "sensor") return this.#containers(kind, options, signal);
    for (const above of CONTAINER_KINDS) if (!this.#known.has(above)) await this.#readIfThere(above, signal);
    return this.#sensors(options, signal);
  }

  /**
   * Adds the probes above the selection, which only the other lists show: a disconnected probe is why selected sensors
   * are unknown. Without counts, because they include sensors that are not selected.
   */
  withProbesAbove(lists: NodePoll): NodePoll {
    const { probe } = lists;
    if (probe === undefined) return lists;
    const { probesAbove } = this.selection;
    const above = this.#probes
      .filter(({ id }) => probesAbove.has(id))
      .map((record) => ({ ...record, summary: undefined }));
    return above.length === 0 ? lists : { ...lists, probe: { ...probe, items: [...probe.items, ...above] } };
  }

  /** The selection decides which lists to request. */
  allNodes(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async channels(options: ListOptions, signal: AbortSignal): Promise<ChannelList> {
    if (!this.#known.has("sensor")) await this.nodes("sensor", {}, signal);
    const { sensors } = this.selection;
    const known = this.#withChannels?.intersection(sensors);
    const expected = known === undefined || known.size === 0 ? sensors : known;
    const { total = 0 } = this.sensorReader;
    const list = await this.channelReader.read(
      {
        parts: channelFilters(this.selection),
        expected,
        // A sensor may have no channels.
        mayLack: expected === sensors ? Math.floor(sensors.size / 2) : 0,
        mayLackUnknown: false,
        records: this.#channels ?? sensors.size * ASSUMED_CHANNELS,
        idsIn: ({ items }) => new Set(items.values().map(({ sensorId }) => sensorId)),
        read: (filter) => this.#api.channels({ ...options, filter }, signal),
      },
      total * ASSUMED_CHANNELS,
    );
    return this.#exclusively(async (slices) => {
      const selected = await this.selection.takeChannels(list, slices);
      this.#withChannels = new Set(selected.items.values().map(({ sensorId }) => sensorId));
      this.#channels = selected.items.length;
      return selected;
    });
  }

  /** Details of the whole server. The caller drops the rest. */
  get details(): MonitoringApi["details"] {
    return this.#api.details;
  }

  /** Objects of the whole server. */
  get objects(): MonitoringApi["objects"] {
    return this.#api.objects;
  }

  /** The caller acts on selected objects only. */
  get actions(): MonitoringApi["actions"] {
    return this.#api.actions;
  }

  /** The server's counts include other sensors. */
  statusSummary(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** The server's counts include other objects. */
  objectCounts(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async version(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const versions = await this.#api.version(signal);
    const version = [...versions.values()].join(" ");
    if (this.#version !== undefined && version !== this.#version) {
      this.sensorReader.forget();
      this.channelReader.forget();
    }
    this.#version = version;
    return versions;
  }

  async #containers(kind: ContainerKind, options: ListOptions, signal: AbortSignal): Promise<ListResult<ListedNode>> {
    await this.#find(kind, options, signal);
    const list = await this.#api.nodes(kind, options, signal);
    return this.#exclusively(async (slices) => {
      this.#known.add(kind);
      if (kind === "probe") this.#probes = list.items;
      return this.selection.takeContainers(kind, list, slices);
    });
  }

  /** A server may lack the list. */
  async #readIfThere(kind: ContainerKind, signal: AbortSignal): Promise<void> {
    try {
      await this.#containers(kind, {}, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "API_ENDPOINT_MISSING") throw error;
    }
  }

  async #sensors(options: ListOptions, signal: AbortSignal): Promise<ListResult<ListedNode>> {
    const found = await this.#find("sensor", options, signal);
    const { selection } = this;
    const idsFound = selection.judge.foundOf("sensor");
    const list = await this.sensorReader.read({
      parts: sensorFilters(selection),
      expected: this.#known.has("sensor") ? selection.sensors.difference(idsFound) : undefined,
      mayLack: 0,
      mayLackUnknown: true,
      records: selection.sensors.size,
      idsIn: ({ items }) => idsOf(items.values().filter((sensor) => selection.selects(sensor))),
      read: (filter) => this.#api.nodes("sensor", { ...options, filter }, signal),
    });
    const items = [...new Map([...list.items, ...found.items].map((item) => [item.id, item])).values()];
    return this.#exclusively(async (slices) => {
      this.#known.add("sensor");
      return selection.takeSensors({ ...joined([list, found]), items }, slices);
    });
  }

  /** Reads the objects that match the configured filters. */
  async #find(
    kind: NodeKind,
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<ListResult<NodeRecord, Items<NodeRecord>>> {
    const lists: ListResult<NodeRecord>[] = [];
    for (const filter of this.selection.judge.filters) {
      const list = await this.#findBy(filter, kind, options, signal);
      lists.push(list);
      const hides = (list.hidden ?? 0) > 0;
      if (list.complete)
        await this.#exclusively(async () => this.selection.takeFilter(filter, kind, idsOf(list.items), hides));
    }
    return joined([{ items: [], complete: true, skipped: 0 }, ...lists]);
  }

  async #findBy(
    filter: string,
    kind: NodeKind,
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<ListResult<NodeRecord>> {
    try {
      return await this.#api.nodes(kind, { ...options, filter }, signal);
    } catch (error) {
      if (!isFilterRefusal(error)) throw error;
      throw new ApiError("API_FILTER_REFUSED", `select: the server refuses the filter ${filter}: ${error.message}`, {
        ...error,
        cause: error,
      });
    }
  }

  #exclusively<Result>(take: (slices: TimeSlices) => Promise<Result>): Promise<Result> {
    const taken = this.#taking.then(() => take(new TimeSlices(this.#clock)));
    this.#taking = taken.catch(() => undefined);
    return taken;
  }
}

function idsOf(items: Iterable<NodeRecord>): ReadonlySet<string> {
  return new Set(Iterator.from(items).map(({ id }) => id));
}
