import type { SimChannel, SimRow } from "../../world/model.ts";
import { idOf } from "../subject.ts";

/**
 * A time series, JSON. What is null for all of the channels asked for is a gap, whatever it comes from: a pause, a
 * sensor that was never scanned, a device that did not answer. "Start and end of a gap are each such a row" with the
 * timestamp alone: the first and the last row that is missing, as far as the series goes; one row where that is the same.
 * @param positions moments that have or lack a row, ascending
 * @param rows what there is, with values for all channels of the sensor
 */
export function renderTimeSeries(
  channels: readonly SimChannel[],
  positions: Iterable<number>,
  rows: readonly SimRow[],
): string {
  const columns = channels.map((channel) => channel.sensor.channels.indexOf(channel));
  const lines = [JSON.stringify(["time", ...channels.map(idOf)])];
  let gap: { readonly start: number; end: number } | undefined;
  const endGap = (): void => {
    if (gap === undefined) return;
    lines.push(`[${timestamp(gap.start)}]`);
    if (gap.end !== gap.start) lines.push(`[${timestamp(gap.end)}]`);
    gap = undefined;
  };
  let next = 0;
  for (const at of positions) {
    const row = rows[next];
    const found = row?.at === at ? row.displayValues : undefined;
    if (found !== undefined) next++;
    if (found === undefined || columns.every((column) => found[column] === null)) {
      gap ??= { start: at, end: at };
      gap.end = at;
      continue;
    }
    endGap();
    let line = `[${timestamp(at)}`;
    for (const column of columns) line += `,${found[column]}`;
    lines.push(`${line}]`);
  }
  endGap();
  return `[${lines.join(",")}]`;
}

/** "RFC 3339, `YYYY-MM-DDThh:mm:ssZ`", in both spellings. */
function timestamp(at: number): string {
  return `"${new Date(at).toISOString().slice(0, 19)}Z"`;
}
