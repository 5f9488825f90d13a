import { detach, totalLength } from "../lib/buffers.ts";
import type { Content } from "./representation.ts";

/** A client that is sent a page. */
export interface PageReader {
  /** Settles when the reader looks at no line of the page any more, or as nearly as that is known. */
  readonly used: Promise<unknown>;
  /** Whether `used` is to be relied upon to the last byte. */
  readonly isExact: boolean;
  /** The reader has gone. */
  readonly gone: AbortSignal;
  /** Ends it: too many old pages are held by slow readers. */
  readonly cut: () => void;
}

interface LineReader {
  /** The epoch in which it came. */
  readonly since: number;
  /** Ends it early; undefined where it cannot be. */
  readonly cut: (() => void) | undefined;
}

interface Retired {
  readonly epoch: number;
  readonly buffers: readonly Buffer[];
  readonly bytes: number;
}

/**
 * Frees the memory of lines that are on no page any more, by epochs. A poll replaces most of a page, and left to the
 * garbage collector two or three old pages of 90 MB would wait for it, as it sees only the small objects that hold them.
 *
 * A reader may hold any lines that were current while it reads. Lines are freed when every reader that came while they
 * were current has left; only by the garbage collector, where such a reader keeps what it read. Slow readers of old
 * pages would add up to any number of them: beyond a limit those that came first are cut.
 */
export class LineMemory {
  /** Rises with each retirement. */
  #epoch = 0;
  /** In which epoch a buffer was adopted; those that are not in here are never freed by us. */
  readonly #adoptedIn = new WeakMap<Buffer, number>();
  /** In the order in which they came. */
  readonly #readers = new Set<LineReader>();
  readonly #maxHeld: () => number;
  #retired: Retired[] = [];
  /** Of `#retired`. */
  #heldBytes = 0;
  /** What was current in this epoch, or before, is kept by a caller. */
  #keptIn = -1;

  /** `maxHeld`: bytes of lines that are on no page any more and readers may hold. */
  constructor(maxHeld: () => number = () => Number.POSITIVE_INFINITY) {
    this.#maxHeld = maxHeld;
  }

  /** Has a buffer with memory of its own freed after it is retired. */
  adopt(buffer: Buffer): void {
    if (buffer.buffer.byteLength === buffer.length) this.#adoptedIn.set(buffer, this.#epoch);
  }

  /**
   * From now on the caller may look at what is current, until it calls what this returns. `cut` is to have it do that
   * soon; it may be called more than once.
   */
  enter(cut?: () => void): () => void {
    const reader = { since: this.#epoch, cut };
    this.#readers.add(reader);
    return () => {
      if (this.#readers.delete(reader)) this.#free();
    };
  }

  /** The caller keeps what is current for as long as it likes. */
  keep(): void {
    this.#keptIn = this.#epoch;
  }

  /** Readers that enter from now on cannot find these. */
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
interface ContentReader {
  readonly content: Content;
  /** Ends it early. */
  readonly cut: () => void;
}

/** Readers of compressed pages. Slow ones would hold any number of old pages: those that came first are cut. */
export class CompressedReaders {
  readonly #maxHeld: () => number;
  /** In the order in which they came. */
  readonly #readers = new Set<ContentReader>();

  /** `maxHeld`: bytes of pages, each counted once, that readers may hold. */
  constructor(maxHeld: () => number) {
    this.#maxHeld = maxHeld;
  }

  /** Returns what to call when the reader has gone. */
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
