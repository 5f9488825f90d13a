import type { Logger } from "pino";
import { addProblems, type DecodeProblems, noProblems } from "../decode/values.ts";
import type { ListResult } from "../records.ts";
import type { ListQuota } from "./list-quota.ts";
import type { PageSize } from "./page-size.ts";

/** What is asked for. */
export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

/** What an answer says of a page beside its records. */
export interface PageHead {
  /** `X-Total-Count`; undefined when the server sends none. */
  readonly total: number | undefined;
  /** Whether the server names a next page; undefined when it does not say. */
  readonly hasNext: boolean | undefined;
}

export interface PageSource<Item> {
  readonly pageSize: PageSize;
  /**
   * Reads one page. What `startRecords` returns is given each of its records; it is called anew where the page is read
   * once more. There may be fewer records than `limit`, also before the end of the list: servers cap.
   */
  page(range: PageRange, startRecords: () => (record: unknown) => void): Promise<PageHead>;
  /** The page failed because it was too large for the server to make in time. */
  isTooLarge(failure: unknown): boolean;
  /** Undefined, and counted, when a record cannot be used. */
  decode(record: unknown, problems: DecodeProblems): Item | undefined;
  /** The same however the server spells the object's id. */
  keyOf(item: Item): string;
  /** What tells the item from another one with the same key, for the log: its name, mostly. */
  describe(item: Item): string;
  /** Characters of text that the item keeps. */
  sizeOf(item: Item): number;
  /** Says, by an ApiError, when a list is too large. */
  openQuota(): ListQuota;
}

export interface ReadResult<Item> extends ListResult<Item> {
  /** The list changed while it was read. */
  readonly moved: boolean;
  readonly problems: DecodeProblems;
  /** Records with the id of an earlier one; none where the list moved, as it shows records twice then. */
  readonly duplicates: Duplicates;
  /** X-Total-Count minus the objects that the pages held; undefined where unknown or incomplete. */
  readonly totalDifference: number | undefined;
}

/** Pages in a row without a new object that end a list which has moved: some servers may ignore the offset. */
const MAX_REPEATED_PAGES = 2;

/**
 * Reads a whole list, page by page. When it changes meanwhile it shifts under the offset: one deletion in what was
 * read, and a living object is passed over although X-Total-Count agrees. So each page starts with the last object of
 * the one before; where that is another one, or the total differs, the list has moved and is read once more. If it
 * moves again, the union of both readings is the result, as incomplete: what is missing in it proves nothing.
 */
export async function readPages<Item>(source: PageSource<Item>): Promise<ReadResult<Item>> {
  const quotas = [source.openQuota(), source.openQuota()] as const;
  try {
    return await readPagesTwice(source, quotas);
  } finally {
    for (const quota of quotas) quota.close();
  }
}

async function readPagesTwice<Item>(
  source: PageSource<Item>,
  quotas: readonly [ListQuota, ListQuota],
): Promise<ReadResult<Item>> {
  const first = new Pass(source, quotas[0]);
  await first.read({ evenIfMoved: false });
  let last = first;
  if (first.moved) {
    last = new Pass(source, quotas[1]);
    await last.read({ evenIfMoved: true });
  }
  const complete = !last.moved;
  if (complete) source.pageSize.listCompleted();
  if (!complete) for (const [key, item] of last.items) first.items.set(key, item);
  const duplicates = complete ? last.duplicates : new Duplicates();
  last.problems.duplicate += duplicates.count;
  const held = last.items.size + last.problems.record + last.repeated;
  return {
    items: [...(complete ? last : first).items.values()],
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
  /** In the order of the records; undefined where one could not be used. */
  readonly items: readonly (Item | undefined)[];
  readonly problems: DecodeProblems;
}

/** One way through the pages, from the first to the last. */
class Pass<Item> {
  /** By key, in the order in which they came. */
  readonly items = new Map<string, Item>();
  readonly problems = noProblems();
  readonly duplicates = new Duplicates();
  /** Records with the key of an earlier one, whatever else they say. */
  repeated = 0;
  moved = false;
  total: number | undefined;
  readonly #source: PageSource<Item>;
  readonly #quota: ListQuota;
  /** Undefined where the last record could not be used. */
  #last: Item | undefined;

  constructor(source: PageSource<Item>, quota: ListQuota) {
    this.#source = source;
    this.#quota = quota;
  }

  async read({ evenIfMoved }: { evenIfMoved: boolean }): Promise<void> {
    let offset = 0;
    let overlap = 0;
    let repeated = 0;
    for (;;) {
      const page = await this.#fetch(offset, overlap);
      const known = this.items.size;
      this.#add(page, overlap);
      repeated = this.items.size === known ? repeated + 1 : 0;
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
        // What is wrong with the repeated record was counted the first time.
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
      const key = this.#source.keyOf(item);
      const before = this.items.get(key);
      if (before === undefined) this.items.set(key, item);
      else if (index >= overlap) this.#repeat(key, before, item);
    }
    if (items.length > 0) this.#last = items.at(-1);
  }

  /** A record that came twice in two pages looks the same; what looks otherwise is another object. */
  #repeat(id: string, first: Item, second: Item): void {
    const { describe } = this.#source;
    this.repeated++;
    const [kept, dropped] = [describe(first), describe(second)];
    if (kept !== dropped) this.duplicates.add({ id, kept, dropped });
  }

  #isSame(one: Item | undefined, other: Item | undefined): boolean {
    if (one === undefined || other === undefined) return one === other;
    return this.#source.keyOf(one) === this.#source.keyOf(other);
  }
}

/** Whether a page ends the list. Not its total alone decides: some servers count other objects than they list. */
function isLast({ items, limit, total, hasNext }: Page<unknown>, at: { offset: number; overlap: number }): boolean {
  const count = items.length;
  if (count <= at.overlap) return true;
  if (count >= limit) return false;
  if (total !== undefined) return at.offset + count >= total;
  return hasNext !== true;
}

/** Pairs of a list that are named. */
const MAX_NAMED = 10;
/** Pairs that the log names before it goes quiet. */
const MAX_LOGGED = 100;

/** Two records of one list with the same id. */
export interface Duplicate {
  readonly id: string;
  readonly kept: string;
  readonly dropped: string;
}

/** Records of one list that have the id of an earlier record. */
export class Duplicates {
  readonly #named: Duplicate[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The first ones. */
  get named(): readonly Duplicate[] {
    return this.#named;
  }

  add(duplicate: Duplicate): void {
    this.#count++;
    if (this.#named.length < MAX_NAMED) this.#named.push(duplicate);
  }
}

/** Logs each pair of records with the same id once. */
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
        "two records of a list have the same id: only the first one is shown",
      );
    }
  }
}
