import type { ChannelServing, MappingOutcome } from "../mapping/channel-mapper.ts";
import { channelIdLabels, deviceInfoLabels, nodeLabels } from "../mapping/series-labels.ts";
import { ALL_CHANNEL_FACTS, type Channel } from "../model/channel.ts";
import type { Count } from "../model/counts.ts";
import type { Detail, DetailSubject } from "../model/detail.ts";
import { ALL_NODE_FACTS, NODE_FACTS, type NodeState } from "../model/node-state.ts";
import type { ServerState } from "../model/server-state.ts";
import type { KnownVersion, StateObserver } from "../model/state-observer.ts";
import type { TreeNode } from "../model/tree.ts";
import type { UpdateContext } from "../model/update-context.ts";
import { SERVER_WIDE, type ShardKey, shardKeyOf } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";
import { ChannelProjection } from "./channel-projection.ts";
import type { Subject } from "./family.ts";
import { type AboutNodes, ALL_STATUSES, type NodeFamily, PARENT_FAMILIES, SENSOR_FAMILIES } from "./node-families.ts";
import { Projector } from "./projector.ts";
import { ANY_FACT, COUNT_FAMILIES, DETAIL_FAMILIES, type DetailFamily, VERSION_FAMILIES } from "./server-families.ts";
import type { Shape } from "./shape.ts";

type NodeProjector = Projector<NodeState, AboutNodes, NodeFamily["labels"]>;
type ServerProjector<Item extends Subject> = Projector<Item, undefined, "server">;

/**
 * The state of one server as series in tables. It follows the state, whose observer it is; each change shows at once what
 * depends on it. Another shape, or other tables, take another projection of the same state. Call inside a commit.
 */
export class ServerProjection implements StateObserver {
  readonly #about: AboutNodes;
  readonly #parents: NodeProjector;
  readonly #sensors: NodeProjector;
  readonly #channels: ChannelProjection;
  readonly #statusCounts: ServerProjector<Count>;
  readonly #objectCounts: ServerProjector<Count>;
  readonly #version: ServerProjector<KnownVersion>;
  readonly #details: Projector<Detail, undefined, DetailFamily["labels"]>;

  /** `server`: value of the label. */
  constructor(server: string, shape: Shape, tables: Tables) {
    const { mapper, sensorStatus } = shape;
    this.#about = { countedKinds: new Set(shape.nodeSensors) };
    const nodes = (families: readonly NodeFamily[]): NodeProjector =>
      new Projector({
        families,
        labels: {
          node: ({ node }) => nodeLabels(server, node),
          device: ({ node }) => deviceInfoLabels(server, node),
          sensor: ({ node }) => mapper.labels.sensor(server, node),
          sensorInfo: ({ node }) => mapper.labels.sensorInfo(server, node),
        },
        tables,
        shardKey: ({ node }) => shardKeyOfNode(server, node),
        identity: NODE_FACTS.identity,
      });
    const { sensorStatus: currentStatus, ...gauges } = SENSOR_FAMILIES;
    this.#parents = nodes(Object.values(PARENT_FAMILIES));
    this.#sensors = nodes([...Object.values(gauges), sensorStatus === "all" ? ALL_STATUSES : currentStatus]);
    this.#channels = new ChannelProjection({
      ...{ server, shape, tables },
      shardKey: ({ sensor }) => shardKeyOfNode(server, sensor.node),
    });
    const ofServer = { labels: { server: () => [server] }, tables, shardKey: () => SERVER_WIDE, identity: 0 };
    this.#statusCounts = new Projector({ ...ofServer, families: [COUNT_FAMILIES.sensors] });
    this.#objectCounts = new Projector({ ...ofServer, families: [COUNT_FAMILIES.objects] });
    this.#details = new Projector({
      families: Object.values(DETAIL_FAMILIES),
      labels: {
        server: () => [server],
        node: ({ about }) => (about.kind === "probeConnected" ? nodeLabels(server, about.node.node) : []),
        channel: ({ about }) =>
          about.kind === "primaryChannel"
            ? channelIdLabels(server, about.channel.sensor.id, about.channel.channelId)
            : [],
      },
      tables,
      shardKey: ({ about }) => shardKeyOfDetail(server, about),
      // There are few: where labels changed they are told again.
      identity: ANY_FACT,
    });
    this.#version = new Projector({ ...ofServer, families: [VERSION_FAMILIES.serverInfo] });
  }

  /** Shows all that is known. For tables that have nothing of the server yet. */
  async showAll(state: ServerState, { now: { monotonic: now }, slices }: UpdateContext): Promise<void> {
    for (const node of state.nodes()) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      this.nodeChanged(node, ALL_NODE_FACTS & ~NODE_FACTS.measurement, now);
    }
    for (const { sensor, channels } of state.channelsBySensor) {
      for (const channel of channels) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        this.channelChanged(channel, ALL_CHANNEL_FACTS, now);
      }
      this.nodeChanged(sensor, NODE_FACTS.measurement, now);
    }
    for (const count of state.statusCounts) this.statusCounted(count, now);
    for (const count of state.objectCounts) this.objectsCounted(count, now);
    if (state.version !== undefined) this.versionTold(state.version, now);
    for (const detail of state.details) this.detailTold(detail, now);
  }

  nodeChanged(node: NodeState, facts: number, now: number): void {
    this.#projectorOf(node).show(node, this.#about, facts, now);
  }

  nodeRemoved(node: NodeState): void {
    this.#projectorOf(node).remove(node, this.#about);
  }

  channelChanged(channel: Channel, facts: number, now: number): void {
    this.#channels.show(channel, facts, now);
  }

  channelRemoved(channel: Channel): void {
    this.#channels.remove(channel);
  }

  statusCounted(count: Count, now: number): void {
    this.#statusCounts.show(count, undefined, ANY_FACT, now);
  }

  objectsCounted(count: Count, now: number): void {
    this.#objectCounts.show(count, undefined, ANY_FACT, now);
  }

  objectCountRemoved(count: Count): void {
    this.#objectCounts.remove(count, undefined);
  }

  versionTold(version: KnownVersion, now: number): void {
    this.#version.show(version, undefined, ANY_FACT, now);
  }

  detailTold(detail: Detail, now: number): void {
    this.#details.show(detail, undefined, ANY_FACT, now);
  }

  detailRemoved(detail: Detail): void {
    this.#details.remove(detail, undefined);
  }

  /** Measurements of the channel go to a receiver, which is to be told when its series end. */
  markMeasured(channel: Channel): void {
    this.#channels.markMeasured(channel);
  }

  /** What rules made of the channel; undefined while it is not shown. */
  servingOf(channel: Channel): ChannelServing | undefined {
    return this.#channels.servingOf(channel);
  }

  /** Channels of which rules made this. */
  countOf(outcome: MappingOutcome): number {
    return this.#channels.countOf(outcome);
  }

  #projectorOf({ node }: NodeState): NodeProjector {
    return node.kind === "sensor" ? this.#sensors : this.#parents;
  }
}

/** With the object that it is about. */
function shardKeyOfDetail(server: string, about: DetailSubject): ShardKey {
  if (about.kind === "probeConnected") return shardKeyOfNode(server, about.node.node);
  return about.kind === "primaryChannel" ? shardKeyOfNode(server, about.channel.sensor.node) : SERVER_WIDE;
}

/** Series of a device, its sensors and their channels stay together; probes and groups are each by themselves. */
function shardKeyOfNode(server: string, { id, deviceId }: Pick<TreeNode, "id" | "deviceId">): ShardKey {
  return shardKeyOf(server, deviceId === "" ? id : deviceId);
}
