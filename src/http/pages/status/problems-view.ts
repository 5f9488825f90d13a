import { STATUS_ORDER, STATUSES, type StatusGroup } from "../../../prtg/status.ts";
import type { Knowledge } from "./exporter-health.ts";
import { number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { searchLink } from "./links.ts";
import { objectTable } from "./object-table.ts";
import type { ParentCounts, StatusReport } from "./report.ts";
import { parentProblems } from "./status-marks.ts";
import { PROBLEM_STATUSES } from "./status-order.ts";

export interface ProblemsOptions {
  /** Known sensors per status. */
  readonly counts: Readonly<Record<string, number>>;
  /** Known probes, groups and devices per status. */
  readonly parents: ParentCounts;
  /** `undefined`: all servers. */
  readonly server?: string | undefined;
  /** More than one server. */
  readonly hasServers: boolean;
  readonly knowledge: Knowledge;
}

/** Answers first what is wrong. */
export function problemsSection({ problems, generated_at: now }: StatusReport, options: ProblemsOptions): Html {
  const { counts, parents, server, hasServers, knowledge } = options;
  const { total, items } = problems;
  const places = hasServers ? "server and path" : "path";
  return html`<section class="panel" id="problems" aria-labelledby="problems-title" data-live><h2 id="problems-title">${total === 0 ? ALL_CLEAR[knowledge] : problemCounts(counts, parents)}</h2>
${knowledge === "starting" && html`<p class="note">The first poll has not finished. Problems can be missing.</p>`}
${items.length > 0 && objectTable(items, { now, label: "Problems", places })}
${total > 0 && html`<p class="note">${total > items.length && html`The ${items.length} worst of ${number(total)}: by status and priority, newest first. `}<a href="${searchLink({ server, statuses: PROBLEM_STATUSES })}">${total > items.length ? html`All ${number(total)} problems` : "Sort and filter"}</a></p>`}
</section>`;
}

const ALL_CLEAR: Readonly<Record<Knowledge, string>> = {
  nothing: "Nothing is known of this server",
  outdated: "No problem is known",
  starting: "No problems known yet",
  current: "Nothing is down, unknown, in warning or unusual",
};

const GROUPS: readonly (readonly [text: string, group: StatusGroup])[] = [
  ["down", "down"],
  ["unknown", "unknown"],
  ["in warning or unusual", "warning"],
  ["acknowledged", "acknowledged"],
];

/** `1 probe disconnected, 7 down, 12 in warning or unusual, 2 acknowledged` */
function problemCounts(counts: ProblemsOptions["counts"], parents: ParentCounts): string {
  const parts = GROUPS.map(([text, group]) => {
    const statuses = STATUS_ORDER.filter((status) => STATUSES[status].group === group);
    const count = statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
    return count === 0 ? "" : `${number(count)} ${text}`;
  });
  return [...parentProblems(parents), ...parts].filter((part) => part !== "").join(", ");
}
