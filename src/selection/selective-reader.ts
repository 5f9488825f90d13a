import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { ApiError, isTimeout } from "../prtg/api-error.ts";
import type { ListResult } from "../prtg/records.ts";
import type { FilterSet } from "./list-filters.ts";

/** Beside the records of its answer, in records. */
const REQUEST_COST = 300;
/** Pages overlap by one. */
const NEW_OBJECTS_PER_PAGE = 2_999;
/** Between proofs of forms, where something could stay hidden. */
const PROOF_EVERY_MS = 60 * 60_000;
/** For a form that the server did not take: it may be updated. */
const HOLD_MS = 24 * 60 * 60_000;
/** For one that failed or timed out, perhaps for another reason. */
const FAILURE_HOLD_MS = 60 * 60_000;

export interface ListRequest<Item> {
  /** In order of preference at equal cost. */
  readonly parts: readonly FilterSet[];
  /** What the answer should show; undefined while unknown: the whole list is read. */
  readonly expected: ReadonlySet<string> | undefined;
  /** Of the expected, so many may be missing. */
  readonly mayLack: number;
  /** An estimate of the answer. */
  readonly records: number;
  /** There may be objects that nothing has shown yet: only the whole list is sure to have them. */
  readonly mayLackUnknown: boolean;
  readonly idsIn: (list: ListResult<Item>) => ReadonlySet<string>;
  /** `filter` undefined: the whole list. */
  readonly read: (filter: string | undefined) => Promise<ListResult<Item>>;
}

/**
 * Reads the selected part of a list in the cheapest way the server takes. Gives up a form that the server refuses, or
 * whose answer lacks what the whole list has. Reads the whole list now and then: later objects prove nothing about the
 * form that asks for them.
 */
export class SelectiveReader<Item> {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #unsupported = new Map<FilterSet["form"], number>();
  readonly #proven = new Set<FilterSet["form"]>();
  /** Records, at the last reading. */
  #total: number | undefined;
  #readWholeAt = Number.NEGATIVE_INFINITY;
  #form: FilterSet["form"] | undefined;

  /** `name`: for the log. `total`: records of the whole list, if known. */
  constructor(name: string, clock: Clock, log: Logger, total?: number) {
    this.#total = total;
    if (total !== undefined) this.#readWholeAt = clock.monotonic();
    this.#name = name;
    this.#clock = clock;
    this.#log = log;
  }

  /** At the last reading; undefined before. */
  get total(): number | undefined {
    return this.#total;
  }

  /** At the last reading; undefined: the whole list. */
  get form(): FilterSet["form"] | undefined {
    return this.#form;
  }

  /** Forms out of use. */
  get unsupported(): readonly FilterSet["form"][] {
    return [...this.#unsupported.keys()];
  }

  /** `assumedTotal`: for a list not read yet. */
  async read(request: ListRequest<Item>, assumedTotal?: number): Promise<ListResult<Item>> {
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

  async #readWhole({ read }: ListRequest<Item>): Promise<ListResult<Item>> {
    const whole = await read(undefined);
    this.#total = whole.items.length;
    this.#readWholeAt = this.#clock.monotonic();
    this.#form = undefined;
    return whole;
  }

  /** Undefined while not due, and where the whole list is out of reach. */
  async #readWholeIfDue(request: ListRequest<Item>): Promise<ListResult<Item> | undefined> {
    if (!request.mayLackUnknown || request.expected === undefined || !this.#isDue) return undefined;
    try {
      const whole = await this.#readWhole(request);
      this.#proven.clear();
      return whole;
    } catch (error) {
      if (!(error instanceof ApiError) || request.parts.length === 0) throw error;
      this.#readWholeAt = this.#clock.monotonic();
      this.#log.info({ list: this.#name, err: error }, "answers cannot be held against the whole list");
      return undefined;
    }
  }

  get #isDue(): boolean {
    return this.#clock.monotonic() >= this.#readWholeAt + PROOF_EVERY_MS;
  }

  /** The server may be another one. */
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

  /** Nothing expected could prove a form. */
  #isNotDueForProof(expected: ReadonlySet<string>): boolean {
    return expected.size === 0 && !this.#isDue;
  }

  /** Undefined where the server refuses it or fails. */
  async #readPart({ form, filters }: FilterSet, { read }: ListRequest<Item>): Promise<ListResult<Item> | undefined> {
    const lists: ListResult<Item>[] = [];
    try {
      for (const filter of filters) lists.push(await read(filter));
    } catch (error) {
      if (!isFilterRefusal(error) && !isFailure(error)) throw error;
      this.#unsupported.set(form, this.#clock.monotonic() + (isFailure(error) ? FAILURE_HOLD_MS : HOLD_MS));
      const { requestId, endpoint } = error;
      const fields = { list: this.#name, form, endpoint, request_id: requestId, err: error };
      this.#log.warn(fields, "the server refuses to select: the list is read in another way");
      return undefined;
    }
    return joined(lists);
  }

  #judge(form: FilterSet["form"], isToBlame: boolean): void {
    if (!isToBlame) return;
    this.#unsupported.set(form, this.#clock.monotonic() + HOLD_MS);
    const fields = { list: this.#name, form };
    this.#log.warn(fields, "the server selects other objects than it was asked for: the list is read in another way");
  }
}

export function isFilterRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "API_BAD_REQUEST";
}

/** Selecting may be too much for a server that can list. */
function isFailure(error: unknown): error is ApiError {
  return error instanceof ApiError && (isTimeout(error) || error.code === "API_SERVER_ERROR");
}

/** The answers of several filters as one list; an object may be in it twice. */
export function joined<Item>(lists: readonly ListResult<Item>[]): ListResult<Item> {
  const [first] = lists;
  if (first !== undefined && lists.length === 1) return first;
  const sum = (of: (list: ListResult<Item>) => number | undefined) =>
    lists.reduce((total, list) => total + (of(list) ?? 0), 0);
  const refused = [...new Set(lists.flatMap((list) => list.refused ?? []))];
  return {
    items: lists.flatMap(({ items }) => items),
    complete: lists.every(({ complete }) => complete),
    skipped: sum(({ skipped }) => skipped),
    bytes: sum(({ bytes }) => bytes),
    hidden: sum(({ hidden }) => hidden),
    ...(refused.length > 0 && { refused }),
  };
}
