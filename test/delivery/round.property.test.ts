import fc from "fast-check";
import { expect, test } from "vitest";
import { deliver, type Verdict } from "../../src/delivery/round.ts";
import { runs } from "../support/runs.ts";

interface Row {
  readonly series: number;
  readonly at: number;
}

/** Reasons of a model receiver. Each is independent of the others. */
interface Reasons {
  readonly maxRows: number;
  readonly badSeries: number;
  readonly oldestAt: number;
  /** Percentage of requests that fail with 503 or 500. */
  readonly failsOf: number;
  /** Requests, counted from the first one, in which the receiver refuses everything. */
  readonly outage: {
    readonly from: number;
    readonly length: number;
    readonly verdict: "refused" | "too large" | "failed";
  };
}

/** Accepts rows, and refuses whole requests. */
class ModelReceiver {
  readonly accepted: Row[] = [];
  readonly #reasons: Reasons;
  readonly #random: () => number;
  #requests = 0;

  constructor(reasons: Reasons, random: () => number) {
    this.#reasons = reasons;
    this.#random = random;
  }

  isBad({ series, at }: Row): boolean {
    const { badSeries, oldestAt } = this.#reasons;
    return series === badSeries || at < oldestAt;
  }

  post(rows: readonly Row[]): Verdict {
    const { maxRows, failsOf, outage } = this.#reasons;
    const request = this.#requests++;
    if (request >= outage.from && request < outage.from + outage.length) return outage.verdict;
    if (this.#random() * 100 < failsOf) return "failed";
    if (rows.length > maxRows) return "too large";
    if (rows.some((row) => this.isBad(row))) return "refused";
    this.accepted.push(...rows);
    return "accepted";
  }
}

const REASONS = fc.record<Reasons>({
  maxRows: fc.constantFrom(1, 3, 50, 1_000),
  badSeries: fc.constantFrom(-1, -1, 0, 2),
  oldestAt: fc.constantFrom(0, 0, 7, 1_000),
  failsOf: fc.constantFrom(0, 10, 30, 60),
  outage: fc.record({
    from: fc.nat({ max: 40 }),
    length: fc.constantFrom(0, 1, 7, 60),
    verdict: fc.constantFrom("refused", "too large", "failed"),
  }),
});

/** Numbers from 0 to 1: a linear congruential generator. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const key = ({ series, at }: Row): string => `${series}@${at}`;

test("each good row arrives once and in order, and only bad rows are refused", () => {
  fc.assert(
    fc.property(
      REASONS,
      fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer(),
      (reasons, lengths, partSize, seed) => {
        const receiver = new ModelReceiver(reasons, randomFrom(seed));
        let left = lengths.flatMap((length, series) => Array.from({ length }, (_, at): Row => ({ series, at })));
        const all = left;
        const refused: Row[] = [];
        let rounds = 0;
        for (; left.length > 0; rounds++) {
          expect(rounds).toBeLessThan(3_000);
          const settled = new Set<Row>();
          const round = deliver<Row>({
            parts: Array.from({ length: Math.ceil(left.length / partSize) }, (_, part) =>
              left.slice(part * partSize, (part + 1) * partSize),
            ),
            compare: (a, b) => a.at - b.at,
            settle: (rows, verdict) => {
              for (const row of rows) settled.add(row);
              if (verdict === "refused") refused.push(...rows);
            },
          });
          let step = round.next();
          while (!step.done) step = round.next(receiver.post(step.value.kind === "send" ? step.value.items : []));
          left = left.filter((row) => !settled.has(row));
          if (step.value === "done") expect(left).toEqual([]);
        }
        expect(refused.filter((row) => !receiver.isBad(row))).toEqual([]);
        expect(receiver.accepted.filter((row) => receiver.isBad(row))).toEqual([]);
        expect([...receiver.accepted, ...refused].map(key).toSorted()).toEqual(all.map(key).toSorted());
        const newest = new Map<number, number>();
        for (const { series, at } of receiver.accepted) {
          expect(at).toBeGreaterThan(newest.get(series) ?? -1);
          newest.set(series, at);
        }
      },
    ),
    { numRuns: runs(2_000) },
  );
});
