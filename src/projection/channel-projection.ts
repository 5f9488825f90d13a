import { CHANNEL_FAMILIES, MAPPED_LIMIT, MAPPED_VALUE } from "../mapping/families/channel-families.ts";
import type { ChannelServing, MappingOutcome } from "../mapping/rules/rule.ts";
import { ALL_CHANNEL_FACTS, CHANNEL_FACTS, type Channel } from "../model/channel.ts";
import type { ShardKey } from "../store/shard-key.ts";
import type { Tables } from "../store/store.ts";
import { type PresentSeries, Projector } from "./projector.ts";
import { type Shape, serveFamilies } from "./shape.ts";

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
