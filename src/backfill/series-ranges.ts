import { SERIES_STEP_MS, SERIES_WINDOW_MS, type SeriesType } from "../prtg/series-types.ts";

/** Milliseconds since the epoch. Excludes `to`. */
export interface SeriesRange {
  readonly type: SeriesType;
  readonly from: number;
  readonly to: number;
}

export interface RangeRequest {
  readonly from: number;
  readonly to: number;
  /** The server's clock, where windows end. */
  readonly now: number;
}

/** Windows move while other sensors are read. */
const MARGIN_MS = 60 * 60_000;
const MARGIN_SHARE = 1 / 24;

/**
 * The series to read, oldest first: the finest whose window covers the time. Ranges and rows do not overlap. Leaves out
 * times outside of all windows, and unfinished averages.
 * @param types The finest first.
 */
export function planSeriesRanges(
  { from, to, now }: RangeRequest,
  types: readonly SeriesType[],
): readonly SeriesRange[] {
  const ranges: SeriesRange[] = [];
  let end = to;
  for (const [index, type] of types.entries()) {
    if (from >= end) break;
    const coarser = types[index + 1];
    let begin = Math.max(from, now - SERIES_WINDOW_MS[type]);
    // Less than one row of the coarser series is not worth a request.
    const coarserAdds = coarser !== undefined && begin - from >= SERIES_STEP_MS[coarser];
    if (coarserAdds) begin = ceilTo(begin + marginOf(type), SERIES_STEP_MS[coarser]);
    if (begin >= end) continue;
    const finished = now - SERIES_STEP_MS[type] + 1;
    if (begin < finished) ranges.unshift({ type, from: begin, to: Math.min(end, finished) });
    end = coarserAdds ? begin : from;
  }
  return ranges;
}

/** Plans again what windows left behind. */
export function renewSeriesRanges(
  planned: readonly SeriesRange[],
  now: number,
  types: readonly SeriesType[],
): readonly SeriesRange[] {
  return planned.flatMap(({ type, from, to }) => planSeriesRanges({ from, to, now }, types.slice(types.indexOf(type))));
}

function marginOf(type: SeriesType): number {
  return Math.min(MARGIN_MS, SERIES_WINDOW_MS[type] * MARGIN_SHARE);
}

function ceilTo(at: number, step: number): number {
  return Math.ceil(at / step) * step;
}
