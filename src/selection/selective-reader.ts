import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { ApiError, isTimeout } from "../prtg/api-error.ts";
import type { Items, ListResult } from "../prtg/records.ts";
import type { FilterSet } from "./list-filters.ts";

/** Cost of a request, in records. */
const REQUEST_COST = 300;
/** Pages overlap by one. */
const NEW_OBJECTS_PER_PAGE = 2_999;
/** Time between reads of the whole list, which find hidden objects. */
const PROOF_EVERY_MS = 60 * 60_000;
/** Pause of a refused form. The server may be updated. */
const HOLD_MS = 24 * 60 * 60_000;
/** Pause of a form that failed or timed out. */
const FAILURE_HOLD_MS = 60 * 60_000;

export interface ListRequest<Item> {
  /** Preferred first at equal cost. */
  readonly parts: readonly FilterSet[];
  /** Expected ids. `undefined`: unknown, read the whole list. */
  readonly expected: ReadonlySet<string> | undefined;
  /** Expected objects that may be missing. */
  readonly mayLack: number;
  /** Estimated size of the answer. */
  readonly records: number;
  /** Only the whole list shows unknown objects. */
  readonly mayLackUnknown: boolean;
  readonly idsIn: (list: ListResult<Item, Items<Item>>) => ReadonlySet<string>;
  /** `undefined`: the whole list. */
  readonly read: (filter: string | undefined) => Promise<ListResult<Item, Items<Item>>>;
}

/**
 * Reads the selected part of a list in the cheapest way. Gives up a form that the server refuses, or that lacks objects
 * of the whole list. Reads the whole list from time to time, because new objects prove nothing about a form.
 */
export class SelectiveReader<Item> {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #unsupported = new Map<FilterSet["form"], number>();
  readonly #proven = new Set<FilterSet["form"]>();
  /** Records of the whole list. */
  #total: number | undefined;
  #readWholeAt = Number.NEGATIVE_INFINITY;
  #form: FilterSet["form"] | undefined;

  /**
   * @param name For the log.
   * @param total Size of the whole list, if known.
   */
  constructor(name: string, clock: Clock, log: Logger, total?: number) {
    this.#total = total;
    if (total !== undefined) this.#readWholeAt = clock.monotonic();
    this.#name = name;
    this.#clock = clock;
    this.#log = log;
  }

  get total(): number | undefined {
    return this.#total;
  }

  /** Form of the last read. `undefined`: the whole list. */
  get form(): FilterSet["form"] | undefined {
    return this.#form;
  }

  /** Forms that are not in use. */
  get unsupported(): readonly FilterSet["form"][] {
    return [...this.#unsupported.keys()];
  }

  /** @param assumedTotal Size of a list that was not read yet. */
  async read(request: ListRequest<Item>, assumedTotal?: number): Promise<ListResult<Item, Items<Item>>> {
    const { expected = new Set<string>(), mayLack, idsIn } = request;
    const due = await this.#readWholeIfDue(request);
    if (due !== undefined) return due;
    const unproven: { readonly form: FilterSet["form"]; readonly lacks: ReadonlySet<string> }[] = [];
    for (const part of this.#worthAsking(request, this.#total ?? assumedTotal)) {
      const list = await this.#readPart(part, request);
      if (list === undefined) continue;
      const lacks = expected.difference(idsIn(list));
      if (expected.size > 0 && lacks.size <= mayLack && list.complete) this.#proven.add(part.form);
      if (this.#proven.has(part.form) || !list.complete || this.#isNotDueForProof(expected)) {
        this.#form = part.form;
        return list;
      }
      unproven.push({ form: part.form, lacks });
    }
    const whole = await this.#readWhole(request);
    if (unproven.length > 0) {
      const found = idsIn(whole);
      for (const { form, lacks } of unproven) this.#judge(form, lacks.intersection(found).size > mayLack);
    }
    return whole;
  }

  async #readWhole({ read }: ListRequest<Item>): Promise<ListResult<Item, Items<Item>>> {
    const whole = await read(undefined);
    this.#total = whole.items.length;
    this.#readWholeAt = this.#clock.monotonic();
    this.#form = undefined;
    return whole;
  }

  /** `undefined` if not due, or if the whole list is unreadable. */
  async #readWholeIfDue(request: ListRequest<Item>): Promise<ListResult<Item, Items<Item>> | undefined> {
    if (!request.mayLackUnknown || request.expected === undefined || !this.#isDue) return undefined;
    try {
      const whole = await this.#readWhole(request);
      this.#proven.clear();
      return whole;
    } catch (error) {
      if (!(error instanceof ApiError) || request.parts.length === 0) throw error;
      this.#readWholeAt = this.#clock.monotonic();
      this.#log.info({ list: this.#name, err: error }, "cannot compare filtered lists with the whole list");
      return undefined;
    }
  }

  get #isDue(): boolean {
    return this.#clock.monotonic() >= this.#readWholeAt + PROOF_EVERY_MS;
  }

  /** The server may have changed. */
  forget(): void {
    this.#unsupported.clear();
    this.#proven.clear();
  }

  #worthAsking({ parts, expected, records }: ListRequest<Item>, total: number | undefined): readonly FilterSet[] {
    if (expected === undefined || total === undefined) return [];
    const now = this.#clock.monotonic();
    const cost = (requests: number, count: number) =>
      (requests + Math.floor(count / NEW_OBJECTS_PER_PAGE)) * REQUEST_COST + count;
    return parts
      .filter(({ form }) => now >= (this.#unsupported.get(form) ?? Number.NEGATIVE_INFINITY))
      .map((part) => ({ part, cost: cost(part.filters.length, records) }))
      .filter((each) => each.cost < cost(1, total))
      .toSorted((a, b) => a.cost - b.cost)
      .map(({ part }) => part);
  }

  /** Without expected objects a form cannot be proven. */
  #isNotDueForProof(expected: ReadonlySet<string>): boolean {
    return expected.size === 0 && !this.#isDue;
  }

  /** `undefined` if the server refuses it or fails. */
  async #readPart(
    { form, filters }: FilterSet,
    { read }: ListRequest<Item>,
  ): Promise<ListResult<Item, Items<Item>> | undefined> {
    const lists: ListResult<Item, Items<Item>>[] = [];
    try {
      for (const filter of filters) lists.push(await read(filter));
    } catch (error) {
      if (!isFilterRefusal(error) && !isFailure(error)) throw error;
      this.#unsupported.set(form, this.#clock.monotonic() + (isFailure(error) ? FAILURE_HOLD_MS : HOLD_MS));
      const { requestId, endpoint } = error;
      const fields = { list: this.#name, form, endpoint, request_id: requestId, err: error };
      this.#log.warn(fields, "the server refuses the filter: reading the list in another way");
      return undefined;
    }
    return joined(lists);
  }

  #judge(form: FilterSet["form"], isToBlame: boolean): void {
    if (!isToBlame) return;
    this.#unsupported.set(form, this.#clock.monotonic() + HOLD_MS);
    const fields = { list: this.#name, form };
    this.#log.warn(fields, "the server returns other objects than the filter selects: reading the list in another way");
  }
}

export function isFilterRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "API_BAD_REQUEST";
}

/** A server may be able to list, but not to filter. */
function isFailure(error: unknown): error is ApiError {
  return error instanceof ApiError && (isTimeout(error) || error.code === "API_SERVER_ERROR");
}

/** Joins the answers of several filters. May have duplicates. */
export function joined<Item>(lists: readonly ListResult<Item, Items<Item>>[]): ListResult<Item, Items<Item>> {
  const [first] = lists;
  if (first !== undefined && lists.length === 1) return first;
  const sum = (of: (list: ListResult<Item, Items<Item>>) => number | undefined) =>
    lists.reduce((total, list) => total + (of(list) ?? 0), 0);
  const refused = [...new Set(lists.flatMap((list) => list.refused ?? []))];
  return {
    items: lists.flatMap(({ items }) => [...items]),
    complete: lists.every(({ complete }) => complete),
    skipped: sum(({ skipped }) => skipped),
    bytes: sum(({ bytes }) => bytes),
    hidden: sum(({ hidden }) => hidden),
    ...(refused.length > 0 && { refused }),
  };
}
