import type { DecodeProblems, Members } from "../decode/values.ts";

/** The items of a list while the client reads it, each id once. */
export interface ItemStore<Item, List> {
  readonly length: number;
  readonly items: List;
  /** Returns the item with the same id if there is one already, and keeps that. */
  add(item: Item): Item | undefined;
  /** Replaces the stored item with the same id. */
  set(item: Item): void;
  /** Keeps only the first items. */
  truncate(length: number): void;
}

/** How the items of a list are decoded, told apart and measured. */
export interface ItemFormat<Item, List = readonly Item[]> {
  decode(record: unknown, problems: DecodeProblems): Item | undefined;
  /** What `decode` reads. Default: everything. */
  readonly members?: Members;
  idOf(item: Item): string;
  openStore(): ItemStore<Item, List>;
  describe(item: Item): string;
  /** Characters of its texts. */
  sizeOf(item: Item): number;
  /** Memory of an item without text. */
  readonly itemBytes: number;
}

export class KeyedItems<Item> implements ItemStore<Item, readonly Item[]> {
  readonly #idOf: (item: Item) => string;
  readonly #items = new Map<string, Item>();

  constructor(idOf: (item: Item) => string) {
    this.#idOf = idOf;
  }

  get length(): number {
    return this.#items.size;
  }

  get items(): readonly Item[] {
    return [...this.#items.values()];
  }

  add(item: Item): Item | undefined {
    const known = this.#items.get(this.#idOf(item));
    if (known === undefined) this.set(item);
    return known;
  }

  set(item: Item): void {
    this.#items.set(this.#idOf(item), item);
  }

  truncate(length: number): void {
    if (length === this.#items.size) return;
    for (const id of [...this.#items.keys()].slice(length)) this.#items.delete(id);
  }
}

/** For items with an id of their own. */
export function itemsById<Item extends { readonly id: string }>() {
  const idOf = ({ id }: Item): string => id;
  return { idOf, openStore: () => new KeyedItems(idOf) };
}
