import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";

/** Part `index` (from 0) of `count`, or the series of some servers. */
export interface Shard {
  readonly index: number;
  readonly count: number;
  /** Sorted and unique. `undefined`: all servers. */
  readonly servers?: readonly string[] | undefined;
}

export const WHOLE_PAGE: Shard = { index: 0, count: 1 };

/** Shards of 1 MB of the largest page. */
export const MAX_SHARDS = 100;

/** Reads `2/5` or `02/05`. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,3})\/(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return count <= MAX_SHARDS && index < count ? { index, count } : undefined;
}

/** The first shard has the series about a whole server. */
export function isInShard({ index, count }: Shard, shardKey: ShardKey): boolean {
  return shardKey === SERVER_WIDE ? index === 0 : shardKey % count === index;
}

export function isWhole({ count, servers }: Shard): boolean {
  return count === 1 && servers === undefined;
}

export function shardName({ index, count, servers }: Shard): string {
  return `${index}/${count}${servers === undefined ? "" : ` of ${JSON.stringify(servers)}`}`;
}

export function isSameShard(a: Shard, b: Shard): boolean {
  return shardName(a) === shardName(b);
}

/** The first shard has the exporter's own metrics. */
export function includesExporterMetrics({ index }: Shard): boolean {
  return index === 0;
}
