import type { ChannelServing, MappingOutcome } from "../mapping/channel-serving.ts";
import {
  type AboutNodes,
  ALL_STATUSES,
  NODE_FAMILIES,
  PARENT_FAMILIES,
  SENSOR_FAMILIES,
} from "../mapping/families/node-families.ts";
import { ANY_FACT, COUNT_FAMILIES, DETAIL_FAMILIES, VERSION_FAMILIES } from "../mapping/families/server-families.ts";
import { ALL_CHANNEL_FACTS, type Channel } from "../model/channel.ts";
import type { Count } from "../model/counts.ts";
import { ALL_NODE_FACTS, NODE_FACTS, type NodeState } from "../model/node-state.ts";
import type { ServerState } from "../model/server-state.ts";
import type { Detail, DetailSubject, KnownVersion, StateObserver } from "../model/state-observer.ts";
import type { TreeNode } from "../model/tree.ts";
import type { UpdateContext } from "../model/update-context.ts";
import { SERVER_WIDE, type ShardKey, shardKeyOf } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";
import { ChannelProjection } from "./channel-projection.ts";
import { type PresentSeries, Projector } from "./projector.ts";
import { serveFamilies } from "./served-families.ts";
import type { Shape } from "./shape.ts";

/**
 * The state of one server as series in tables. It observes the state and updates the series with each change. Another shape, or
 * other tables, need another projection of the same state. Call it inside a commit.
 */
export class ServerProjection implements StateObserver {
  readonly #about: AboutNodes;
  readonly #parents: Projector<NodeState, AboutNodes>;
  readonly #sensors: Projector<NodeState, AboutNodes>;
  readonly #channels: ChannelProjection;
  readonly #statusCounts: Projector<Count, undefined>;
  readonly #objectCounts: Projector<Count, undefined>;
  readonly #version: Projector<KnownVersion, undefined>;
  readonly #details: Projector<Detail, undefined>;

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
    this.#channels = new ChannelProjection({
      ...{ server, shape, tables },
      shardKey: ({ sensor }) => shardKeyOfNode(server, sensor.node),
    });
    const ofServer = { server, tables, shardKey: () => SERVER_WIDE, identity: 0 };
    const { sensors, objects } = COUNT_FAMILIES;
    this.#statusCounts = new Projector({ ...ofServer, families: serveFamilies(labels, { sensors }) });
    this.#objectCounts = new Projector({ ...ofServer, families: serveFamilies(labels, { objects }) });
    this.#version = new Projector({ ...ofServer, families: serveFamilies(labels, VERSION_FAMILIES) });
    this.#details = new Projector({
      families: serveFamilies(labels, DETAIL_FAMILIES),
      ...{ server, tables },
      shardKey: ({ about }) => shardKeyOfDetail(server, about),
      // There are few details, and each report of one may change labels.
      identity: ANY_FACT,
    });
  }

  /** For empty tables. */
  async projectAll(state: ServerState, { now: { monotonic: now }, slices }: UpdateContext): Promise<void> {
    for (const node of state.nodes()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      this.onNodeChange(node, ALL_NODE_FACTS & ~NODE_FACTS.measurement, now);
    }
    for (const { sensor, channels } of state.channelsBySensor) {
      for (const channel of channels) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        this.onChannelChange(channel, ALL_CHANNEL_FACTS, now);
      }
      this.onNodeChange(sensor, NODE_FACTS.measurement, now);
    }
    for (const count of state.statusCounts) this.onStatusCount(count, now);
    for (const count of state.objectCounts) this.onObjectCount(count, now);
    if (state.version !== undefined) this.onVersion(state.version, now);
    for (const detail of state.details) this.onDetail(detail, now);
  }

  onNodeChange(node: NodeState, facts: number, now: number): void {
    this.#projectorOf(node).update(node, this.#about, facts, now);
  }

  onNodeRemoval(node: NodeState): void {
    this.#projectorOf(node).remove(node, this.#about);
  }

  onChannelChange(channel: Channel, facts: number, now: number): void {
    this.#channels.update(channel, facts, now);
  }

  onChannelRemoval(channel: Channel): void {
    this.#channels.remove(channel);
  }

  onStatusCount(count: Count, now: number): void {
    this.#statusCounts.update(count, undefined, ANY_FACT, now);
  }

  onObjectCount(count: Count, now: number): void {
    this.#objectCounts.update(count, undefined, ANY_FACT, now);
  }

  onObjectCountRemoval(count: Count): void {
    this.#objectCounts.remove(count, undefined);
  }

  onVersion(version: KnownVersion, now: number): void {
    this.#version.update(version, undefined, ANY_FACT, now);
  }

  onDetail(detail: Detail, now: number): void {
    this.#details.update(detail, undefined, ANY_FACT, now);
  }

  onDetailRemoval(detail: Detail): void {
    this.#details.remove(detail, undefined);
  }

  /** The receiver needs a staleness marker when the series of the channel end. */
  markMeasured(channel: Channel): void {
    this.#channels.markMeasured(channel);
  }

  /** Series of the object with a value. `now`: monotonic ms. */
  *presentOfNode(node: NodeState, now: number): Iterable<PresentSeries> {
    yield* this.#projectorOf(node).present(node, this.#about, now);
  }

  /** @param detail Of the channel. */
  *presentOfChannel(channel: Channel, detail: Detail | undefined, now: number): Iterable<PresentSeries> {
    yield* this.#channels.present(channel, now);
    if (detail !== undefined) yield* this.#details.present(detail, undefined, now);
  }

  servingOf(channel: Channel): ChannelServing | undefined {
    return this.#channels.servingOf(channel);
  }

  countOf(outcome: MappingOutcome): number {
    return this.#channels.countOf(outcome);
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
