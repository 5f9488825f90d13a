import type { TimeSlices } from "../lib/yielding.ts";
import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";
import type { RenderedFamily, RenderedStore } from "./rendered-block.ts";
import { formatHeader } from "./text-format.ts";

/** Limits of all shards together, without the exporter's own metrics. */
export interface PageLimits {
  readonly maxSeries: number | undefined;
  /** Uncompressed. */
  readonly maxBytes: number | undefined;
}

export const UNLIMITED: PageLimits = { maxSeries: undefined, maxBytes: undefined };

export interface PageCut {
  /** The last shard key on the page. */
  readonly highest: ShardKey;
  /** Series by family. */
  readonly dropped: ReadonlyMap<string, number>;
}

interface Extent {
  series: number;
  bytes: number;
}

/**
 * Where to cut the page. Shard keys stay in ascending order while they fit, so the same devices stay, each with all
 * its series.
 */
export async function cutToLimits(
  page: RenderedStore,
  limits: PageLimits,
  slices: TimeSlices,
): Promise<PageCut | undefined> {
  const { maxSeries = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = limits;
  const fits = ({ series, bytes }: Extent) => series <= maxSeries && bytes <= maxBytes;
  const headers = headerBytes(page);
  if (fits(extentOf(page, headers))) return undefined;
  const extents = await extentsByShardKey(page, slices);
  const sum: Extent = { series: 0, bytes: headers };
  let highest = SERVER_WIDE;
  for (const shardKey of [...extents.keys()].sort((a, b) => a - b)) {
    const { series, bytes } = extents.get(shardKey) ?? sum;
    sum.series += series;
    sum.bytes += bytes;
    // Series about a whole server always stay.
    if (shardKey !== SERVER_WIDE && !fits(sum)) break;
    highest = shardKey;
  }
  return { highest, dropped: await countAbove(highest, page, slices) };
}

function headerBytes({ families }: RenderedStore): number {
  const headers = families.map(({ family, size }) => (size === 0 ? "" : formatHeader("openmetrics", family)));
  return Buffer.byteLength(headers.join(""));
}

function extentOf(page: RenderedStore, headers: number): Extent {
  const extent: Extent = { series: 0, bytes: headers };
  for (const { blocks } of page.families) {
    for (const { series, bytes } of blocks) {
      extent.series += series;
      extent.bytes += bytes.length;
    }
  }
  return extent;
}

async function extentsByShardKey(page: RenderedStore, slices: TimeSlices): Promise<ReadonlyMap<ShardKey, Extent>> {
  const extents = new Map<ShardKey, Extent>();
  for (const family of page.families) {
    await forEachSample(family, slices, (shardKey, bytes) => {
      const extent = extents.get(shardKey) ?? { series: 0, bytes: 0 };
      extent.series++;
      extent.bytes += bytes;
      extents.set(shardKey, extent);
    });
  }
  return extents;
}

async function countAbove(
  highest: ShardKey,
  page: RenderedStore,
  slices: TimeSlices,
): Promise<ReadonlyMap<string, number>> {
  const dropped = new Map<string, number>();
  for (const lines of page.families) {
    let count = 0;
    await forEachSample(lines, slices, (shardKey) => {
      if (shardKey > highest) count++;
    });
    if (count > 0) dropped.set(lines.family.name, count);
  }
  return dropped;
}

async function forEachSample(
  { blocks }: RenderedFamily,
  slices: TimeSlices,
  visit: (shardKey: ShardKey, bytes: number) => void,
): Promise<void> {
  for (const { starts, shardKeys } of blocks) {
    for (const [at, shardKey] of shardKeys.entries()) {
      const bytes = (starts[at + 1] ?? 0) - (starts[at] ?? 0);
      if (bytes > 0) visit(shardKey, bytes);
    }
    const turn = slices.longStep();
    if (turn !== undefined) await turn;
  }
}
