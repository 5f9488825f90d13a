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
  /** The number that was taken when this one was likely, last time. */
  readonly #followers: number[] = [StringPool.EMPTY];
  readonly #free: number[] = [];

  /** Texts that are held. */
  get size(): number {
    return this.#ids.size;
  }

  /**
   * The number of the text, which counts one use more. `likely`: a number that it may have, such as that of its neighbour. It is
   * found sooner then, and so is what followed that number last time: `Traffic Out` comes behind `Traffic In`, mostly.
   */
  take(text: string, likely: number = StringPool.EMPTY): number {
    if (text === "") return StringPool.EMPTY;
    if (this.#texts[likely] === text) return this.#use(likely);
    const follower = this.#followers[likely] ?? StringPool.EMPTY;
    if (this.#texts[follower] === text) return this.#use(follower);
    const known = this.#ids.get(text);
    const id = known === undefined ? this.#add(text) : this.#use(known);
    this.#followers[likely] = id;
    return id;
  }

  #use(id: number): number {
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
    return id;
  }

  #add(text: string): number {
    const id = this.#free.pop() ?? this.#texts.length;
    this.#ids.set(text, id);
    this.#texts[id] = text;
    this.#uses[id] = 1;
    this.#followers[id] = StringPool.EMPTY;
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
}
