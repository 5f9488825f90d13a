import { createHash } from "node:crypto";
import { ExporterError } from "../errors/exporter-error.ts";

/** Replica `index` (from 0) of `count` that share one configuration. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** More than any installation has servers. */
const MAX_SHARDS = 1_000;

/** `2/5`. @throws ExporterError SHARD_INVALID */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,4})\/(\d{1,4})$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || count < 1 || count > MAX_SHARDS) {
    throw new ExporterError("SHARD_INVALID", `"${text}" is not a shard such as 0/3.`);
  }
  if (index >= count) {
    const last = count === 1 ? "the only shard is 0/1" : `shards go from 0/${count} to ${count - 1}/${count}`;
    throw new ExporterError("SHARD_INVALID", `There is no shard ${text}: ${last}.`);
  }
  return { index, count };
}

/** Rendezvous hashing: the shard with the highest hash gets the server. Adding or removing a shard moves only its own servers. */
export function shardOf(server: string, count: number): number {
  let winner = 0;
  let highest = -1;
  for (let shard = 0; shard < count; shard++) {
    const drawn = createHash("sha256").update(`${shard} ${server}`).digest().readUIntBE(0, 6);
    if (drawn > highest) {
      highest = drawn;
      winner = shard;
    }
  }
  return winner;
}

/** Keeps the order. */
export function serversOnShard<Server extends { readonly name: string }>(
  servers: readonly Server[],
  { index, count }: Shard,
): readonly Server[] {
  return servers.filter(({ name }) => shardOf(name, count) === index);
}
