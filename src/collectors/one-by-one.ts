import type { Clock } from "../lib/clock.ts";
import type { Extras } from "../lib/load/extra-work.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { ApiError, mayBeOfOneObject } from "../prtg/api-error.ts";
import { CycleBudget, type CycleLimits } from "../sync/series-cycle.ts";
import type { CollectorName } from "./collector.ts";

/** Objects read at the same time: a slow answer must not hold up the rest. */
const CONCURRENCY = 2;

/** So many objects of a kind that are not found, and none that is: there is no such endpoint. */
const ENOUGH_NOT_FOUND = 3;
/** So many failures without a success are no longer about single objects. */
const ENOUGH_FAILURES = 3;
/** Objects that are not found are gone while their endpoint answered for others within this time. */
const ANSWERED_WITHIN_MS = 60 * 60_000;

/** An object that was known before its list went. */
export interface KnownObject<Kind extends string> {
  readonly id: string;
  /** Objects of one kind are read from one endpoint. */
  readonly kind: Kind;
}

export interface OneByOneRun<Kind extends string> {
  readonly collector: CollectorName;
  /** All of them; those that were read longest ago are read. */
  readonly known: Iterable<KnownObject<Kind>>;
  /** Until the next run. */
  readonly limits: CycleLimits;
  readonly extras: Extras;
  /** Reads one. `next` is to be awaited before each further request. */
  readonly read: (object: KnownObject<Kind>, next: () => Promise<void>) => Promise<void>;
}

export interface OneByOneReport<Kind extends string> {
  readonly read: number;
  /** Objects that were not found twice while others of their kind were. */
  readonly gone: ReadonlySet<string>;
  /** Kinds of which no object is found any more: the server lacks their endpoint. */
  readonly missing: ReadonlyMap<Kind, ApiError>;
}

/** What came of the objects of one kind in a run. */
interface KindTally {
  found: number;
  readonly notFound: string[];
  error: ApiError | undefined;
}

/**
 * Reads objects one by one where the server has no list of them, the one read longest ago first: as many in each run as the
 * budget allows until the next one, so that a round of all of them may take several runs. A 404 says that an object is gone,
 * or its endpoint, in the same words: what other objects of its kind are answered tells.
 */
export class OneByOne {
  readonly #clock: Clock;
  /** Monotonic. */
  readonly #readAt = new Map<string, number>();
  /** Not found when last asked for. */
  readonly #absent = new Set<string>();
  /** Kind -> monotonic time of the last object that was found. */
  readonly #answeredAt = new Map<string, number>();
  #roundMs: number | undefined;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds in which each object is read once; undefined where lists are read. */
  get roundMs(): number | undefined {
    return this.#roundMs;
  }

  /** Objects that are read so. */
  get count(): number {
    return this.#count;
  }

  /** The next run will have so many objects to read. */
  expect(count: number, { requests, periodMs }: CycleLimits): void {
    this.#count = count;
    this.#roundMs ??= periodMs * Math.max(1, Math.ceil(count / requests));
  }

  /** Lists are read again. */
  over(): void {
    this.#roundMs = undefined;
    this.#count = 0;
    this.#readAt.clear();
    this.#absent.clear();
  }

  /** @throws ApiError where the server fails, or nothing can be read, and the signal's reason */
  async run<Kind extends string>(run: OneByOneRun<Kind>, signal: AbortSignal): Promise<OneByOneReport<Kind>> {
    const known = [...run.known];
    this.expect(known.length, run.limits);
    this.#retain(known);
    const round = new Round(run, this.#oldestFirst(known), this.#clock, (id) => this.#readAt.get(id));
    await round.read(signal, ({ id, kind }) => {
      const now = this.#clock.monotonic();
      this.#readAt.set(id, now);
      this.#absent.delete(id);
      this.#answeredAt.set(kind, now);
    });
    for (const id of round.asked) this.#readAt.set(id, this.#clock.monotonic());
    const { periodMs } = run.limits;
    const inTurn = known.length - round.skipped;
    this.#roundMs = periodMs * Math.max(1, Math.ceil(inTurn / Math.max(1, round.asked.size)));
    return { read: round.found, ...this.#judge(round.tallies) };
  }

  #judge<Kind extends string>(tallies: ReadonlyMap<Kind, KindTally>) {
    const gone = new Set<string>();
    const missing = new Map<Kind, ApiError>();
    for (const [kind, { found, notFound, error }] of tallies) {
      const answered = this.#answeredAt.get(kind) ?? Number.NEGATIVE_INFINITY;
      const isThere = found > 0 || notFound.length < ENOUGH_NOT_FOUND;
      if (!isThere || this.#clock.monotonic() - answered > ANSWERED_WITHIN_MS) {
        if (found === 0 && error !== undefined) missing.set(kind, error);
        continue;
      }
      for (const id of notFound) {
        if (this.#absent.has(id)) gone.add(id);
        else this.#absent.add(id);
      }
    }
    return { gone, missing };
  }

  #oldestFirst<Known extends KnownObject<string>>(known: readonly Known[]): readonly Known[] {
    const readAt = ({ id }: Known) => this.#readAt.get(id) ?? -1;
    return known.toSorted((a, b) => readAt(a) - readAt(b));
  }

  #retain(known: readonly KnownObject<string>[]): void {
    if (this.#readAt.size <= known.length) return;
    const ids = new Set(known.map(({ id }) => id));
    for (const id of this.#readAt.keys()) if (!ids.has(id)) this.#readAt.delete(id);
    for (const id of this.#absent) if (!ids.has(id)) this.#absent.delete(id);
  }
}

/** What one run reads of a round. */
class Round<Kind extends string> {
  readonly tallies = new Map<Kind, KindTally>();
  readonly asked = new Set<string>();
  found = 0;
  /** Objects whose endpoint is missing. */
  skipped = 0;
  readonly #run: OneByOneRun<Kind>;
  readonly #known: readonly KnownObject<Kind>[];
  readonly #clock: Clock;
  readonly #readAt: (id: string) => number | undefined;
  readonly #budget: CycleBudget;
  readonly #beganAt: number;
  #next = 0;
  #failed = 0;
  #failure: unknown;

  constructor(
    run: OneByOneRun<Kind>,
    known: readonly KnownObject<Kind>[],
    clock: Clock,
    readAt: (id: string) => number | undefined,
  ) {
    this.#run = run;
    this.#known = known;
    this.#clock = clock;
    this.#readAt = readAt;
    this.#budget = new CycleBudget(clock, run.limits, known.length);
    this.#beganAt = clock.monotonic();
  }

  async read(signal: AbortSignal, onFound: (object: KnownObject<Kind>) => void): Promise<void> {
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#work(signal, onFound)));
    signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #work(signal: AbortSignal, onFound: (object: KnownObject<Kind>) => void): Promise<void> {
    while (this.#failure === undefined && !signal.aborted && this.#budget.allows(1)) {
      const object = this.#known[this.#next++];
      if (object === undefined) return;
      if (this.#isMissing(object.kind)) {
        this.skipped++;
        continue;
      }
      try {
        if (!(await this.#readInTurn(object, signal))) return;
        this.found++;
        this.#tally(object.kind).found++;
        onFound(object);
      } catch (error) {
        this.#noteFailure(object, error);
      }
    }
  }

  /** False where the process has no time for it until the next run. */
  async #readInTurn(object: KnownObject<Kind>, signal: AbortSignal): Promise<boolean> {
    const { collector, limits, extras, read } = this.#run;
    const next = () => this.#budget.next(signal);
    await next();
    const since = this.#readAt(object.id) ?? this.#beganAt - limits.periodMs;
    const request = { collector, ageMs: this.#clock.monotonic() - since, cost: 1, until: this.#budget.lastStart };
    const leave = await extras.ask(request, signal);
    if (leave === undefined) return false;
    this.asked.add(object.id);
    try {
      await read(object, next);
    } finally {
      leave.end();
    }
    return true;
  }

  #noteFailure({ id, kind }: KnownObject<Kind>, error: unknown): void {
    const tally = this.#tally(kind);
    if (error instanceof ApiError && error.code === "API_NOT_FOUND") {
      tally.notFound.push(id);
      tally.error = error;
      return;
    }
    // Every other failure is the server's and ends the run.
    const isOfObject = error instanceof ApiError && mayBeOfOneObject(error);
    this.#failed++;
    if (!isOfObject || (this.found === 0 && this.#failed >= ENOUGH_FAILURES)) this.#failure ??= error;
  }

  #isMissing(kind: Kind): boolean {
    const { found, notFound } = this.#tally(kind);
    return found === 0 && notFound.length >= ENOUGH_NOT_FOUND;
  }

  #tally(kind: Kind): KindTally {
    return mapEntry(this.tallies, kind, () => ({ found: 0, notFound: [], error: undefined }));
  }
}
