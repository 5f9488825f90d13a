import { detach, totalLength } from "../lib/buffers.ts";
import type { Content } from "./representation.ts";

export interface PageReader {
  /** Settles when the reader no longer uses the lines of the page. */
  readonly used: Promise<unknown>;
  /** Whether `used` is exact to the last byte. */
  readonly isExact: boolean;
  readonly gone: AbortSignal;
  /** Disconnects the reader. */
  readonly cut: () => void;
}

interface LineReader {
  readonly since: number;
  /** Disconnects the reader, if possible. */
  readonly cut: (() => void) | undefined;
}

interface Retired {
  readonly epoch: number;
  readonly buffers: readonly Buffer[];
  readonly bytes: number;
}

/**
 * Frees replaced lines by epochs. A poll replaces most of a page, and the garbage collector sees only small objects,
 * so two or three old pages of 90 MB would stay. Lines are freed when all readers that could see them have left.
 * Beyond a limit the oldest readers are disconnected.
 */
export class LineMemory {
  /** Increases with each retirement. */
  #epoch = 0;
  /** The epoch of each buffer that this class may free. */
  readonly #adoptedIn = new WeakMap<Buffer, number>();
  /** In order of arrival. */
  readonly #readers = new Set<LineReader>();
  readonly #maxHeld: () => number;
  #retired: Retired[] = [];
  #heldBytes = 0;
  /** A caller keeps the lines of this epoch and of earlier ones. */
  #keptIn = -1;

  /** `maxHeld`: bytes of replaced lines that readers may hold. */
  constructor(maxHeld: () => number = () => Number.POSITIVE_INFINITY) {
    this.#maxHeld = maxHeld;
  }

  /** The class frees this buffer after its retirement. */
  adopt(buffer: Buffer): void {
    if (buffer.buffer.byteLength === buffer.length) this.#adoptedIn.set(buffer, this.#epoch);
  }

  /**
   * The caller may use current lines until it calls the returned function. `cut`: asks the caller to stop, possibly
   * more than once.
   */
  enter(cut?: () => void): () => void {
    const reader = { since: this.#epoch, cut };
    this.#readers.add(reader);
    return () => {
      if (this.#readers.delete(reader)) this.#free();
    };
  }

  /** The caller keeps the current lines for good. */
  keep(): void {
    this.#keptIn = this.#epoch;
  }

  /** New readers cannot find these lines. */
  retire(buffers: readonly Buffer[]): void {
    this.#epoch++;
    const bytes = totalLength(buffers);
    this.#retired.push({ epoch: this.#epoch, buffers, bytes });
    this.#heldBytes += bytes;
    this.#free();
    this.#cutReaders();
  }

  #isKept(buffer: Buffer): boolean {
    const adoptedIn = this.#adoptedIn.get(buffer);
    return adoptedIn === undefined || adoptedIn <= this.#keptIn;
  }

  #free(): void {
    const oldest = Math.min(...[...this.#readers].map(({ since }) => since), this.#epoch);
    const waiting = this.#retired.filter(({ epoch }) => epoch > oldest);
    const unread = this.#retired.filter(({ epoch }) => epoch <= oldest);
    this.#retired = waiting;
    for (const { buffers, bytes } of unread) {
      this.#heldBytes -= bytes;
      for (const buffer of buffers) if (!this.#isKept(buffer)) detach(buffer);
    }
  }

  #cutReaders(): void {
    const max = this.#maxHeld();
    if (this.#heldBytes <= max) return;
    for (const { since, cut } of this.#readers) {
      const held = this.#retired.reduce((sum, { epoch, bytes }) => sum + (epoch > since ? bytes : 0), 0);
      if (held <= max) return;
      cut?.();
    }
  }
}

/** Lines of a page were freed before they were used. A refresh of the page then ends the process, as with other faults of ours. */
export class FreedLines extends Error {
  constructor() {
    super("the metrics page uses lines that are already freed");
  }
}

/**
 * The buffers as they are used. A freed buffer is empty, so without this check the page would silently lack lines.
 * @throws FreedLines
 */
export function* intact(buffers: Iterable<Buffer>): Iterable<Buffer> {
  for (const buffer of buffers) {
    if (buffer.length === 0) throw new FreedLines();
    yield buffer;
  }
}

interface ContentReader {
  readonly content: Content;
  readonly cut: () => void;
}

/** Readers of compressed pages. Beyond a limit the oldest readers are disconnected. */
export class CompressedReaders {
  readonly #maxHeld: () => number;
  readonly #readers = new Set<ContentReader>();

  /** `maxHeld`: bytes of distinct pages that readers may hold. */
  constructor(maxHeld: () => number) {
    this.#maxHeld = maxHeld;
  }

  enter(content: Content, cut: () => void): () => void {
    const reader = { content, cut };
    this.#readers.add(reader);
    this.#cutFirst(reader);
    return () => void this.#readers.delete(reader);
  }

  #cutFirst(newest: ContentReader): void {
    const max = this.#maxHeld();
    for (const reader of this.#readers) {
      if (reader === newest || this.#held() <= max) return;
      this.#readers.delete(reader);
      reader.cut();
    }
  }

  #held(): number {
    const contents = new Set([...this.#readers].map(({ content }) => content));
    return contents.values().reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
