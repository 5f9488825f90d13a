/**
 * What rules cost at each poll after the first sight: the same list of channels, applied again and again with other
 * values, with 500 rules and with none. Rules are not asked again, so the difference is the mapped series.
 */

import { StateWriter } from "../../src/collectors/state-writer.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { ChannelMapper } from "../../src/mapping/channel-mapper.ts";
import type { RuleSet } from "../../src/mapping/rules/rule-set.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import { ServerView } from "../../src/projection/server-view.ts";
import { decodeChannel } from "../../src/prtg/decode/channel.ts";
import { noProblems } from "../../src/prtg/decode/problems.ts";
import type { ChannelRecord, NodeRecord } from "../../src/prtg/records.ts";
import type { SimNode, World } from "../../src/simulator/world/model.ts";
import { Store } from "../../src/store/store.ts";
import { UNSHOWN_RECORDER } from "../peers/silent-metrics.ts";
import type { Row } from "../results/result.ts";
import { elapsed, measureInTurns } from "../statistics.ts";
import { rowsOf } from "./rows.ts";

const WITHOUT_RULES = "a repeated poll without rules";

export interface MappedPollsOptions {
  readonly world: World;
  readonly pages: readonly string[];
  /** When the channels on the pages were measured, milliseconds since the epoch. */
  readonly measuredAt: number;
  readonly rules: RuleSet;
  readonly rounds: number;
}

export async function benchMappedPolls({
  world,
  pages,
  measuredAt,
  rules,
  rounds,
}: MappedPollsOptions): Promise<Row[]> {
  const found = noProblems();
  const records = pages.flatMap((page) => JSON.parse(page).flatMap((raw: unknown) => decodeChannel(raw, found) ?? []));
  const labels = new SeriesLabels();
  const mappers = {
    [WITHOUT_RULES]: new ChannelMapper({ labels }),
    "the same with 500 rules, keep_original: false": new ChannelMapper({ labels, rules, keepOriginal: false }),
    "the same with 500 rules, mapped series beside": new ChannelMapper({ labels, rules }),
  };
  const polls: Record<string, () => Promise<number>> = {};
  for (const [name, mapper] of Object.entries(mappers)) {
    const poll = await startPolls(mapper, world, records, measuredAt);
    polls[name] = () => elapsed(poll);
  }
  return rowsOf(await measureInTurns(polls, rounds), "ms", () => WITHOUT_RULES);
}

/** A state that has seen everything once, and the way to show it all again with other values. */
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
  const view = new ServerView({
    server: "bench",
    store: new Store(mapper.storeFamilies()),
    shape: { mapper, channelInfo: false, sensorStatus: "current", nodeSensors: [] },
    staleAfterMs: 3_600_000,
  });
  const writer = new StateWriter({
    view,
    metrics: UNSHOWN_RECORDER,
    clock,
    clockOffset: () => 0,
    isClockInDoubt: () => false,
    expiry: { state: never, property: never, channel: never, limit: never, version: never, detail: never },
  });
  const list = (nodes: readonly SimNode[]) => ({ items: nodes.map(nodeRecord), complete: true, skipped: 0 });
  await writer.applyTree({
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
    await writer.applyChannels({ items: versions[poll++ % 2] ?? [], complete: true, skipped: 0 });
  };
  await next();
  return next;
}

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
    message: undefined,
    lastUp: undefined,
    lastDown: undefined,
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
