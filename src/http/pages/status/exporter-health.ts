import { nameHtml, panel } from "./components.ts";
import { counted, duration, moment, number, shortened, span, utc } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { serverLink } from "./links.ts";
import type { AnyStatusReport, StatusReport } from "./report.ts";
import type { ServerReport } from "./server-report.ts";
import { badPill, goodPill, stateCounts, statePill, warnPill } from "./status-marks.ts";
import { SERVER_STATES } from "./status-order.ts";
import { wholeReport } from "./whole-report.ts";

/** Id of the details at the end of the overview. */
export const DETAILS_ID = "exporter-details";

/** A push that is older is late. */
const LATE_PUSH_SECONDS = 600;
/** Largest offset of a server's clock that is no fault. */
export const MAX_CLOCK_OFFSET_SECONDS = 60;

/** What is wrong with the exporter and its servers, one line each. Empty if all is well. */
export function faultsOf(report: AnyStatusReport): Html[] {
  const { configuration, process, totals, servers, generated_at: now } = report;
  const faults: Html[] = [];
  const [server] = servers;
  if (totals.servers === 1 && server !== undefined) {
    if (server.state !== "working") faults.push(html`${statePill(server.state)} ${serverFault(server, now)}`);
    const offset = server.api?.clock_offset_seconds ?? 0;
    if (Math.abs(offset) > MAX_CLOCK_OFFSET_SECONDS) {
      faults.push(html`${warnPill("Clock")} The clock of the server is ${clockText(offset)}.`);
    }
  } else if (SERVER_STATES.some((state) => state !== "working" && (totals.servers_by_state[state] ?? 0) > 0)) {
    const { working: _working, ...others } = totals.servers_by_state;
    faults.push(html`<span>Servers:</span> ${stateCounts(others)} <a href="#servers-title">List of servers</a>`);
  }
  if (configuration?.last_reload_successful === false) {
    faults.push(html`${badPill("Configuration")} The last reload failed. The previous configuration stays in use.`);
  }
  if (process?.extra_held_back === true) {
    faults.push(html`${warnPill("Load")} Time series are delayed, because the exporter is busy.`);
  }
  const late = totals.measurements?.oldest_pending_seconds ?? 0;
  if (late > LATE_PUSH_SECONDS) {
    faults.push(html`${warnPill("OTLP")} The oldest undelivered measurement is ${duration(late)} old.`);
  }
  return faults;
}

/** What the counts of a server are worth. `nothing`: it has never answered a poll. */
export type Knowledge = "nothing" | "outdated" | "starting" | "current";

export function knowledgeOf({ state, last_poll_at }: Pick<ServerReport, "state" | "last_poll_at">): Knowledge {
  if (state === "unreachable" || state === "failing") return last_poll_at === null ? "nothing" : "outdated";
  return state === "starting" ? "starting" : "current";
}

/** What the counts of all servers are worth. */
export function knowledgeOfAll({ servers_by_state }: StatusReport["totals"]): Knowledge {
  const { starting = 0, unreachable = 0, failing = 0 } = servers_by_state;
  if (starting > 0) return "starting";
  return unreachable + failing > 0 ? "outdated" : "current";
}

/** The server does not report its current state. */
export function isOutdated(server: Pick<ServerReport, "state" | "last_poll_at">): boolean {
  return knowledgeOf(server) === "outdated";
}

/** `as of the last poll, 12 min ago` */
export function asOf({ last_poll_at }: Pick<ServerReport, "last_poll_at">, now: string): Html {
  return html`as of the last poll, ${moment(last_poll_at, now)}`;
}

export function serverFault(server: ServerReport, now: string): Html {
  const { name, failed_collectors: failed } = server;
  const link = html`<a href="${serverLink(name)}">${nameHtml(name)}</a>`;
  if (knowledgeOf(server) === "nothing") return html`${link}: ${nothingKnown(server, now)}.`;
  const why = reasonOf(server);
  return html`${link}${why !== null && html`: ${failed.join(", ")} failed: <bdi>${why}</bdi>`}${
    isOutdated(server) && html`. Its sensors are shown ${asOf(server, now)}.`
  }`;
}

/** `nothing is known, no poll has succeeded since ... (13 min): connection refused` */
export function nothingKnown(server: ServerReport, now: string, maxLength = Number.POSITIVE_INFINITY): Html {
  const { monitored_since: since } = server;
  const why = reasonOf(server);
  return html`nothing is known, no poll has succeeded since ${utc(since)} (${span(since, now)})${
    why !== null && html`: <bdi>${shortened(why, maxLength)}</bdi>`
  }`;
}

/** Error without its full stop, because the sentence goes on. */
function reasonOf({ reason }: ServerReport): string | null {
  return reason?.replace(/\.$/, "") ?? null;
}

export function clockText(seconds: number): string {
  return `${duration(Math.abs(seconds))} ${seconds > 0 ? "ahead" : "behind"}`;
}

const ATTENTION = "The exporter needs attention";

/** Stands before the problems, because it can hide some. */
export function faultsSection(report: AnyStatusReport): Html | false {
  const faults = faultsOf(report);
  return (
    faults.length > 0 &&
    panel(
      { id: "faults", className: "panel faults", titleId: "faults-title", title: ATTENTION, isLive: true },
      html`<ul class="plain">${faults.map((fault) => html`<li>${fault}</li>`)}</ul>
${wholeReport(report) !== undefined && html`<p class="note"><a href="#${DETAILS_ID}">Details of the exporter</a></p>`}`,
    )
  );
}

/** `Exporter: all well, polled 12 s ago`, for the first screen. Faults stand above it. */
export function healthLine(report: AnyStatusReport): Html | false {
  const { servers, totals, generated_at: now } = report;
  const [server] = servers;
  if (faultsOf(report).length > 0) return false;
  const polled = totals.servers === 1 && server !== undefined && moment(server.last_poll_at, now);
  if (wholeReport(report) === undefined) return polled && html`Polled ${polled}`;
  return html`<a href="#${DETAILS_ID}">Exporter</a>: ${goodPill("All well")}${polled && html` polled ${polled}`}`;
}

/** One line if all is well. Opened if not. */
export function exporterDetails(report: StatusReport, details: Html): Html {
  const faults = faultsOf(report);
  const isWell = faults.length === 0;
  const state = isWell ? goodPill("All well") : badPill(counted(faults.length, "fault"));
  return html`<details class="panel exporter" id="${DETAILS_ID}" data-key="exporter"${!isWell && html` open`}>
<summary><h2>Exporter</h2> <span id="exporter-line" data-live>${state} <span class="quiet">${summaryLine(report)}</span></span></summary>
${details}</details>`;
}

function summaryLine({ servers, totals, metrics, otlp }: StatusReport): string {
  const [server] = servers;
  const collectors = totals.servers === 1 ? server?.collectors : undefined;
  return [
    collectors === undefined ? counted(totals.servers, "server") : counted(collectors.length, "collector"),
    `${number(metrics.series)} series`,
    otlp === null ? "no OTLP push" : `OTLP: ${number(otlp.state_points.delivered)} points delivered`,
  ].join(", ");
}
