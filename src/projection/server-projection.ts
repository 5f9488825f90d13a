import { CHANNEL_FAMILIES, MAPPED_LIMIT, MAPPED_VALUE } from "../mapping/families/channel-families.ts";
import {
  type AboutNodes,
  ALL_STATUSES,
  NODE_FAMILIES,
  PARENT_FAMILIES,
  SENSOR_FAMILIES,
} from "../mapping/families/node-families.ts";
import {
  ANY_FACT,
  COUNT_FAMILIES,
  DETAIL_FAMILIES,
  OUTAGE_DEVICE_FAMILIES,
  OUTAGE_FAMILIES,
  VERSION_FAMILIES,
} from "../mapping/families/server-families.ts";
import type { ChannelServing, MappingOutcome } from "../mapping/rules/rule.ts";
import { ALL_CHANNEL_FACTS, CHANNEL_FACTS, type Channel } from "../model/channel.ts";
import { ALL_NODE_FACTS, NODE_FACTS, type NodeState } from "../model/node-state.ts";
import type { ServerState } from "../model/server-state.ts";
import type { Detail, DetailSubject, ServerRecords, StateObserver } from "../model/state-observer.ts";
import type { TreeNode } from "../model/tree.ts";
import type { UpdateContext } from "../model/update-context.ts";
import { SERVER_WIDE, type ShardKey, shardKeyOf } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";
import { type PresentSeries, Projector } from "./projector.ts";
import { type Shape, serveFamilies } from "./shape.ts";

/**
 * The state of one server as series in tables. It observes the state and updates the series with each change. Another shape, or
 * other tables, need another projection of the same state. Call it inside a commit.
 */
export class ServerProjection implements StateObserver {
  readonly channels: ChannelProjection;
  readonly #about: AboutNodes;
  readonly #parents: Projector<NodeState, AboutNodes>;
  readonly #sensors: Projector<NodeState, AboutNodes>;
  readonly #records: { readonly [Kind in keyof ServerRecords]: Projector<ServerRecords[Kind], undefined> };

  /** `server`: value of the label. */
  constructor(server: string, shape: Shape, tables: Tables) {
    const { labels } = shape.mapper;
    this.#about = { countedKinds: shape.sections.get("sensor_status_summary") ?? new Set() };
    const nodes = {
      ...{ server, tables },
      shardKey: ({ node }: NodeState) => shardKeyOfNode(server, node),
      identity: NODE_FACTS.identity,
    };
    const ofParents = { ...PARENT_FAMILIES, ...NODE_FAMILIES };
    const ofSensors = {
      ...SENSOR_FAMILIES,
      ...(shape.sensorStatus === "all" ? { sensorStatus: ALL_STATUSES } : {}),
      ...NODE_FAMILIES,
    };
    this.#parents = new Projector({ ...nodes, families: serveFamilies(labels, ofParents, shape.options) });
    this.#sensors = new Projector({ ...nodes, families: serveFamilies(labels, ofSensors, shape.options) });
    this.channels = new ChannelProjection({
      ...{ server, shape, tables },
      shardKey: ({ sensor }) => shardKeyOfNode(server, sensor.node),
    });
    const ofServer = { server, tables, shardKey: () => SERVER_WIDE, identity: 0 };
    const { sensors, objects } = COUNT_FAMILIES;
    const ofOutages = { server, tables, identity: ANY_FACT };
    this.#records = {
      statusCount: new Projector({ ...ofServer, families: serveFamilies(labels, { sensors }) }),
      objectCount: new Projector({ ...ofServer, families: serveFamilies(labels, { objects }) }),
      version: new Projector({ ...ofServer, families: serveFamilies(labels, VERSION_FAMILIES) }),
      detail: new Projector({
        families: serveFamilies(labels, DETAIL_FAMILIES),
        server,
        tables,
        shardKey: ({ about }) => shardKeyOfDetail(server, about),
        // There are few details, and each report of one may change labels.
        identity: ANY_FACT,
      }),
      outage: new Projector({
        ...ofOutages,
        families: serveFamilies(labels, OUTAGE_FAMILIES),
        // The alert about a site must not depend on the place of its id in a limited page. It also needs metrics of the server.
        shardKey: ({ node }) => (node.kind === "device" ? shardKeyOfNode(server, node) : SERVER_WIDE),
      }),
      outageDevice: new Projector({
        ...ofOutages,
        families: serveFamilies(labels, OUTAGE_DEVICE_FAMILIES),
        shardKey: ({ node }) => shardKeyOfNode(server, node),
      }),
    };
  }

  /** For empty tables. */
  async projectAll(state: ServerState, { now: { monotonic: now }, slices }: UpdateContext): Promise<void> {
    for (const node of state.nodes()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      this.onNodeChange(node, ALL_NODE_FACTS & ~NODE_FACTS.measurement, now);
    }
    for (const { sensor, channels } of state.channels.all) {
      for (const channel of channels) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        this.onChannelChange(channel, ALL_CHANNEL_FACTS, now);
      }
      this.onNodeChange(sensor, NODE_FACTS.measurement, now);
    }
    for (const count of state.statusCounts) this.onRecord("statusCount", count, now);
    for (const count of state.objectCounts) this.onRecord("objectCount", count, now);
    if (state.version !== undefined) this.onRecord("version", state.version, now);
    for (const detail of state.details) this.onRecord("detail", detail, now);
    for (const outage of state.outages.all.values()) this.onRecord("outage", outage, now);
    for (const device of state.outages.devices) this.onRecord("outageDevice", device, now);
  }

  onNodeChange(node: NodeState, facts: number, now: number): void {
    this.#projectorOf(node).update(node, this.#about, facts, now);
  }

  onNodeRemoval(node: NodeState): void {
    this.#projectorOf(node).remove(node, this.#about);
  }

  onChannelChange(channel: Channel, facts: number, now: number): void {
    this.channels.update(channel, facts, now);
  }

  onChannelRemoval(channel: Channel): void {
    this.channels.remove(channel);
  }

  onRecord<Kind extends keyof ServerRecords>(kind: Kind, record: ServerRecords[Kind], now: number): void {
    this.#records[kind].update(record, undefined, ANY_FACT, now);
  }

  onRecordRemoval<Kind extends keyof ServerRecords>(kind: Kind, record: ServerRecords[Kind]): void {
    this.#records[kind].remove(record, undefined);
  }

  /** Series of the object with a value. `now`: monotonic ms. */
  *presentOfNode(node: NodeState, now: number): Iterable<PresentSeries> {
    yield* this.#projectorOf(node).present(node, this.#about, now);
  }

  /** @param detail Of the channel. */
  *presentOfChannel(channel: Channel, detail: Detail | undefined, now: number): Iterable<PresentSeries> {
    yield* this.channels.present(channel, now);
    if (detail !== undefined) yield* this.#records.detail.present(detail, undefined, now);
  }

  #projectorOf({ node }: NodeState): Projector<NodeState, AboutNodes> {
    return node.kind === "sensor" ? this.#sensors : this.#parents;
  }
}

function shardKeyOfDetail(server: string, about: DetailSubject): ShardKey {
  if (about.kind === "probeConnected") return shardKeyOfNode(server, about.node.node);
  return about.kind === "primaryChannel" ? shardKeyOfNode(server, about.channel.sensor.node) : SERVER_WIDE;
}

/** A device, its sensors and their channels share a key. Probes and groups have their own. */
function shardKeyOfNode(server: string, { id, deviceId }: Pick<TreeNode, "id" | "deviceId">): ShardKey {
  return shardKeyOf(server, deviceId === "" ? id : deviceId);
}

export interface ChannelProjectionOptions {
  /** Value of the label `server`. */
  readonly server: string;
  readonly shape: Pick<Shape, "mapper" | "channelInfo">;
  readonly tables: Tables;
  readonly shardKey: (channel: Channel) => ShardKey;
}

/** The series of one server's channels, and how rules serve each channel. */
export class ChannelProjection {
  readonly #server: string;
  readonly #shape: ChannelProjectionOptions["shape"];
  readonly #projector: Projector<Channel, ChannelServing>;
  /** By row. */
  readonly #servings: (ChannelServing | undefined)[] = [];
  readonly #outcomes = new Map<MappingOutcome, number>();

  constructor({ server, shape, tables, shardKey }: ChannelProjectionOptions) {
    this.#server = server;
    this.#shape = shape;
    const { channelInfo: _, ...withoutInfo } = CHANNEL_FAMILIES;
    const families = shape.channelInfo ? CHANNEL_FAMILIES : withoutInfo;
    const labelsOf = (_server: string, _channel: Channel, { mapped }: ChannelServing) => mapped?.labels ?? [];
    this.#projector = new Projector<Channel, ChannelServing>({
      families: [
        ...serveFamilies(shape.mapper.labels, families),
        { ...MAPPED_VALUE, labelsOf, family: ({ mapped }) => mapped?.family },
        { ...MAPPED_LIMIT, labelsOf, family: ({ mapped }) => mapped?.family.limits },
      ],
      ...{ server, tables, shardKey, identity: CHANNEL_FACTS.identity },
    });
  }

  update(channel: Channel, facts: number, now: number): void {
    const before = this.#servings[channel.row];
    if (before === undefined || (facts & CHANNEL_FACTS.identity) !== 0) {
      this.#serve(channel, before, facts, now);
    } else if (before.outcome !== "dropped") {
      this.#projector.update(channel, before, facts, now);
    }
  }

  remove(channel: Channel): void {
    const serving = this.#servings[channel.row];
    if (serving === undefined) return;
    this.#projector.remove(channel, serving);
    this.#servings[channel.row] = undefined;
    this.#count(serving, -1);
  }

  /** The receiver needs a staleness marker when the series of the channel end. */
  markMeasured(channel: Channel): void {
    const serving = this.#servings[channel.row];
    if (serving !== undefined && serving.outcome !== "dropped") this.#projector.markMeasured(channel, serving);
  }

  *present(channel: Channel, now: number): Iterable<PresentSeries> {
    const serving = this.#servings[channel.row];
    if (serving !== undefined) yield* this.#projector.present(channel, serving, now);
  }

  servingOf(channel: Channel): ChannelServing | undefined {
    return this.#servings[channel.row];
  }

  countOf(outcome: MappingOutcome): number {
    return this.#outcomes.get(outcome) ?? 0;
  }

  #serve(channel: Channel, before: ChannelServing | undefined, changed: number, now: number): void {
    const serving = this.#shape.mapper.serve(this.#server, channel);
    // Channels without a matching rule share one serving.
    if (serving === before) {
      this.#projector.update(channel, serving, changed, now);
      return;
    }
    // Rows that were released are taken again, so there are no holes.
    while (this.#servings.length <= channel.row) this.#servings.push(undefined);
    this.#servings[channel.row] = serving;
    this.#count(serving, 1);
    if (before !== undefined) {
      this.#count(before, -1);
      if (serving.outcome === "dropped") this.#projector.remove(channel, before);
      else this.#projector.removeMoved(channel, before, serving);
    }
    const facts = before === undefined ? factsOfNew(channel) : ALL_CHANNEL_FACTS;
    if (serving.outcome !== "dropped") this.#projector.update(channel, serving, facts, now);
  }

  #count({ outcome }: ChannelServing, change: 1 | -1): void {
    this.#outcomes.set(outcome, this.countOf(outcome) + change);
  }
}

/** Facts of a channel without series: there is nothing to relabel or to remove. */
function factsOfNew({ limits, lookup }: Channel): number {
  return (
    CHANNEL_FACTS.listed |
    CHANNEL_FACTS.measurement |
    (limits === undefined ? 0 : CHANNEL_FACTS.limits | CHANNEL_FACTS.comparison) |
    (lookup === undefined ? 0 : CHANNEL_FACTS.state)
  );
}
