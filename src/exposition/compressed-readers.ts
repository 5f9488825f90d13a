import type { Content } from "./ready-form.ts";

interface Reader {
  readonly content: Content;
  /** Ends it early. */
  readonly cut: () => void;
}

/** Who is being sent compressed pages. Slow ones would hold any number of old pages: those that came first are cut. */
export class CompressedReaders {
  readonly #maxHeld: () => number;
  /** In the order in which they came. */
  readonly #readers = new Set<Reader>();

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

  #cutFirst(newest: Reader): void {
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
