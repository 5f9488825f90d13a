import type { ChartPart, SensorChart, StatusCourse } from "../../../../src/http/pages/status/courses.ts";
import type { NodeReport } from "../../../../src/http/pages/status/report.ts";
import { NOW } from "./reports.ts";

const MINUTE = 60_000;
const UNTIL = Date.parse(NOW);
const FROM = UNTIL - 240 * MINUTE;

/** `down[n]`: of ten sensors, in minute n. Undefined: no sample. */
export function courseOf(down: readonly (number | undefined)[]): StatusCourse {
  return down.flatMap((count, minute) =>
    count === undefined
      ? []
      : {
          at: FROM + minute * MINUTE,
          counts: { down: count, unknown: 0, acknowledged: 0, warning: 1, paused: 2, other: 0, up: 10 - count },
        },
  );
}

/** One value per minute. */
export function partsOf(values: readonly (number | undefined)[]): ChartPart[] {
  return values.flatMap((value, minute) =>
    value === undefined ? [] : { at: FROM + minute * MINUTE, low: value, high: value },
  );
}

export function chartOf({ sensor }: NodeReport, parts: readonly ChartPart[]): SensorChart {
  const ids = (sensor?.channels ?? []).map(({ channel_id }) => channel_id);
  return { from: FROM, to: UNTIL, channels: new Map(ids.map((id) => [id, parts])) };
}
