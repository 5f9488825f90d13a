/** What one request showed. */
export type Verdict =
  | "accepted"
  /** The receiver rejected the request, which may be about the data. */
  | "refused"
  /** The receiver rejected the request for its size. */
  | "too large"
  /** This is not about the data: the receiver is away, too busy, or refuses the exporter. Another instance may answer. */
  | "failed"
  /** The same, and an immediate retry is of no use. */
  | "held"
  /** The items have nothing to send. */
  | "empty";

/** What to do next. The answer is a `Verdict`. */
export type Step<Item> = Request<Item> & {
  /** Number of earlier failures of this request. */
  readonly failures: number;
};

type Request<Item> =
  | { readonly kind: "send"; readonly items: readonly Item[] }
  /** Sends something new that any working receiver accepts. */
  | { readonly kind: "probe" };

export interface RoundOptions<Item> {
  /** In order. Each is at most one request. Read one by one. */
  readonly parts: Iterable<readonly Item[]>;
  /** Takes items that the receiver accepted or rejected permanently, in their order. */
  readonly settle: (items: readonly Item[], verdict: "accepted" | "refused") => void;
  /** The order in which the items of a refused part are sent again. Default: unchanged. */
  readonly compare?: ((a: Item, b: Item) => number) | undefined;
  /** False: only the items themselves can show whether the receiver accepts anything. */
  readonly hasProbe: boolean;
}

/** `outage`: the receiver accepts nothing now. The caller keeps what is not settled. */
export type Ending = "done" | "outage";

/** Retries of a request at once. Receivers that shed load, or one broken instance of several, refuse only some requests. */
const MAX_RETRIES = 5;
/** Fewer refused requests with an item may have met a bad moment of the receiver. */
const MIN_REFUSALS = 3;
/** After so many refused requests of a part, too many items are bad to find each of them: small groups count as one item. */
const MAX_REFUSALS = 100;
const SMALL_GROUP = 1 / 64;

interface Group<Item> {
  readonly items: readonly Item[];
  /** Number of refused requests that contained all of these items. */
  readonly refusals: number;
  /** `Round.#accepted` when a single item was refused alone for the first time. */
  readonly aloneAt?: number;
}

/**
 * Delivers parts in order. A refusal counts as one about the data only if the receiver accepts something else after it.
 * Otherwise it is an outage, whatever the code says, and nothing is lost. Has no IO: the caller sends and answers.
 */
export function deliver<Item>(options: RoundOptions<Item>): Generator<Step<Item>, Ending, Verdict> {
  return new Round(options).run();
}

class Round<Item> {
  readonly #options: RoundOptions<Item>;
  #accepted = 0;
  /** Refused items that nothing accepted has followed yet. */
  #suspects: Item[] = [];

  constructor(options: RoundOptions<Item>) {
    this.#options = options;
  }

  *run(): Generator<Step<Item>, Ending, Verdict> {
    for (const part of this.#options.parts) {
      if ((yield* this.#deliver(part)) === "outage") return "outage";
    }
    return "done";
  }

  *#deliver(part: readonly Item[]): Generator<Step<Item>, Ending, Verdict> {
    const { settle, hasProbe } = this.#options;
    const queue: Group<Item>[] = [{ items: part, refusals: 0 }];
    let refusals = 0;
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      const { items } = group;
      const verdict = yield* this.#ask({ kind: "send", items });
      if (verdict === "failed" || verdict === "held") return "outage";
      if (verdict === "accepted") this.#proveSuspicion();
      if (verdict === "empty" && this.#suspects.length > 0) this.#suspects.push(...items);
      else if (verdict === "accepted" || verdict === "empty") settle(items, "accepted");
      else if (verdict === "too large" && items.length > 1) queue.unshift(...halves(group));
      else {
        const refused = this.#refused(group);
        refusals++;
        if (hasProbe && refusals === 1 && !(yield* this.#probe())) return "outage";
        if (!hasProbe && refusals === MIN_REFUSALS && this.#accepted === 0) return "outage";
        const isSmall = refusals > MAX_REFUSALS && items.length <= part.length * SMALL_GROUP;
        if (isSmall || (items.length === 1 && refused.refusals >= MIN_REFUSALS)) this.#conclude(refused);
        // Without a probe, the others show first whether the receiver accepts anything.
        else if (items.length === 1 && !hasProbe) queue.push(refused);
        else queue.unshift(...this.#divide(refused, refusals === 1));
      }
    }
    return this.#suspects.length === 0 || (hasProbe && (yield* this.#probe())) ? "done" : "outage";
  }

  *#ask(request: Request<Item>): Generator<Step<Item>, Verdict, Verdict> {
    for (let failures = 0; ; failures++) {
      const verdict = yield { ...request, failures };
      if (verdict !== "failed" || failures === MAX_RETRIES) return verdict;
    }
  }

  *#probe(): Generator<Step<Item>, boolean, Verdict> {
    if ((yield* this.#ask({ kind: "probe" })) !== "accepted") return false;
    this.#proveSuspicion();
    return true;
  }

  #proveSuspicion(): void {
    this.#accepted++;
    if (this.#suspects.length > 0) this.#options.settle(this.#suspects, "refused");
    this.#suspects = [];
  }

  #refused({ items, refusals, aloneAt = this.#accepted }: Group<Item>): Group<Item> {
    return { items, refusals: refusals + 1, ...(items.length === 1 && { aloneAt }) };
  }

  #conclude({ items, aloneAt = this.#accepted }: Group<Item>): void {
    if (this.#accepted > aloneAt) this.#options.settle(items, "refused");
    else this.#suspects.push(...items);
  }

  #divide(group: Group<Item>, isFirst: boolean): readonly Group<Item>[] {
    const { hasProbe, compare } = this.#options;
    const { items, refusals } = group;
    if (items.length === 1) return [group];
    if (!isFirst) return halves(group);
    if (hasProbe) return halves({ items: compare === undefined ? items : items.toSorted(compare), refusals });
    // Two single items show soon whether the receiver accepts anything.
    const pieces = [items.slice(0, 1), items.slice(-1), items.slice(1, -1)];
    return pieces.filter(({ length }) => length > 0).map((piece) => ({ items: piece, refusals }));
  }
}

function halves<Item>({ items, refusals }: Group<Item>): readonly Group<Item>[] {
  const middle = Math.ceil(items.length / 2);
  return [
    { items: items.slice(0, middle), refusals },
    { items: items.slice(middle), refusals },
  ];
}
