/**
 * What rules cost at each poll after the first sight: the same list of channels, applied again and again with other
 * values, with 500 rules and with none. Rules are not asked again, so the difference is the mapped series.
 */
import { decodeChannel } from "../src/api/decode/channel.ts";
import { noProblems } from "../src/api/decode/problems.ts";
import type { ChannelRecord, NodeRecord } from "../src/api/records.ts";
import type { Clock } from "../src/clock.ts";
import { ServerPicture } from "../src/collectors/server-picture.ts";
import { formatLabels } from "../src/exposition/text.ts";
import { ChannelMapper } from "../src/mapping/channel-mapper.ts";
import type { RuleSet } from "../src/mapping/rules/rule-set.ts";
import { SeriesLabels } from "../src/mapping/series-labels.ts";
import type { SimNode, World } from "../src/simulator/world/model.ts";
import { Store } from "../src/store/store.ts";
import type { ServerMetrics } from "../src/telemetry/server-metrics.ts";
import { describeSpread, type Spread, TABLE_HEADER, timeInTurns } from "./statistics.ts";

export interface MappedPollsOptions {
  readonly world: World;
  readonly pages: readonly string[];
  /** When the channels on the pages were measured, milliseconds since the epoch. */
  readonly measuredAt: number;
  readonly rules: RuleSet;
  readonly rounds: number;
}

export async function benchMappedPolls({ world, pages, measuredAt, rules, rounds }: MappedPollsOptions): Promise<void> {
  const found = noProblems();
  const records = pages.flatMap((page) => JSON.parse(page).flatMap((raw: unknown) => decodeChannel(raw, found) ?? []));
  const labels = new SeriesLabels();
  const mappers = {
    "a poll without rules": new ChannelMapper({ labels }),
    "with 500 rules, keep_original: false": new ChannelMapper({ labels, rules, keepOriginal: false }),
    "with 500 rules, mapped series beside": new ChannelMapper({ labels, rules }),
  };
  const polls: Record<string, () => Promise<void>> = {};
  for (const [name, mapper] of Object.entries(mappers))
    polls[name] = await startPolls(mapper, world, records, measuredAt);
  const times: Record<string, Spread> = await timeInTurns(polls, rounds);
  const reference = times["a poll without rules"];
  if (reference === undefined) return;
  console.log(`\na repeated poll of ${records.length} channels, milliseconds\n${TABLE_HEADER}`);
  for (const [name, spread] of Object.entries(times)) console.log(describeSpread(name, spread, reference));
}

/** A picture that has seen everything once, and the way to show it all again with other values. */
async function startPolls(
  mapper: ChannelMapper,
  world: World,
  records: readonly ChannelRecord[],
  measuredAt: number,
): Promise<() => Promise<void>> {
  const clock: Clock = {
    now: () => measuredAt,
    monotonic: () => performance.now(),
    sleep: () => Promise.reject(new Error("nothing sleeps here")),
  };
  const never = () => Number.POSITIVE_INFINITY;
  const picture = new ServerPicture({
    server: "bench",
    store: new Store(mapper.storeFamilies(), (family, values) => formatLabels(family.labels, values)),
    mapper,
    channelInfo: false,
    metrics: SILENT,
    clock,
    clockOffset: () => 0,
    deadlines: { state: never, property: never, channel: never, limit: never, version: never },
    sensorStatus: "current",
    nodeSensors: [],
    staleAfterMs: 3_600_000,
  });
  const list = (nodes: readonly SimNode[]) => ({ items: nodes.map(nodeRecord), complete: true, skipped: 0 });
  await picture.applyTree({
    nodes: {
      probe: list(world.list("probe")),
      group: list(world.list("group")),
      device: list(world.list("device")),
      sensor: list(world.list("sensor")),
    },
  });
  const versions = [0, 1].map((more) => records.map((record) => ({ ...record, value: (record.value ?? 0) + more })));
  let poll = 0;
  const next = async () => {
    await picture.applyChannels({ items: versions[poll++ % 2] ?? [], complete: true, skipped: 0 });
  };
  await next();
  return next;
}

const SILENT: ServerMetrics = {
  up: () => undefined,
  collector: () => ({ enabled: () => undefined, finished: () => undefined, skipped: () => undefined }),
  decodeProblem: () => undefined,
  waitingChannels: () => undefined,
  unmappedChannels: () => undefined,
  orphans: () => undefined,
  clockOffset: () => undefined,
};

function nodeRecord(node: SimNode): NodeRecord {
  const { id, name, type, typeName, tags, parent } = node;
  if (node.kind === "root") throw new Error("the root is in no list");
  return {
    id,
    kind: node.kind,
    name,
    parent: parent && { id: parent.id, name: parent.name, kind: parent.kind },
    ancestors: undefined,
    status: "up",
    statusSince: undefined,
    type: type.replace(/\.\d+$/, ""),
    typeName,
    priority: 3,
    tags,
    favorite: false,
    host: undefined,
    intervalSeconds: 60,
    summary: undefined,
  };
}
