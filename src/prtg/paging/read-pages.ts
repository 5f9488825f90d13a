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

/** What one attempt to read a page found. Its items are in the store. */
class Page<Item> {
  readonly problems = noProblems();
  readonly duplicates = new Duplicates();
  /** Records. */
  count = 0;
  /** `undefined` if the record was unusable. */
  first: Item | undefined;
  last: Item | undefined;
  /** Records with a known key, apart from the overlap. */
  repeated = 0;
}

interface PageEnd extends PageHead {
  readonly limit: number;
  readonly count: number;
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
      const known = this.store.length;
      const end = await this.#fetch(offset, overlap);
      repeated = this.store.length === known ? repeated + 1 : 0;
      if (isLast(end, { offset, overlap })) return;
      if (this.moved && (!evenIfMoved || repeated >= MAX_REPEATED_PAGES)) return;
      const { count } = end;
      overlap = count > 1 ? 1 : 0;
      offset += count - overlap;
    }
  }

  async #fetch(offset: number, overlap: number): Promise<PageEnd> {
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

  async #read(range: PageRange, overlap: number): Promise<PageEnd> {
    const known = this.store.length;
    let page = new Page<Item>();
    const head = await this.#source.page(range, () => {
      // Of an attempt that failed.
      this.store.truncate(known);
      this.#quota.restartPage();
      const attempt = new Page<Item>();
      page = attempt;
      return (record) => this.#take(attempt, record, overlap);
    });
    this.#add(page, head, overlap);
    return { ...head, limit: range.limit, count: page.count };
  }

  /** Stores the item at once: a page of objects that waits for its end would reach V8's old space. */
  #take(page: Page<Item>, record: unknown, overlap: number): void {
    const { decode, sizeOf } = this.#source;
    // Already counted with the previous page.
    const isCounted = page.count < overlap;
    const item = decode(record, isCounted ? noProblems() : page.problems);
    if (page.count === 0) page.first = item;
    page.last = item;
    page.count++;
    if (!isCounted) this.#quota.add(1, item === undefined ? 0 : sizeOf(item));
    if (item === undefined) return;
    const before = this.store.add(item);
    if (before !== undefined && !isCounted) this.#repeat(page, before, item);
  }

  #repeat(page: Page<Item>, first: Item, second: Item): void {
    const { idOf, describe } = this.#source;
    page.repeated++;
    const [kept, dropped] = [describe(first), describe(second)];
    if (kept !== dropped) page.duplicates.add({ id: idOf(first), kept, dropped });
  }

  #add(page: Page<Item>, { total }: PageHead, overlap: number): void {
    if (page.count < overlap) this.moved = true;
    if (overlap > 0 && page.count > 0 && !this.#isSame(page.first, this.#last)) this.moved = true;
    if (total !== undefined && this.total !== undefined && total !== this.total) this.moved = true;
    this.total ??= total;
    addProblems(this.problems, page.problems);
    this.repeated += page.repeated;
    this.duplicates.addAll(page.duplicates);
    if (page.count > 0) this.#last = page.last;
  }

  #isSame(one: Item | undefined, other: Item | undefined): boolean {
    if (one === undefined || other === undefined) return one === other;
    const { idOf } = this.#source;
    return idOf(one) === idOf(other);
  }
}

/** The total alone is not reliable: some servers count other objects. */
function isLast({ count, limit, total, hasNext }: PageEnd, at: { offset: number; overlap: number }): boolean {
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

  addAll({ named, count }: Duplicates): void {
    this.count += count;
    this.named.push(...named.slice(0, MAX_NAMED - this.named.length));
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
