import { withDeadline } from "../../lib/deadline.ts";
import { mapEntry } from "../../lib/map-entry.ts";
import { ApiError, isTimeout } from "../api-error.ts";
import { reportProblems } from "../decode/values.ts";
import { type ListEndpoint, pagePath } from "../endpoints.ts";
import type { ApiClientOptions } from "../options.ts";
import type { Items, ListResult } from "../records.ts";
import type { ApiRequest } from "../request/messages.ts";
import type { Requester } from "../request/requester.ts";
import { EndpointFallback, isRefusal, RefusedParameters } from "./endpoint-fallback.ts";
import type { ItemFormat } from "./item-store.ts";
import type { ListQuotas } from "./list-quota.ts";
import { LARGEST_PAGE, PageSize } from "./page-size.ts";
import { DuplicateLog, type PageHead, type PageRange, readPages } from "./read-pages.ts";

/** Reads lists from the best endpoint, and reports problems. */
export class ListReader {
  /** Read lists in full pages. A page that is full in part counts in part. */
  pages = 0;
  readonly #options: ApiClientOptions;
  readonly #requester: Requester;
  readonly #fallback: EndpointFallback;
  readonly #quotas: ListQuotas;
  readonly #refused: RefusedParameters;
  readonly #duplicates: DuplicateLog;
  readonly #pageSizes = new Map<string, PageSize>();

  constructor(options: ApiClientOptions, requester: Requester, quotas: ListQuotas) {
    this.#quotas = quotas;
    this.#options = options;
    this.#requester = requester;
    this.#fallback = new EndpointFallback(options.clock, options.log);
    this.#refused = new RefusedParameters(options.clock, options.log);
    this.#duplicates = new DuplicateLog(options.log);
  }

  /**
   * @param lists Preferred first.
   * @throws ApiError, also API_LIST_TOO_LARGE after `limits.listTimeoutMs`
   */
  read<Item, List extends Items<Item>>(
    lists: readonly ListEndpoint[],
    format: ItemFormat<Item, List>,
    signal: AbortSignal,
  ): Promise<ListResult<Item, List>> {
    const { clock, limits } = this.#options;
    const ms = limits.listTimeoutMs;
    const endpoint = lists[0]?.endpoint ?? "";
    // Not API_TIMEOUT, which smaller pages could solve.
    const expired = (): ApiError =>
      new ApiError("API_LIST_TOO_LARGE", `${endpoint}: not complete after ${ms / 1000} s (limits.list_timeout)`, {
        endpoint,
      });
    return withDeadline({ clock, ms, parents: [signal], expired }, (total) =>
      this.#fallback.readFirst(lists, (list) => this.#readAsTaken(list, format, total)),
    );
  }

  forgetRefusals(): void {
    this.#fallback.forget();
    this.#refused.forget();
    for (const size of this.#pageSizes.values()) size.forgetRefusals();
  }

  async #readAsTaken<Item, List extends Items<Item>>(
    list: ListEndpoint,
    format: ItemFormat<Item, List>,
    signal: AbortSignal,
  ): Promise<ListResult<Item, List>> {
    const first = this.#refused.without(list);
    try {
      return resultOf(list, first, await this.#readFrom(first, format, signal));
    } catch (error) {
      if (!(error instanceof FirstPageRefused)) throw error;
      const taken = await this.#refused.findAccepted(first, error.refusal, (list) => this.#probe(list, signal));
      return resultOf(list, taken, await this.#readInPages(taken, format, signal));
    }
  }

  /** The server accepts one record with these parameters, so the pages are too large. */
  async #readInPages<Item, List extends Items<Item>>(
    list: ListEndpoint,
    format: ItemFormat<Item, List>,
    signal: AbortSignal,
  ): Promise<ListResult<Item, List>> {
    const size = this.#pageSize(list.endpoint);
    for (;;) {
      try {
        return await this.#readFrom(list, format, signal);
      } catch (error) {
        if (!(error instanceof FirstPageRefused)) throw error;
        const { refusal } = error;
        if (refusal.code !== "API_BAD_REQUEST" || !size.refuse()) {
          size.forgetRefusals();
          throw refusal;
        }
        const fields = { endpoint: list.endpoint, limit: size.current, request_id: refusal.requestId, err: refusal };
        this.#options.log.info(fields, "the server refuses the list: retrying with smaller pages");
      }
    }
  }

  async #probe(list: ListEndpoint, signal: AbortSignal): Promise<void> {
    const unread = () => () => undefined;
    await this.#page(list, { offset: 0, limit: 1 }, { startRecords: unread }, signal);
  }

  async #readFrom<Item, List extends Items<Item>>(
    list: ListEndpoint,
    format: ItemFormat<Item, List>,
    signal: AbortSignal,
  ): Promise<ListResult<Item, List>> {
    const { endpoint } = list;
    const { observer, log } = this.#options;
    const { items, complete, skipped, moved, problems, duplicates, bytes, totalDifference } = await readPages({
      ...format,
      pageSize: this.#pageSize(endpoint),
      openQuota: () => this.#quotas.open(endpoint, format.itemBytes),
      page: (range, startRecords) =>
        this.#page(list, range, { startRecords, members: format.members }, signal).catch((error: unknown) => {
          throw range.offset === 0 && isRefusal(error) ? new FirstPageRefused(error) : error;
        }),
      isTooLarge: (failure) => failure instanceof ApiError && isTimeout(failure),
    });
    if (moved) observer.listMoved({ endpoint });
    if (!complete) log.warn({ endpoint }, "list changed twice during the read: the exporter removes no objects");
    if (totalDifference !== undefined) observer.totalMismatch({ endpoint }, totalDifference);
    reportProblems(problems, observer);
    this.#duplicates.report(endpoint, duplicates);
    this.#refused.recordSuccess(list);
    this.pages += (items.length + skipped) / LARGEST_PAGE;
    // If no record is readable, the answer may come from another service.
    const hidden = items.length === 0 && skipped > 0 ? Number.POSITIVE_INFINITY : skipped;
    return { items, complete, skipped, ...(bytes !== 0 && { bytes }), ...(hidden > 0 && { hidden }) };
  }

  async #page(
    list: ListEndpoint,
    { offset, limit }: PageRange,
    records: Pick<ApiRequest, "startRecords" | "members">,
    signal: AbortSignal,
  ): Promise<PageHead> {
    const { endpoint } = list;
    const path = pagePath(list, offset, limit);
    const { response } = await this.#requester.get({ endpoint, path, ...records, retriesTimeout: false }, signal);
    return { total: response.totalCount, hasNext: response.hasNext };
  }

  #pageSize(endpoint: string): PageSize {
    return mapEntry(this.#pageSizes, endpoint, () => new PageSize());
  }
}

/** The parameters may be the cause. */
class FirstPageRefused extends Error {
  readonly refusal: ApiError;

  constructor(refusal: ApiError) {
    super("the server refused the first page of a list", { cause: refusal });
    this.refusal = refusal;
  }
}

function resultOf<Item, List>(
  list: ListEndpoint,
  read: ListEndpoint,
  result: ListResult<Item, List>,
): ListResult<Item, List> {
  const refused = list.optional.filter((parameter) => !read.optional.includes(parameter)).map(({ value }) => value);
  return refused.length === 0 ? result : { ...result, refused };
}
