/**
 * Gives the memory of lines back that no page shows any more. A poll replaces most of a page, and left to the garbage
 * collector two or three old pages of 90 MB would wait for it, as it sees only the small objects that hold them.
 *
 * A reader is somebody who may hold any lines that were current while it reads. Lines are given back when everybody
 * who read while they were current has left; never, but by the collector, when somebody among them keeps what it read.
 */
export class Reclaimer {
  /** Rises with each retirement. */
  #epoch = 0;
  /** When the buffer was made; those that are not in here are not ours to give back. */
  readonly #madeIn = new WeakMap<Buffer, number>();
  readonly #readers = new Set<{ readonly since: number }>();
  #retired: { readonly epoch: number; readonly buffers: readonly Buffer[] }[] = [];
  /** Somebody keeps what was current in this epoch. */
  #keptIn = -1;

  /** A buffer with memory of its own that is to be given back when it is retired. */
  adopt(buffer: Buffer): void {
    if (buffer.buffer.byteLength === buffer.length) this.#madeIn.set(buffer, this.#epoch);
  }

  /** From now on the caller may look at what is current, until it calls what this returns. */
  enter(): () => void {
    const reader = { since: this.#epoch };
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
    this.#retired.push({ epoch: this.#epoch, buffers });
    this.#reclaim();
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
    for (const { buffers } of free) {
      for (const buffer of buffers) if (!this.#isKept(buffer)) release(buffer);
    }
  }
}

/** Detaching frees the memory at once; the buffer is empty afterwards. */
function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
