import { totalLength } from "./buffers.ts";

/** Who looks at lines of a page for longer than a turn. */
interface Reader {
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
 * Gives the memory of lines back that no page shows any more. A poll replaces most of a page, and left to the garbage
 * collector two or three old pages of 90 MB would wait for it, as it sees only the small objects that hold them.
 *
 * A reader is somebody who may hold any lines that were current while it reads. Lines are given back when everybody
 * who read while they were current has left; never, but by the collector, when somebody among them keeps what it read.
 * Slow readers of old pages would add up to any number of them: beyond a limit those that came first are cut.
 */
export class Reclaimer {
  /** Rises with each retirement. */
  #epoch = 0;
  /** When the buffer was made; those that are not in here are not ours to give back. */
  readonly #madeIn = new WeakMap<Buffer, number>();
  /** In the order in which they came. */
  readonly #readers = new Set<Reader>();
  readonly #maxHeld: () => number;
  #retired: Retired[] = [];
  /** Of `#retired`. */
  #heldBytes = 0;
  /** Somebody keeps what was current in this epoch. */
  #keptIn = -1;

  /** `maxHeld`: bytes of lines that no page shows any more and readers may hold. */
  constructor(maxHeld: () => number = () => Number.POSITIVE_INFINITY) {
    this.#maxHeld = maxHeld;
  }

  /** A buffer with memory of its own that is to be given back when it is retired. */
  adopt(buffer: Buffer): void {
    if (buffer.buffer.byteLength === buffer.length) this.#madeIn.set(buffer, this.#epoch);
  }

  /**
   * From now on the caller may look at what is current, until it calls what this returns. `cut` is to have it do that
   * soon; it may be called more than once.
   */
  enter(cut?: () => void): () => void {
    const reader = { since: this.#epoch, cut };
    this.#readers.add(reader);
    return () => {
      if (this.#readers.delete(reader)) this.#reclaim();
    };
  }

  /** The caller keeps what is current for as long as it likes. */
  keep(): void {
    this.#keptIn = this.#epoch;
  }

  /** Nobody who enters from now on can find these. */
  retire(buffers: readonly Buffer[]): void {
    this.#epoch++;
    const bytes = totalLength(buffers);
    this.#retired.push({ epoch: this.#epoch, buffers, bytes });
    this.#heldBytes += bytes;
    this.#reclaim();
    this.#cutReaders();
  }

  #isKept(buffer: Buffer): boolean {
    const madeIn = this.#madeIn.get(buffer);
    return madeIn === undefined || madeIn <= this.#keptIn;
  }

  #reclaim(): void {
    const oldest = Math.min(...[...this.#readers].map(({ since }) => since), this.#epoch);
    const waiting = this.#retired.filter(({ epoch }) => epoch > oldest);
    const free = this.#retired.filter(({ epoch }) => epoch <= oldest);
    this.#retired = waiting;
    for (const { buffers, bytes } of free) {
      this.#heldBytes -= bytes;
      for (const buffer of buffers) if (!this.#isKept(buffer)) release(buffer);
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

/** Detaching frees the memory at once; the buffer is empty afterwards. */
function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
