import type { Logger } from "pino";
import { addProblems, type DecodeProblems, noProblems } from "../decode/values.ts";
import type { ListResult } from "../records.ts";
import type { ItemFormat, ItemStore } from "./item-store.ts";
import type { ListQuota } from "./list-quota.ts";
import type { PageSize } from "./page-size.ts";

export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

export interface PageHead {
  /** `X-Total-Count`. */
  readonly total: number | undefined;
  /** `undefined` if the server does not say. */
  readonly hasNext: boolean | undefined;
}

export interface PageSource<Item, List = readonly Item[]> extends Omit<ItemFormat<Item, List>, "itemBytes"> {
  readonly pageSize: PageSize;
  /**
   * Calls `startRecords` for each attempt, and its result for each record. Servers may send fewer records than `limit`,
   * even before the end.
   */
  page(range: PageRange, startRecords: () => (record: unknown) => void): Promise<PageHead>;
  /** Whether smaller pages may help. */
  isTooLarge(failure: unknown): boolean;
  openQuota(): ListQuota;
}

export interface ReadResult<Item, List = readonly Item[]> extends ListResult<Item, List> {
  /** The list changed during the read. */
  readonly moved: boolean;
  readonly problems: DecodeProblems;
  /** Empty if the list moved, because it repeats records then. */
  readonly duplicates: Duplicates;
  /** X-Total-Count minus the objects. `undefined` if unknown or incomplete. */
  readonly totalDifference: number | undefined;
}

/** Some servers may ignore the offset. */
const MAX_REPEATED_PAGES = 2;

/**
 * Reads a list page by page. If the list changes, records shift under the offset, and an existing object can be
 * skipped. So each page starts with the last object of the previous one. If that differs, or the total changes, it
 * reads the list again. If the list moves again, the result is the union, and incomplete.
 */
export async function readPages<Item, List extends Iterable<Item>>(
  source: PageSource<Item, List>,
): Promise<ReadResult<Item, List>> {
  const quotas = [source.openQuota(), source.openQuota()] as const;
  try {
    return await readPagesTwice(source, quotas);
  } finally {
    for (const quota of quotas) quota.close();
  }
}

async function readPagesTwice<Item, List extends Iterable<Item>>(
  source: PageSource<Item, List>,
  quotas: readonly [ListQuota, ListQuota],
): Promise<ReadResult<Item, List>> {
  const first = new Pass(source, quotas[0]);
  await first.read({ evenIfMoved: false });
  let last = first;
  if (first.moved) {
    last = new Pass(source, quotas[1]);
    await last.read({ evenIfMoved: true });
  }
  const complete = !last.moved;
  if (complete) source.pageSize.recordList();
  if (!complete) for (const item of last.store.items) first.store.set(item);
  const duplicates = complete ? last.duplicates : new Duplicates();
  last.problems.duplicate += duplicates.count;
  const held = last.store.length + last.problems.record + last.repeated;
  return {
    items: (complete ? last : first).store.items,
    complete,
    skipped: last.problems.record,
    moved: first.moved,
    problems: last.problems,
    duplicates,
    bytes: (complete && last !== first ? 0 : quotas[0].bytes) + quotas[1].bytes,
    totalDifference: complete && last.total !== undefined ? last.total - held : undefined,
  };
}

interface Page<Item> extends PageHead {
  readonly limit: number;
  readonly items: readonly (Item | undefined)[];
  readonly problems: DecodeProblems;
}

class Pass<Item, List> {
  readonly store: ItemStore<Item, List>;
  readonly problems = noProblems();
  readonly duplicates = new Duplicates();
  /** All records with a known key. */
  repeated = 0;
  moved = false;
  total: number | undefined;
  readonly #source: PageSource<Item, List>;
  readonly #quota: ListQuota;
  /** `undefined` if the last record was unusable. */
  #last: Item | undefined;

  constructor(source: PageSource<Item, List>, quota: ListQuota) {
    this.#source = source;
    this.#quota = quota;
    this.store = source.openStore();
  }

  async read({ evenIfMoved }: { evenIfMoved: boolean }): Promise<void> {
    let offset = 0;
    let overlap = 0;
    let repeated = 0;
    for (;;) {
      const page = await this.#fetch(offset, overlap);
      const known = this.store.length;
      this.#add(page, overlap);
      repeated = this.store.length === known ? repeated + 1 : 0;
      if (isLast(page, { offset, overlap })) return;
      if (this.moved && (!evenIfMoved || repeated >= MAX_REPEATED_PAGES)) return;
      const count = page.items.length;
      overlap = count > 1 ? 1 : 0;
      offset += count - overlap;
    }
  }

  async #fetch(offset: number, overlap: number): Promise<Page<Item>> {
    const { pageSize } = this.#source;
    this.#quota.beginPage();
    for (;;) {
      const limit = pageSize.current;
      try {
        return await this.#read({ offset, limit }, overlap);
      } catch (error) {
        if (!this.#source.isTooLarge(error) || !pageSize.reduce()) throw error;
      }
    }
  }

  async #read(range: PageRange, overlap: number): Promise<Page<Item>> {
    const source = this.#source;
    let items: (Item | undefined)[] = [];
    let problems = noProblems();
    const head = await source.page(range, () => {
      items = [];
      problems = noProblems();
      this.#quota.restartPage();
      return (record) => {
        // Already counted with the previous page.
        const isRepeated = items.length < overlap;
        const item = source.decode(record, isRepeated ? noProblems() : problems);
        items.push(item);
        if (!isRepeated) this.#quota.add(1, item === undefined ? 0 : source.sizeOf(item));
      };
    });
    return { ...head, limit: range.limit, items, problems };
  }

  #add({ items, total, problems }: Page<Item>, overlap: number): void {
    if (items.length < overlap) this.moved = true;
    if (overlap > 0 && items.length > 0 && !this.#isSame(items[0], this.#last)) this.moved = true;
    if (total !== undefined && this.total !== undefined && total !== this.total) this.moved = true;
    this.total ??= total;
    addProblems(this.problems, problems);
    for (const [index, item] of items.entries()) {
      if (item === undefined) continue;
      const before = this.store.add(item);
      if (before !== undefined && index >= overlap) this.#repeat(before, item);
    }
    if (items.length > 0) this.#last = items.at(-1);
  }

  #repeat(first: Item, second: Item): void {
    const { idOf, describe } = this.#source;
    this.repeated++;
    const [kept, dropped] = [describe(first), describe(second)];
    if (kept !== dropped) this.duplicates.add({ id: idOf(first), kept, dropped });
  }

  #isSame(one: Item | undefined, other: Item | undefined): boolean {
    if (one === undefined || other === undefined) return one === other;
    const { idOf } = this.#source;
    return idOf(one) === idOf(other);
  }
}

/** The total alone is not reliable: some servers count other objects. */
function isLast({ items, limit, total, hasNext }: Page<unknown>, at: { offset: number; overlap: number }): boolean {
  const count = items.length;
  if (count <= at.overlap) return true;
  if (count >= limit) return false;
  if (total !== undefined) return at.offset + count >= total;
  return hasNext !== true;
}

/** Pairs named per list. */
const MAX_NAMED = 10;
/** The log names no more pairs. */
const MAX_LOGGED = 100;

interface Duplicate {
  readonly id: string;
  readonly kept: string;
  readonly dropped: string;
}

class Duplicates {
  /** The first ones. */
  readonly named: Duplicate[] = [];
  count = 0;

  add(duplicate: Duplicate): void {
    this.count++;
    if (this.named.length < MAX_NAMED) this.named.push(duplicate);
  }
}

/** Logs each pair once. */
export class DuplicateLog {
  readonly #log: Logger;
  readonly #logged = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  report(endpoint: string, duplicates: Duplicates): void {
    for (const { id, kept, dropped } of duplicates.named) {
      const pair = JSON.stringify([endpoint, id, kept, dropped]);
      if (this.#logged.has(pair) || this.#logged.size >= MAX_LOGGED) continue;
      this.#logged.add(pair);
      this.#log.warn(
        { endpoint, id, shown: kept, left_out: dropped },
        "two records of a list have the same id: keeping only the first one",
      );
    }
  }
}
