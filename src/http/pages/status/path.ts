/** One point may cover several values. */
export interface PathPoint {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

/** Whole units of the drawing. */
export interface Scale {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

type Corner = readonly [x: number, y: number];

/**
 * SVG path of one run, with relative distances, which are shorter. `steps`: each point is valid until the next. `area`:
 * the same, closed at `bottom`. A single point becomes a dot, because lines have round ends.
 */
export function pathOf(
  points: readonly PathPoint[],
  { x, y }: Scale,
  form: "line" | "steps" | "area",
  bottom: number,
): string {
  const corners: Corner[] = [];
  for (const { at, low, high } of points) {
    const before = corners.at(-1);
    if (form !== "line" && before !== undefined) corners.push([x(at), before[1]]);
    const range: Corner[] = [...new Set([y(low), y(high)])].map((height) => [x(at), height]);
    // The near end first, which draws less.
    const isUpsideDown = before !== undefined && Math.abs(before[1] - y(high)) < Math.abs(before[1] - y(low));
    corners.push(...(isUpsideDown ? range.toReversed() : range));
  }
  const [first, ...others] = withoutMiddles(corners);
  if (first === undefined) return "";
  let [left, top] = first;
  const distances = others.map(([right, below]) => {
    const distance = `${right - left},${below - top}`;
    [left, top] = [right, below];
    return distance;
  });
  const line = `M${first.join(",")}${distances.length === 0 ? "h0.01" : `l${distances.join(" ")}`}`;
  return form === "area" ? `${line}V${bottom}H${first[0]}Z` : line;
}

/** Drops points within a level line. */
function withoutMiddles(corners: readonly Corner[]): Corner[] {
  return corners.filter(([, y], index) => {
    const [before, after] = [corners[index - 1], corners[index + 1]];
    return before === undefined || after === undefined || before[1] !== y || after[1] !== y;
  });
}

/** Breaks a line at a gap of more than `longest` milliseconds. Default: more than twice the usual distance. */
export function runsOf<Point extends PathPoint>(
  points: readonly Point[],
  longest = usualDistance(points) * 2.5,
): Point[][] {
  const runs: Point[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (point.at - before > longest) runs.push([]);
    runs.at(-1)?.push(point);
    before = point.at;
  }
  return runs;
}

function usualDistance(points: readonly PathPoint[]): number {
  const distances = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at));
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
}

/** Merges the points of each span of `ms` milliseconds after `from`. */
export function coarser(points: readonly PathPoint[], from: number, ms: number): PathPoint[] {
  const groups = Map.groupBy(points, ({ at }) => Math.floor((at - from) / ms));
  return [...groups.values()].map((group) => ({
    at: group[0]?.at ?? from,
    low: Math.min(...group.map(({ low }) => low)),
    high: Math.max(...group.map(({ high }) => high)),
  }));
}

/**
 * Points for the script, one token each: `seconds,lowest,highest`. The seconds count from the previous point, or from `from`.
 * The highest value is missing if it equals the lowest. Both are missing if they equal those of the previous point.
 */
export function pointsText(points: readonly PathPoint[], from: number): string {
  let [time, values] = [0, ""];
  const tokens = points.map(({ at, low, high }) => {
    const seconds = Math.round((at - from) / 1_000);
    const range = [...new Set([low, high])].map(rounded).join(",");
    const token = range === values ? `${seconds - time}` : `${seconds - time},${range}`;
    [time, values] = [seconds, range];
    return token;
  });
  return tokens.join(" ");
}

/** Value with as many digits as pages show. */
function rounded(value: number): number {
  const size = Math.abs(value);
  if (size < 1) return Number(value.toPrecision(4));
  return Number(value.toFixed(size < 1_000 ? 3 : 1));
}
