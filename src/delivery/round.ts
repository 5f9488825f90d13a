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
}

/** `outage`: the receiver accepts nothing now. The caller keeps what is not settled. */
export type Ending = "done" | "outage";

/** Retries of a request at once. Receivers that shed load, or one broken instance of several, refuse only some requests. */
const MAX_RETRIES = 5;
/** Fewer refused requests with an item may have met a bad moment of the receiver. */
const MIN_REFUSALS = 3;
/** After so many refused requests in a row, too many items are bad to find each of them: small groups count as one item. */
const MAX_REFUSALS = 60;
const SMALL_GROUP = 1 / 32;

interface Group<Item> {
  readonly items: readonly Item[];
  /** Number of refused requests that contained all of these items. */
  readonly refusals: number;
  /** `Round.#accepted` when exactly these items were last refused. */
  readonly refusedAt?: number;
}

/**
 * Delivers parts in order. A refusal counts as one about the data only if the receiver accepts something else, and then
 * refuses the same items again. Otherwise it is an outage, whatever the code says, and nothing is lost. Has no IO: the
 * caller sends and answers.
 */
export function deliver<Item>(options: RoundOptions<Item>): Generator<Step<Item>, Ending, Verdict> {
  return new Round(options).run();
}

class Round<Item> {
  readonly #options: RoundOptions<Item>;
  #accepted = 0;

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
    const { settle } = this.#options;
    const queue: Group<Item>[] = [{ items: part, refusals: 0 }];
    let inARow = 0;
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      const { items } = group;
      const verdict = yield* this.#ask({ kind: "send", items });
      if (verdict === "failed" || verdict === "held") return "outage";
      if (verdict === "accepted") {
        this.#accepted++;
        inARow = 0;
      }
      if (verdict === "accepted" || verdict === "empty") settle(items, "accepted");
      else if (verdict === "too large" && items.length > 1) queue.unshift(...halves(group));
      else {
        inARow++;
        const isSmall = inARow > MAX_REFUSALS && items.length <= part.length * SMALL_GROUP;
        const isWhole = isSmall || items.length === 1;
        if (isWhole && this.#isProven(group)) settle(items, "refused");
        else {
          const isFirst = group.refusals === 0;
          const refused = this.#refused(group);
          if ((isFirst || isWhole) && !(yield* this.#probe())) return "outage";
          queue.unshift(...(isWhole ? [refused] : this.#divide(refused, isFirst)));
        }
      }
    }
    return "done";
  }

  *#ask(request: Request<Item>): Generator<Step<Item>, Verdict, Verdict> {
    for (let failures = 0; ; failures++) {
      const verdict = yield { ...request, failures };
      if (verdict !== "failed" || failures === MAX_RETRIES) return verdict;
    }
  }

  *#probe(): Generator<Step<Item>, boolean, Verdict> {
    if ((yield* this.#ask({ kind: "probe" })) !== "accepted") return false;
    this.#accepted++;
    return true;
  }

  #refused({ items, refusals }: Group<Item>): Group<Item> {
    return { items, refusals: refusals + 1, refusedAt: this.#accepted };
  }

  /** The receiver accepted something between two refusals of these items, of which this is the second. */
  #isProven({ refusals, refusedAt = this.#accepted }: Group<Item>): boolean {
    return refusals + 1 >= MIN_REFUSALS && this.#accepted > refusedAt;
  }

  #divide({ items, refusals }: Group<Item>, isFirst: boolean): readonly Group<Item>[] {
    const { compare } = this.#options;
    return halves({ items: isFirst && compare !== undefined ? items.toSorted(compare) : items, refusals });
  }
}

function halves<Item>({ items, refusals }: Group<Item>): readonly Group<Item>[] {
  const middle = Math.ceil(items.length / 2);
  return [
    { items: items.slice(0, middle), refusals },
    { items: items.slice(middle), refusals },
  ];
}
