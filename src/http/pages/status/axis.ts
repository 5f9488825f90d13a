/** `ratio` and `count` start at 0. A count has no fractions. */
export type Quantity = "ratio" | "count" | "other";

export interface Axis {
  readonly low: number;
  readonly high: number;
  /** Round values at equal distances, from `low` to `high`. */
  readonly ticks: readonly number[];
}

/** `%` is a ratio, `#` is PRTG's unit of counts. */
export function quantityOf(unit: string): Quantity {
  if (unit.startsWith("%")) return "ratio";
  return /^(#|counts?)$/i.test(unit) ? "count" : "other";
}

/** Share of the largest value, so that small changes look small. */
const MIN_SPAN = 0.02;
/** Keeps arithmetic finite. */
const LARGEST = 1e300;
const SMALLEST = 1e-300;
const HALF = 50;
const WHOLE = 100;

/** An axis with `low` and `high` inside, in about `intervals` intervals. */
export function axisOf(low: number, high: number, quantity: Quantity, intervals = 4): Axis {
  let [from, to] = withZero(finite(low), finite(high), quantity);
  if (from === 0 && to === 0) to = quantity === "ratio" ? WHOLE : 1;
  if (quantity === "ratio" && to > HALF && to < WHOLE) to = WHOLE;
  const missing = MIN_SPAN * Math.max(Math.abs(from), Math.abs(to)) - (to - from);
  if (missing > 0) [from, to] = [from - missing / 2, to + missing / 2];
  const step = roundStep((to - from) / intervals, quantity);
  const [first, last] = [Math.floor(from / step), Math.ceil(to / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { low: ticks[0] ?? from, high: ticks.at(-1) ?? to, ticks };
}

/** Values far from 0 keep their distance, unless they are shares, counts or all the same. */
function withZero(low: number, high: number, quantity: Quantity): [low: number, high: number] {
  const isFlat = low === high;
  const isFar = quantity === "other" && !isFlat && Math.min(Math.abs(low), Math.abs(high)) > Math.max(-low, high) / 2;
  return isFar ? [low, high] : [Math.min(0, low), Math.max(0, high)];
}

function finite(value: number): number {
  return Math.abs(value) < SMALLEST ? 0 : Math.max(-LARGEST, Math.min(LARGEST, value));
}

/** 1, 2, 2.5 or 5 times a power of ten. */
function roundStep(least: number, quantity: Quantity): number {
  if (quantity === "count" && least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const factors = quantity === "count" ? [1, 2, 5] : [1, 2, 2.5, 5];
  return power * (factors.find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10);
}

const MINUTE_MS = 60_000;
const STEPS_MS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * MINUTE_MS);
const MAX_TIMES = 6;

/** At most six round times, milliseconds since the epoch. */
export function timeMarks(from: number, to: number): number[] {
  const longest = STEPS_MS.at(-1) ?? MINUTE_MS;
  const step = STEPS_MS.find((each) => marksAt(from, to, each).length <= MAX_TIMES) ?? longest;
  return marksAt(from, to, step);
}

function marksAt(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  // Not more than needed to see that there are too many.
  return Array.from({ length: Math.min(count, MAX_TIMES + 1) }, (_, index) => (first + index) * step);
}
