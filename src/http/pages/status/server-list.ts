import { type Column, nameHtml, sparkDrawing, table } from "./components.ts";
import type { CourseSample, StatusCourse } from "./courses.ts";
import { isOutdated, knowledgeOf, nothingKnown } from "./exporter-health.ts";
import { counted, moment, number, objectCounts, shortened } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { HOME, overviewLink, serverLink } from "./links.ts";
import { pages } from "./object-table.ts";
import type { AnyStatusReport, StatusReport } from "./report.ts";
import type { ServerReport } from "./server-report.ts";
import type { StatusQuery } from "./source.ts";
import {
  badPill,
  parentProblems,
  shortTally,
  stateCounts,
  statePill,
  statusBar,
  statusCounts,
} from "./status-marks.ts";

export function serverList(
  report: AnyStatusReport,
  question: StatusQuery,
  courseOf: (server: string) => StatusCourse,
  glance: Html,
): Html {
  const { totals } = report;
  return html`<section class="panel" aria-labelledby="servers-title">
<div id="totals" data-live><div class="title"><h1 id="servers-title" class="small">${counted(totals.servers, "server")}</h1>
${stateCounts(totals.servers_by_state)}</div>
<p class="note">${objectCounts(totals.objects)}.${outdatedNote(report)}</p>
${statusBar(totals.sensors_by_status)}${statusCounts(totals.sensors_by_status)}
${glance}</div>
<form class="find servers-find" role="search" aria-label="Servers" action="${HOME}" method="get">${findField(question)}<button type="submit">Find</button></form>
<div id="servers" data-live>${serverTable(report, question, courseOf)}</div>
</section>`;
}

function findField({ find }: StatusQuery): Html {
  const text = "Search servers by name";
  return html`<label class="hidden" for="find">Name of the server</label><input id="find" name="find" type="search" placeholder="${text}" autocomplete="off" spellcheck="false" maxlength="200" value="${find}">`;
}

function serverTable(
  { servers, page, generated_at: now }: AnyStatusReport,
  { find }: StatusQuery,
  courseOf: (server: string) => StatusCourse,
): Html {
  const { number: at, from, matching } = page;
  const counts = html`<p class="note">${find === "" ? "Worst first." : html`${number(matching)} with “<bdi>${find}</bdi>” in the name, worst first. <a href="${HOME}">All servers</a>`}</p>`;
  if (servers.length === 0) return counts;
  return html`${counts}
${table(serverColumns(now, courseOf), servers, { className: "servers cards" })}
${pages({ from, count: servers.length, total: matching }, overviewLink(find, at - 1), overviewLink(find, at + 1))}`;
}

function serverColumns(now: string, courseOf: (server: string) => StatusCourse): readonly Column<ServerReport>[] {
  return [
    { title: "Server", value: ({ name }) => html`<a href="${serverLink(name)}">${nameHtml(name)}</a>` },
    { title: "Connection", hasLabel: false, className: () => "state", value: (server) => stateCell(server, now) },
    {
      title: "Sensors",
      hasLabel: false,
      className: (server) => isOutdated(server) && "outdated",
      value: (server) =>
        html`${shortTally(server.sensors_by_status)}${isOutdated(server) && html` <span class="why">as of the last poll</span>`}`,
    },
    { title: "Last poll", value: ({ last_poll_at }) => moment(last_poll_at, now) },
    { title: "Down or unknown, last 4 h", hasLabel: false, value: ({ name }) => sparkline(courseOf(name)) },
  ];
}

function outdatedNote({ totals: { servers_by_state } }: Pick<StatusReport, "totals">): string | false {
  const { unreachable = 0, failing = 0 } = servers_by_state;
  const count = unreachable + failing;
  return count > 0 && ` Sensors of ${counted(count, "server")} as of the last poll.`;
}

const MAX_REASON = 100;

function stateCell(server: ServerReport, now: string): Html {
  const problems = parentProblems(server.parents_by_status).map((text) => html` ${badPill(text)}`);
  return html`${statePill(server.state)}${problems}${reasonOf(server, now)}`;
}

function reasonOf(server: ServerReport, now: string): Html | false {
  const { failed_collectors: failed, reason } = server;
  if (knowledgeOf(server) === "nothing")
    return html` <span class="why">${nothingKnown(server, now, MAX_REASON)}</span>`;
  if (reason === null) return false;
  return html` <span class="why">${failed.join(", ")} failed: <bdi>${shortened(reason, MAX_REASON)}</bdi></span>`;
}

/** Number of intervals in four hours. */
const PARTS = 48;
const PART_MS = (240 / PARTS) * 60_000;
const HEIGHT = 10;

/** Sensors that were or may have been down: the maximum of each five minutes. */
export function sparkline(course: StatusCourse): Html | undefined {
  const last = course.at(-1);
  if (last === undefined || course.length < 2) return undefined;
  const parts = new Map<number, number>();
  for (const { at, counts } of course) {
    const part = PARTS - 1 - Math.floor((last.at - at) / PART_MS);
    if (part >= 0) parts.set(part, Math.max(parts.get(part) ?? 0, badIn(counts)));
  }
  const highest = Math.max(...parts.values());
  const text =
    highest === 0 ? "No sensor was down or unknown" : `Now ${number(badIn(last.counts))}, at most ${number(highest)}`;
  const tone = highest === 0 ? "still" : "bad";
  return sparkDrawing(`spark ${tone}`, [-1, PARTS, HEIGHT + 2], text, levelPath(parts, highest));
}

function badIn({ down, unknown }: CourseSample["counts"]): number {
  return down + unknown;
}

/** Draws a line only if the level changes, and breaks it without samples. */
function levelPath(parts: ReadonlyMap<number, number>, highest: number): string {
  const lines: string[] = [];
  let level: number | undefined;
  for (let part = 0; part <= PARTS; part++) {
    const count = parts.get(part);
    const next = count === undefined ? undefined : Math.round(HEIGHT * (1 - count / Math.max(1, highest)));
    if (next === level) continue;
    if (level !== undefined) lines.push(`H${part}`);
    if (next !== undefined) lines.push(level === undefined ? `M${part},${next}` : `V${next}`);
    level = next;
  }
  return lines.join("");
}
