/**
 * Texts by number, each held once: a sensor's name is in the labels of dozens of series, and a number takes four bytes
 * outside of the heap. A text goes when its last user has released it.
 */
export class StringPool {
  /** The empty text, which is never released. */
  static readonly EMPTY = 0;
  readonly #ids = new Map<string, number>([["", StringPool.EMPTY]]);
  readonly #texts: string[] = [""];
  readonly #uses: number[] = [0];
  readonly #free: number[] = [];

  /** Texts that are held. */
  get size(): number {
    return this.#ids.size;
  }

  /** The number of the text, which counts one use more. */
  take(text: string): number {
    if (text === "") return StringPool.EMPTY;
    const id = this.#ids.get(text) ?? this.#add(text);
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
    return id;
  }

  /** Ends one use. */
  release(id: number): void {
    if (id === StringPool.EMPTY) return;
    const uses = (this.#uses[id] ?? 0) - 1;
    this.#uses[id] = uses;
    if (uses > 0) return;
    this.#ids.delete(this.text(id));
    this.#texts[id] = "";
    this.#free.push(id);
  }

  text(id: number): string {
    return this.#texts[id] ?? "";
  }

  #add(text: string): number {
    const id = this.#free.pop() ?? this.#texts.length;
    this.#ids.set(text, id);
    this.#texts[id] = text;
    this.#uses[id] = 0;
    return id;
  }
}
