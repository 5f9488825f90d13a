import type { CourseGroup, CourseSample, StatusCourse } from "./courses.ts";
import { number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { type LineStyle, lineChart, quarterHead, quarters } from "./line-chart.ts";

/** There is a sample each minute. Longer gaps break the line. */
const MAX_DISTANCE_MS = 90_000;

/** Sensors that are up would leave no room for the others. */
const LINES: readonly (readonly [CourseGroup, LineStyle, string])[] = [
  ["down", "down", "Down"],
  ["warning", "warning", "Warning or unusual"],
  ["acknowledged", "acknowledged", "Acknowledged"],
  ["paused", "paused", "Paused"],
];
const COLUMNS: readonly (readonly [CourseGroup, string])[] = [
  ...LINES.map(([group, , text]) => [group, text] as const),
  ["other", "Other"],
  ["up", "Up"],
];

/** Status history. `undefined` without samples. */
export function courseView(course: StatusCourse, server: string, id: string): Html | undefined {
  const [first] = course;
  const last = course.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  const lines = LINES.map(([group, style, text]) => {
    const counts = course.map((sample) => sample.counts[group]);
    const label = `${text}: ${number(last.counts[group])}, highest ${number(Math.max(...counts))}`;
    return { style, label, runs: runsOf(course, group) };
  });
  const highest = Math.max(1, ...course.flatMap(({ counts }) => LINES.map(([group]) => counts[group])));
  return html`<h3>Status history</h3>
<div class="drawing">${lineChart({
    id: `${id}-course`,
    title: `Sensors of ${server} that are not up`,
    description: `Current and highest number of sensors. ${lines.map(({ label }) => label).join("; ")}. The table below has the numbers.`,
    from: first.at,
    to: last.at,
    low: 0,
    high: highest,
    format: number,
    lines,
  })}
<details data-key="course"><summary>Status history as a table</summary>${tableOf(course)}</details></div>`;
}

function runsOf(course: StatusCourse, group: CourseGroup): [number, number][][] {
  const runs: [number, number][][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const { at, counts } of course) {
    if (at - before > MAX_DISTANCE_MS) runs.push([]);
    runs.at(-1)?.push([at, counts[group]]);
    before = at;
  }
  return runs;
}

function tableOf(course: StatusCourse): Html {
  const most = (samples: readonly CourseSample[], group: CourseGroup) =>
    number(Math.max(...samples.map(({ counts }) => counts[group])));
  return html`<p class="note">Highest number of sensors per 15 minutes (UTC), since the exporter started.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Status history"><table>
<thead><tr><th scope="col">From</th>${COLUMNS.map(([, text]) => html`<th scope="col" class="n">${text}</th>`)}</tr></thead>
<tbody>${quarters(course).map(([at, samples]) => html`<tr>${quarterHead(at)}${COLUMNS.map(([group]) => html`<td class="n">${most(samples, group)}</td>`)}</tr>`)}</tbody></table></div>`;
}
