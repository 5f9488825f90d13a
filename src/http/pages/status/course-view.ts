import type { StatusGroup } from "../../../prtg/status.ts";
import { axisOf } from "./axis.ts";
import { type Column, table } from "./components.ts";
import type { CourseSample, StatusCourse } from "./courses.ts";
import { number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { clock, type LineChart, lineChart, spanStart } from "./line-chart.ts";
import { runsOf } from "./path.ts";

/** There is a sample each minute. Longer gaps break the line. */
const MAX_DISTANCE_MS = 90_000;
const QUARTER_MS = 15 * 60_000;
/** Value marks. The charts are low. */
const INTERVALS = 2;

/** The most urgent first. Sensors that are up need no attention. */
const CHARTS: readonly (readonly [StatusGroup, LineChart["style"], string])[] = [
  ["down", "bad", "Down"],
  ["unknown", "blind", "Unknown"],
  ["warning", "warn", "Warning or unusual"],
  ["acknowledged", "known", "Acknowledged"],
  ["paused", "still", "Paused"],
];
const GROUPS: readonly (readonly [StatusGroup, string])[] = [
  ...CHARTS.map(([group, , text]) => [group, text] as const),
  ["other", "Other"],
  ["up", "Up"],
];
const COLUMNS: readonly Column<readonly CourseSample[]>[] = [
  { title: "From", value: ([first]) => spanStart(first?.at ?? 0, QUARTER_MS) },
  ...GROUPS.map(([group, title]) => ({
    title,
    isNumber: true,
    hasLabel: false,
    value: (samples: readonly CourseSample[]) => number(Math.max(...samples.map(({ counts }) => counts[group]))),
  })),
];

/** Status history. Each status has its own scale, so that many warnings do not hide a few that are down. `undefined` without samples. */
export function courseView(course: StatusCourse, server: string, id: string): Html | undefined {
  const [first] = course;
  const last = course.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  const isAbsent = (group: StatusGroup) => course.every(({ counts }) => counts[group] === 0);
  const drawn = CHARTS.filter(([group]) => group === "down" || !isAbsent(group));
  const absent = CHARTS.filter((chart) => !drawn.includes(chart)).map(([, , text]) => text);
  return html`<h3>Status history</h3>
<div class="drawing history">${drawn.map(([group, style, text], index) => {
    const highest = course.reduce((most, sample) => (sample.counts[group] > most.counts[group] ? sample : most));
    const [now, most] = [last.counts[group], highest.counts[group]];
    const since = course[course.findLastIndex(({ counts }) => counts[group] !== now) + 1] ?? first;
    const peak = most !== now && html`, highest ${number(most)} at ${clock(highest.at)}`;
    const begin = html`since ${clock(since.at)}${since === first && " or earlier"}`;
    return html`<p class="status"><b class="${style}">${text}</b> <b>${number(now)}</b> <span class="quiet">${begin}${peak}</span></p>
${lineChart({
  id: `${id}-${group}`,
  title: `Sensors of ${server} in status ${text}`,
  description: `Now ${number(now)}, highest ${number(most)}. The table below has the numbers.`,
  from: first.at,
  to: last.at,
  axis: axisOf(0, most, "count", INTERVALS),
  unit: "",
  style,
  isArea: true,
  hasTimes: index === drawn.length - 1,
  runs: runsOf(
    course.map(({ at, counts }) => ({ at, low: counts[group], high: counts[group] })),
    MAX_DISTANCE_MS,
  ),
})}`;
  })}
${absent.length > 0 && html`<p class="note">Always 0: ${absent.join(", ")}.</p>`}
<details data-key="course"><summary>Status history as a table</summary>${historyTable(course)}</details></div>`;
}

function historyTable(course: StatusCourse): Html {
  const quarters = [...Map.groupBy(course, ({ at }) => Math.floor(at / QUARTER_MS)).values()];
  return html`<p class="note">Highest number of sensors per 15 minutes (<span data-zone>UTC</span>), since the exporter started.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Status history">${table(COLUMNS, quarters, { className: false })}</div>`;
}
