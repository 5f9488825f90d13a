import { type ListMove, type PageRequest, UNMOVED } from "../api/paging.ts";
import type { Random } from "../random.ts";
import type { FaultAction } from "./actions.ts";
import { type Fault, parseFault, type QueryMatch } from "./grammar.ts";
import { checkReach, type FaultOperation } from "./reach.ts";

/** What a fault may look at to see whether it applies. */
export interface FaultTarget {
  readonly method: string;
  /** Path below `/api/v2`. */
  readonly path: string;
  /** What a list is asked for, defaults filled in; undefined for what is no list, and where it cannot be read. */
  readonly page: PageRequest | undefined;
  /** As asked. */
  readonly query: URLSearchParams;
}

type Kind = FaultAction["kind"];
export type ActionOf<K extends Kind> = Extract<FaultAction, { kind: K }>;

/** The faults that apply to one request, at most one of each kind; the first one written wins. */
export interface FaultEffects {
  get<K extends Kind>(kind: K): ActionOf<K> | undefined;
  /** How the list has moved. */
  readonly moved: ListMove;
  /** As written. */
  readonly texts: readonly string[];
}

const MOVES: Readonly<Record<ActionOf<"moving-list">["change"], ListMove>> = {
  delete: { shift: 1, total: -1, wrapped: 0, isEndless: false },
  insert: { shift: -1, total: 1, wrapped: 0, isEndless: false },
  reorder: { shift: 1, total: 0, wrapped: 1, isEndless: false },
};

interface ActiveFault {
  readonly fault: Fault;
  left: number;
  /** Number of matching requests that still pass. */
  passing: number;
  applied: number;
}

/** A fault in force and its progress. */
export interface FaultState {
  readonly fault: string;
  /** Number of requests that it still applies to. `null`: no end. */
  readonly left: number | null;
  /** Number of matching requests before it begins. */
  readonly passing: number;
  /** Number of requests that it has applied to. */
  readonly applied: number;
}

/** The faults in force; they can be changed while the simulator runs. */
export class Faults {
  readonly #random: Random;
  readonly #operations: readonly FaultOperation[] | undefined;
  #active: readonly ActiveFault[] = [];
  /** Lists that have moved since their offset 0 was last asked for, by path. */
  readonly #moves = new Map<string, ListMove>();

  /** @param operations A fault must match one of them. `undefined`: no such check. @throws FaultSyntaxError */
  constructor(random: Random, texts: readonly string[] = [], operations?: readonly FaultOperation[]) {
    this.#random = random;
    this.#operations = operations;
    this.set(texts);
  }

  /** Replaces all others. @throws FaultSyntaxError and changes nothing */
  set(texts: readonly string[]): void {
    this.#active = texts.map((text) => this.#activate(text));
    this.#moves.clear();
  }

  /**
   * @param body Body of the fault `answer`, as it is sent
   * @throws FaultSyntaxError
   */
  add(text: string, body?: string): void {
    this.#active = [...this.#active, this.#activate(text, body)];
  }

  /** @throws FaultSyntaxError for a fault that cannot be added */
  check(text: string): void {
    this.#activate(text);
  }

  #activate(text: string, body?: string): ActiveFault {
    const fault = parseFault(text, body);
    if (this.#operations !== undefined) checkReach(fault, this.#operations);
    return { fault, left: fault.times ?? Number.POSITIVE_INFINITY, passing: fault.after, applied: 0 };
  }

  /** Takes out the first fault that is written so; false when none is. */
  remove(text: string): boolean {
    const index = this.#active.findIndex(({ fault, left }) => fault.text === text && left > 0);
    if (index < 0) return false;
    this.#active = this.#active.toSpliced(index, 1);
    return true;
  }

  clear(): void {
    this.set([]);
  }

  /** The faults in force that are not over yet, as written. */
  list(): readonly string[] {
    return this.#active.filter(({ left }) => left > 0).map(({ fault }) => fault.text);
  }

  /** As `list`, with their progress. */
  states(): readonly FaultState[] {
    return this.#active
      .filter(({ left }) => left > 0)
      .map(({ fault, left, passing, applied }) => {
        return { fault: fault.text, left: Number.isFinite(left) ? left : null, passing, applied };
      });
  }

  /** The faults that apply to this request; each of them counts it. */
  apply(target: FaultTarget): FaultEffects {
    const actions = new Map<Kind, FaultAction>();
    const texts: string[] = [];
    for (const entry of this.#active) {
      const { fault } = entry;
      if (entry.left <= 0 || !applies(fault, target)) continue;
      if (entry.passing > 0) {
        entry.passing--;
        continue;
      }
      if (actions.has(fault.action.kind)) continue;
      if (fault.probability < 1 && this.#random() >= fault.probability) continue;
      entry.left--;
      entry.applied++;
      actions.set(fault.action.kind, fault.action);
      texts.push(fault.text);
    }
    return {
      texts,
      get: <K extends Kind>(kind: K) => actions.get(kind) as ActionOf<K> | undefined,
      moved: {
        ...this.#move(target, actions.get("moving-list") as ActionOf<"moving-list"> | undefined),
        isEndless: actions.has("endless-list"),
      },
    };
  }

  /** Pages of one reading see one list: what moved before the second page has still moved before the third. */
  #move({ path, page }: FaultTarget, action: ActionOf<"moving-list"> | undefined): ListMove {
    if (page?.offset === 0) this.#moves.delete(path);
    const before = this.#moves.get(path) ?? UNMOVED;
    if (action === undefined) return before;
    const change = MOVES[action.change];
    const move = {
      shift: before.shift + change.shift,
      total: before.total + change.total,
      wrapped: before.wrapped + change.wrapped,
      isEndless: false,
    };
    this.#moves.set(path, move);
    return move;
  }

  /** Uniform between two bounds; for latencies. */
  between(low: number, high: number): number {
    return low + (high - low) * this.#random();
  }
}

function applies({ action, method, path, query }: Fault, target: FaultTarget): boolean {
  if (method !== undefined && method !== target.method) return false;
  if (path !== undefined && !path.test(target.path)) return false;
  if (!query.every((wanted) => hasValue(target.query, wanted))) return false;
  const { page } = target;
  if (action.kind === "moving-list") return page !== undefined && page.offset > 0;
  if (action.kind === "execution-timeout") return page !== undefined && page.limit > action.above;
  if (action.kind === "refuses") return hasParameter(target.query, action.parameter, action.value);
  return true;
}

/** Any of repeated values counts. So does a part between commas. */
function hasValue(query: URLSearchParams, { name, value }: QueryMatch): boolean {
  const given = query.getAll(name);
  if (value === undefined) return given.length > 0;
  return given.some((text) => value.test(text) || text.split(",").some((part) => value.test(part)));
}

/** Undefined: any value; of `limit` one that is greater, of others one among those that commas divide. */
function hasParameter(query: URLSearchParams, parameter: string, value: string | undefined): boolean {
  const given = query.getAll(parameter);
  if (given.length === 0 || value === undefined) return given.length > 0;
  if (parameter === "limit") return Number(given[0]) > Number(value);
  return given.some((text) => text.split(",").includes(value));
}
