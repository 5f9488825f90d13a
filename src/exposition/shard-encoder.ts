import { type SharedLane, yieldToEventLoop } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/metric-table.ts";
import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { PageCut } from "./page-limit.ts";
import { type Lines, type RenderedBlock, selectLines } from "./rendered-block.ts";
import { isInShard, isWhole, type Shard, shardName } from "./shard.ts";
import type { RenderedStore } from "./store-renderer.ts";
import { type ExpositionFormat, formatHeader } from "./text-format.ts";

/** Which places of a block are in a shard; undefined where none can be. */
export type Selection = (block: RenderedBlock) => ((at: number) => boolean) | undefined;

/**
 * Encodes a shard of the page, or the whole page. The encoding of a block is cached as long as the block is on the page,
 * so a page after a change costs as much as what changed.
 */
export class ShardEncoder<Encoded> {
  readonly #selection: Selection | undefined;
  readonly #encode: (bytes: Buffer) => Promise<Encoded>;
  readonly #lines = new LineBuffer();
  readonly #onCopy: (lines: Buffer) => void;
  readonly #lane: SharedLane | undefined;
  /** Undefined: nothing of the block is in the shard. */
  #blocks = new Map<RenderedBlock, Promise<Encoded | undefined>>();
  readonly #headers = new WeakMap<MetricFamily, Map<ExpositionFormat, Promise<Encoded>>>();

  /**
   * `selection`: undefined where all series are in the shard. `onCopy` is told of lines that were copied for the shard.
   * `lane`: undefined where no reader waits for it.
   */
  constructor(
    selection: Selection | undefined,
    encode: (bytes: Buffer) => Promise<Encoded>,
    onCopy: (lines: Buffer) => void,
    lane?: SharedLane,
  ) {
    this.#selection = selection;
    this.#encode = encode;
    this.#onCopy = onCopy;
    this.#lane = lane;
  }

  /** Of the blocks of the page that was encoded last. */
  get cached(): Iterable<Promise<Encoded | undefined>> {
    return this.#blocks.values();
  }

  /**
   * Headers and lines in the order of the page. One page at a time.
   * @throws the reason of the signal, between two blocks
   */
  async encode(page: RenderedStore, format: ExpositionFormat, signal?: AbortSignal): Promise<Encoded[]> {
    const selection = this.#selection;
    const isConcerned = (block: RenderedBlock) => selection === undefined || selection(block) !== undefined;
    const families = page.families.flatMap(({ family, size, blocks }) =>
      size === 0 ? [] : [{ family, blocks: blocks.filter(isConcerned) }],
    );
    const before = this.#blocks;
    this.#blocks = new Map();
    for (const block of families.flatMap(({ blocks }) => blocks)) {
      const known = before.get(block);
      if (known !== undefined) this.#blocks.set(block, known);
    }
    await this.#encodeMissing(
      families.flatMap(({ blocks }) => blocks),
      signal,
    );
    const all: Encoded[] = [];
    for (const { family, blocks } of families) {
      const encoded = await Promise.all(blocks.map((block) => this.#blocks.get(block)));
      const present = encoded.filter((one) => one !== undefined);
      if (present.length > 0) all.push(await this.#header(family, format), ...present);
    }
    return all;
  }

  async #encodeMissing(blocks: readonly RenderedBlock[], signal: AbortSignal | undefined): Promise<void> {
    for (const block of blocks) {
      if (this.#blocks.has(block)) continue;
      signal?.throwIfAborted();
      await this.#encodeBlock(block);
      await yieldToEventLoop(this.#lane);
    }
  }

  #encodeBlock(block: RenderedBlock): Promise<Encoded | undefined> {
    const lines = this.#linesOf(block);
    const encoded = lines.series === 0 ? Promise.resolve(undefined) : this.#encode(lines.bytes);
    this.#blocks.set(block, encoded);
    return encoded;
  }

  #linesOf(block: RenderedBlock): Lines {
    if (this.#selection === undefined) return block;
    const lines = selectLines(block, this.#selection(block) ?? NOTHING, this.#lines);
    if (lines !== block) this.#onCopy(lines.bytes);
    return lines;
  }

  #header(family: MetricFamily, format: ExpositionFormat): Promise<Encoded> {
    const known = this.#headers.get(family) ?? new Map<ExpositionFormat, Promise<Encoded>>();
    this.#headers.set(family, known);
    const header = known.get(format) ?? this.#encode(Buffer.from(formatHeader(format, family)));
    known.set(format, header);
    return header;
  }
}

const NOTHING = () => false;

/** The series of a shard whose shard keys are not above `highest`. */
function selectionOf(shard: Shard, highest: ShardKey): Selection {
  const wanted = shard.servers && new Set(shard.servers);
  return ({ shardKeys, servers, serverOf }) => {
    const isInPart = (at: number) => {
      const shardKey = shardKeys[at] ?? SERVER_WIDE;
      return shardKey <= highest && isInShard(shard, shardKey);
    };
    if (wanted === undefined) return isInPart;
    const isWanted = servers.map((server) => wanted.has(server));
    if (!isWanted.includes(true)) return undefined;
    return serverOf === undefined ? isInPart : (at) => isWanted[serverOf[at] ?? 0] === true && isInPart(at);
  };
}

/** The encoders of the page and its shards in one encoding, as long as these are requested. */
export class ShardEncoders<Encoded> {
  readonly #encode: (bytes: Buffer) => Promise<Encoded>;
  readonly #onCopy: (lines: Buffer) => void;
  readonly #lane: SharedLane | undefined;
  readonly #encoders = new Map<string, { readonly shard: string; readonly encoder: ShardEncoder<Encoded> }>();

  /** `onCopy` is told of lines that were copied for a shard. `lane`: undefined where no reader waits for them. */
  constructor(
    encode: (bytes: Buffer) => Promise<Encoded>,
    onCopy: (lines: Buffer) => void = () => undefined,
    lane?: SharedLane,
  ) {
    this.#encode = encode;
    this.#onCopy = onCopy;
    this.#lane = lane;
  }

  /** Of all of them. */
  *cached(): Iterable<Promise<Encoded | undefined>> {
    for (const { encoder } of this.#encoders.values()) yield* encoder.cached;
  }

  /** `cut`: undefined where the page keeps within its limits. */
  of(shard: Shard, cut: PageCut | undefined): ShardEncoder<Encoded> {
    const highest = cut?.highest ?? Number.POSITIVE_INFINITY;
    const ofShard = shardName(shard);
    const name = `${ofShard} up to ${highest}`;
    const known = this.#encoders.get(name);
    if (known !== undefined) return known.encoder;
    const selection = isWhole(shard) && cut === undefined ? undefined : selectionOf(shard, highest);
    const encoder = new ShardEncoder(selection, this.#encode, this.#onCopy, this.#lane);
    // A shard is cut at one place at a time.
    this.retain((other) => other !== ofShard);
    this.#encoders.set(name, { shard: ofShard, encoder });
    return encoder;
  }

  /** Forgets the shards whose names `keep` refuses. */
  retain(keep: (shard: string) => boolean): void {
    for (const [name, { shard }] of this.#encoders) {
      if (!keep(shard)) this.#encoders.delete(name);
    }
  }
}
