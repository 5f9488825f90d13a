import { randomBytes } from "node:crypto";
import { detach } from "../../lib/buffers.ts";
import { codeUnitAt, fnv1a } from "../../lib/text-units.ts";

const FIRST_CAPACITY = 1_024;
const EMPTY = -1;
/** What a server says of the length of its list is not believed beyond this. */
const MAX_EXPECTED = 2 ** 20;

/**
 * Items in the order in which they came, each key once. A Map would
 * keep 200,000 keys alive while a list is read, and stop everything for tens of milliseconds each time it grows; here
 * keys are made again in the rare case that two of them have the same hash.
 */
export class KeyedList<Item> {
  readonly #keyOf: (item: Item) => string;
  readonly #partOf: (item: Item) => string;
  /** There is none yet from `#size` on. */
  readonly #items: Item[] = [];
  #size = 0;
  /** Of each place the position in `#items`, and the hash; open addressing. A power of two of places, at most half full. */
  #places = new Int32Array(2 * FIRST_CAPACITY).fill(EMPTY);

  /** `partOf`: the second part of a key that has two: joined, they would be a text more for each item. */
  constructor(keyOf: (item: Item) => string, partOf: (item: Item) => string = () => "") {
    this.#keyOf = keyOf;
    this.#partOf = partOf;
  }

  get size(): number {
    return this.#size;
  }

  get items(): readonly Item[] {
    this.#items.length = this.#size;
    return this.#items;
  }

  /**
   * Makes room for so many items in all: growing to them step by step would stop everything for a while, and leave several
   * times as much to the garbage collector.
   */
  expect(count: number): void {
    const expected = Math.min(count, MAX_EXPECTED);
    if (expected > this.#items.length) this.#items.length = expected;
    const capacity = 2 ** Math.ceil(Math.log2(2 * expected + 1));
    if (2 * capacity > this.#places.length) this.#resize(capacity);
  }

  /**
   * The items, to which none is added any more: what they were found by is freed. The garbage collector counts it as a reason
   * to look through the whole heap.
   */
  finish(): readonly Item[] {
    this.#free();
    return this.items;
  }

  /** Puts the item at the end, or in the place of the one with the same key. */
  set(item: Item): void {
    this.#put(item, true);
  }

  /** Puts the item at the end, unless there is one with the same key: returns that one then. */
  add(item: Item): Item | undefined {
    return this.#put(item, false);
  }

  /** Returns the item that had the same key. */
  #put(item: Item, replaces: boolean): Item | undefined {
    const key = this.#keyOf(item);
    const part = this.#partOf(item);
    const hash = hashOf(key, part);
    for (let at = this.#start(hash); ; at = this.#next(at)) {
      const position = this.#places[at] ?? EMPTY;
      // An array is not asked for a place that it does not have: V8 would look for a member of that name.
      const held = position === EMPTY ? undefined : this.#items[position];
      if (held === undefined) {
        this.#append(item, hash, at);
        return undefined;
      }
      if (this.#places[at + 1] === hash && this.#keyOf(held) === key && this.#partOf(held) === part) {
        if (replaces) this.#items[position] = item;
        return held;
      }
    }
  }

  #append(item: Item, hash: number, at: number): void {
    this.#places[at] = this.#size;
    this.#places[at + 1] = hash;
    this.#items[this.#size++] = item;
    if (this.#size * 4 > this.#places.length) this.#resize(this.#places.length);
  }

  /** `capacity`: places. */
  #resize(capacity: number): void {
    const before = this.#places;
    this.#places = new Int32Array(2 * capacity).fill(EMPTY);
    for (let from = 0; from < before.length; from += 2) {
      const position = before[from] ?? EMPTY;
      if (position === EMPTY) continue;
      const hash = before[from + 1] ?? 0;
      let at = this.#start(hash);
      while (this.#places[at] !== EMPTY) at = this.#next(at);
      this.#places[at] = position;
      this.#places[at + 1] = hash;
    }
    detach(before);
  }

  #free(): void {
    detach(this.#places);
  }

  #start(hash: number): number {
    return (2 * hash) & (this.#places.length - 1);
  }

  #next(at: number): number {
    return (at + 2) & (this.#places.length - 1);
  }
}

/** So that no server can send keys that all have the same place. */
const SEED = randomBytes(4).readInt32LE();

/** FNV-1a from a beginning that only this process knows, with its upper half folded in, as the lower bits choose the place. */
function hashOf(key: string, part: string): number {
  const hash = fnv1a(key, SEED);
  const small = smallNumber(part);
  if (small !== undefined) return ((hash ^ (hash >>> 15)) + small) | 0;
  const whole = fnv1a(part, hash);
  return whole ^ (whole >>> 15);
}

const ZERO = "0".charCodeAt(0);
const MINUS = "-".charCodeAt(0);

/**
 * -9 to 99, as nearly all ids of channels are: these have places next to each other where the first part of their keys is the same.
 * They come in a row, and each place elsewhere has to be fetched from memory. Of other texts a server could make up any number that
 * have the same place.
 */
function smallNumber(text: string): number | undefined {
  if (text.length === 0 || text.length > 2) return undefined;
  const last = codeUnitAt(text, text.length - 1) - ZERO;
  if (last < 0 || last > 9) return undefined;
  if (text.length === 1) return last;
  const first = codeUnitAt(text, 0);
  if (first === MINUS) return -last;
  return first >= ZERO && first <= ZERO + 9 ? 10 * (first - ZERO) + last : undefined;
}
