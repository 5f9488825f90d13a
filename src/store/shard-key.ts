import { FNV_BASIS, fnv1a } from "../lib/text-units.ts";

/**
 * With which other series a series stays together when a page is cut into parts or cut short: a number from the device
 * below which its object hangs. It depends on nothing but names and ids, so every process gives the same one.
 */
export type ShardKey = number;

/** Of series about a whole server. */
export const SERVER_WIDE: ShardKey = 0;

/** 1 to 2^32 - 1, evenly spread. `id`: of the device, or of the object itself where it hangs below none. */
export function shardKeyOf(server: string, id: string): ShardKey {
  return mix(fnv1a(id, fnv1a("\0", fnv1a(server, FNV_BASIS)))) || 1;
}

/** The last step of MurmurHash3: FNV alone hardly spreads ids that differ in their last digit. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
