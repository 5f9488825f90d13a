import { SERIES_STEP_MS, SERIES_WINDOW_MS, type SeriesType } from "../prtg/series-types.ts";

/** A part of the time and the series that is read for it. Milliseconds since the epoch; `to` is not included. */
export interface SeriesRange {
  readonly type: SeriesType;
  readonly from: number;
  readonly to: number;
}

export interface RangeRequest {
  readonly from: number;
  readonly to: number;
  /** The server's clock: the windows of its series end there. */
  readonly now: number;
}

/** What a window may lose at its far end while the sensors before are read. */
const MARGIN_MS = 60 * 60_000;
const MARGIN_SHARE = 1 / 24;

/**
 * Which series to read for which part of the time, oldest first: the finest whose window still covers it. Parts do not
 * overlap, nor do the times that their rows stand for: a finer series takes over where a row of the coarser one ends.
 * What no window reaches is left out, and averages that are not finished yet.
 * @param types Series that may be read, the finest first.
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
    // Below one row of the coarser series there is nothing to win from it.
    const coarserAdds = coarser !== undefined && begin - from >= SERIES_STEP_MS[coarser];
    if (coarserAdds) begin = ceilTo(begin + marginOf(type), SERIES_STEP_MS[coarser]);
    if (begin >= end) continue;
    const finished = now - SERIES_STEP_MS[type] + 1;
    if (begin < finished) ranges.unshift({ type, from: begin, to: Math.min(end, finished) });
    end = coarserAdds ? begin : from;
  }
  return ranges;
}

/** Plans anew what the windows have left behind since. */
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
