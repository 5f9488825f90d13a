import { ApiError } from "./api-error.ts";
import type { DecodeProblems } from "./decode/problems.ts";
import { reportProblems } from "./decode/problems.ts";
import { type ListEndpoint, pagePath } from "./endpoints.ts";
import type { ListAccounts } from "./list-account.ts";
import type { ApiClientOptions } from "./options.ts";
import { PageSize } from "./page-size.ts";
import { type PageHead, type PageRange, readList } from "./paging.ts";
import type { ListResult } from "./records.ts";
import { isTimeout, type Requester } from "./requester.ts";
import { StandIns } from "./stand-ins.ts";

/** How the records of a list are read. */
export interface ItemFormat<Item> {
  decode(record: unknown, problems: DecodeProblems): Item | undefined;
  keyOf(item: Item): string;
  /** Characters of text that the item keeps. */
  sizeOf(item: Item): number;
}

/** Reads whole lists from the best endpoint that the server has, and reports what was odd about them. */
export class ListReader {
  readonly #options: ApiClientOptions;
  readonly #requester: Requester;
  readonly #standIns: StandIns;
  readonly #accounts: ListAccounts;
  readonly #pageSizes = new Map<string, PageSize>();

  constructor(options: ApiClientOptions, requester: Requester, accounts: ListAccounts) {
    this.#accounts = accounts;
    this.#options = options;
    this.#requester = requester;
    this.#standIns = new StandIns(options.clock, options.log);
  }

  /** `lists` are in order of preference. */
  read<Item>(lists: readonly ListEndpoint[], format: ItemFormat<Item>, signal: AbortSignal): Promise<ListResult<Item>> {
    return this.#standIns.first(lists, (list) => this.#readFrom(list, format, signal));
  }

  /** Asks for the preferred lists again, also where their stand-ins answered. */
  forgetMissing(): void {
    this.#standIns.forget();
  }

  async #readFrom<Item>(list: ListEndpoint, format: ItemFormat<Item>, signal: AbortSignal): Promise<ListResult<Item>> {
    const { endpoint } = list;
    const { observer, log } = this.#options;
    const { items, complete, skipped, moved, problems, totalDifference } = await readList({
      ...format,
      pageSize: this.#pageSize(endpoint),
      page: (asked, startRecords) => this.#page(list, asked, startRecords, signal),
      openAccount: () => this.#accounts.open(endpoint),
      isTooLarge: (failure) => failure instanceof ApiError && isTimeout(failure),
    });
    if (moved) observer.listMoved(endpoint);
    if (!complete) log.warn({ endpoint }, "list changed twice while it was read: nothing is removed on its word");
    if (totalDifference !== undefined) observer.totalMismatch(endpoint, totalDifference);
    reportProblems(problems, observer);
    return { items, complete, skipped };
  }

  async #page(
    list: ListEndpoint,
    { offset, limit }: PageRange,
    startRecords: () => (record: unknown) => void,
    signal: AbortSignal,
  ): Promise<PageHead> {
    const { endpoint } = list;
    const path = pagePath(list, offset, limit);
    const { response } = await this.#requester.get({ endpoint, path, startRecords, stepsDown: true }, signal);
    return { total: response.totalCount, hasNext: response.hasNext };
  }

  #pageSize(endpoint: string): PageSize {
    const known = this.#pageSizes.get(endpoint);
    if (known !== undefined) return known;
    const size = new PageSize();
    this.#pageSizes.set(endpoint, size);
    return size;
  }
}
