import type { Content } from "./representation.ts";

export interface PageReader {
  /** Settles when the reader has read the page or is gone. */
  readonly used: Promise<unknown>;
  readonly gone: AbortSignal;
  /** Disconnects the reader. */
  readonly cut: () => void;
}

interface ContentReader {
  readonly content: Content;
  readonly cut: () => void;
}

/** Readers of pages. Beyond a limit the oldest readers are disconnected, because they hold old pages. */
export class PageReaders {
  readonly #maxHeld: () => number;
  readonly #readers = new Set<ContentReader>();

  /** `maxHeld`: bytes of distinct pages that readers may hold. */
  constructor(maxHeld: () => number) {
    this.#maxHeld = maxHeld;
  }

  enter(content: Content, { used, cut }: PageReader): void {
    const reader = { content, cut };
    this.#readers.add(reader);
    this.#cutFirst(reader);
    void used.finally(() => this.#readers.delete(reader));
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
