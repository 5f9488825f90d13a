import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";

/** The `index`-th, from 0, of `count` parts of a page, or of what it says of some servers. */
export interface Shard {
  readonly index: number;
  readonly count: number;
  /** In alphabetical order, each once; undefined: all servers. */
  readonly servers?: readonly string[] | undefined;
}

export const WHOLE_PAGE: Shard = { index: 0, count: 1 };

/** More than scrapers with a cap need: shards of 1 MB of the largest page. */
export const MAX_SHARDS = 100;

/** Reads `2/5`, which `02/05` is too: undefined where it is no shard of a page. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,3})\/(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return count <= MAX_SHARDS && index < count ? { index, count } : undefined;
}

/** Each series is in just one of the shards; what is about a whole server is in the first. Says nothing of servers. */
export function isInShard({ index, count }: Shard, shardKey: ShardKey): boolean {
  return shardKey === SERVER_WIDE ? index === 0 : shardKey % count === index;
}

/** Everything there is. */
export function isWhole({ count, servers }: Shard): boolean {
  return count === 1 && servers === undefined;
}

/** The same for the same shard, and for no other. */
export function shardName({ index, count, servers }: Shard): string {
  return `${index}/${count}${servers === undefined ? "" : ` of ${JSON.stringify(servers)}`}`;
}

export function isSameShard(a: Shard, b: Shard): boolean {
  return shardName(a) === shardName(b);
}

/** The exporter's own metrics are in the first shard, too: of some servers, those about these. */
export function hasOwnMetrics({ index }: Shard): boolean {
  return index === 0;
}
