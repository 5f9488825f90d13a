import { STATUS_ORDER, STATUSES, type StatusGroup } from "../../../prtg/status.ts";
import { panel } from "./components.ts";
import type { Knowledge } from "./exporter-health.ts";
import { counted, number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";
import { problemsLink, searchLink } from "./links.ts";
import { objectTable } from "./object-table.ts";
import { outageTable } from "./outage-table.ts";
import type { StatusReport } from "./report.ts";
import type { ParentCounts } from "./server-report.ts";
import type { ProblemsView } from "./source.ts";
import { parentProblems } from "./status-marks.ts";
import { PROBLEM_STATUSES } from "./status-order.ts";

type ProblemsReport = Pick<StatusReport, "outages" | "problems" | "generated_at">;

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
  /** `undefined`: without the switch of views. */
  readonly view?: ProblemsView | undefined;
  /** What changed, and whether the exporter is well. */
  readonly glance?: Html | undefined;
}

/** Answers first what is wrong: outages, then single problems. */
export function problemsSection(report: ProblemsReport, options: ProblemsOptions): Html {
  const { problems, outages, generated_at: now } = report;
  const { server, hasServers, knowledge, view } = options;
  const isGrouped = outages.total > 0 && view !== "single";
  const { total, items } = problems;
  const hasMore = total > items.length;
  const what = isGrouped ? "single problems" : "problems";
  const inOutages = isGrouped ? outages.sensors + outages.items.filter(({ status }) => status !== null).length : 0;
  const worst =
    total - inOutages > items.length &&
    items.length > 0 &&
    `The ${counted(items.length, "worst single problem")}: by status and priority, newest first. `;
  const all = hasMore ? `All ${number(total)} problems` : "Sort and filter";
  const link = html`<a href="${searchLink({ server, statuses: PROBLEM_STATUSES })}">${all}</a>`;
  const singles =
    items.length > 0 && objectTable(items, { now, label: what, places: hasServers ? "server and path" : "path" });
  const hidden = outages.total - outages.items.length;
  return panel(
    { id: "problems", titleId: "problems-title", title: headline(report, options), isLive: true },
    html`${options.glance}
${knowledge === "starting" && html`<p class="note">The first poll has not finished. Problems can be missing.</p>`}
${isGrouped && html`${outageTable(report, hasServers)}${hidden > 0 && html`<p class="note">${counted(hidden, "smaller outage")} more.</p>`}${singles !== false && html`<h3>Single problems</h3>`}`}
${singles}
${total > 0 && html`<p class="note">${view !== undefined && outages.total > 0 && viewSwitch(view)}${worst}${link}</p>`}
`,
  );
}

function viewSwitch(current: ProblemsView): Html {
  const choice = (view: ProblemsView, text: string) =>
    view === current ? html`<b aria-current="true">${text}</b>` : html`<a href="${problemsLink(view)}">${text}</a>`;
  return html`<span class="views">Show ${choice("grouped", "outages")} | ${choice("single", "single problems")}</span> `;
}

const ALL_CLEAR: Readonly<Record<Knowledge, string>> = {
  nothing: "Nothing is known of this server",
  outdated: "No problem is known",
  starting: "No problems known yet",
  current: "Nothing is down, unknown, in warning or unusual",
};

const GROUPS: readonly (readonly [text: string, group: StatusGroup])[] = [
  ["unknown", "unknown"],
  ["in warning or unusual", "warning"],
  ["acknowledged", "acknowledged"],
];

function countOf(counts: ProblemsOptions["counts"], group: StatusGroup): number {
  const statuses = STATUS_ORDER.filter((status) => STATUSES[status].group === group);
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** `320 down, 312 of them in the last hour; 1 probe disconnected; 747 unknown` */
function headline({ problems }: ProblemsReport, { counts, parents, knowledge }: ProblemsOptions): string {
  if (problems.total === 0) return ALL_CLEAR[knowledge];
  const down = countOf(counts, "down");
  const recent = Math.min(problems.recent, down);
  const howMany = recent === down && down > 1 ? "all of them" : `${number(recent)} of them`;
  const worse = recent === 0 ? "" : down === 1 ? ", in the last hour" : `, ${howMany} in the last hour`;
  const others = GROUPS.map(([text, group]) => {
    const count = countOf(counts, group);
    return count === 0 ? "" : `${number(count)} ${text}`;
  });
  const parts = [down === 0 ? "" : `${number(down)} down${worse}`, ...parentProblems(parents), ...others];
  return parts.filter((part) => part !== "").join("; ");
}

/** Title and tone of the overview, for a tab of the browser. */
export function overviewTitle({ counts, parents, knowledge }: ProblemsOptions): Pick<Page, "title" | "tone"> {
  const down = countOf(counts, "down");
  const [disconnected] = parentProblems(parents);
  const unknown = countOf(counts, "unknown");
  const isBad = down > 0 || disconnected !== undefined;
  const parts = [
    down > 0 && `${number(down)} down`,
    disconnected,
    !isBad && unknown > 0 && `${number(unknown)} unknown`,
    !isBad && unknown === 0 && countOf(counts, "warning") > 0 && `${number(countOf(counts, "warning"))} in warning`,
  ].filter((part) => typeof part === "string");
  const isKnown = knowledge === "current";
  const tone = isBad ? "bad" : parts.length > 0 ? "warn" : isKnown ? "good" : undefined;
  return { title: [...parts, "prtg-exporter"].join(" – "), tone };
}
