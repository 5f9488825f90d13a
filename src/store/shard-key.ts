import { FNV_BASIS, fnv1a } from "../lib/text-units.ts";

/**
 * Series with the same key stay together when a page is sharded or truncated. It depends only on names and ids, so
 * every process computes the same key.
 */
export type ShardKey = number;

/** For series about a whole server. */
export const SERVER_WIDE: ShardKey = 0;

/** From 1 to 2^32 - 1, evenly distributed. `id`: of the device, or of an object without one. */
export function shardKeyOf(server: string, id: string): ShardKey {
  return mix(fnv1a(id, fnv1a("\0", fnv1a(server, FNV_BASIS)))) || 1;
}

/** The last step of MurmurHash3: FNV alone distributes similar ids badly. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
