import { counted, number, span } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { nameOf } from "./layout.ts";
import { nodeLink } from "./links.ts";
import type { NodeReport, NodeSummary } from "./report.ts";
import { statusPill, statusTally } from "./status-marks.ts";

export interface RowOptions {
  /** Time of the report. */
  readonly now: string;
  readonly paths?: boolean;
}

/** Each row links to its object's page. The script opens it in place. */
export function treeRows(nodes: readonly NodeSummary[], options: RowOptions): Html {
  return html`<ul class="tree">${nodes.map((node) => row(node, options))}</ul>`;
}

function row(node: NodeSummary, { now, paths: withPath = false }: RowOptions): Html {
  const { server, id, kind, name, path, children } = node;
  const above = path.slice(0, Math.max(0, path.length - name.length - 1));
  return html`<li data-key="${server} ${id}"${children > 0 && html` data-opens`}><div class="row"><span class="kind">${kind}</span><a href="${nodeLink(node)}">${nameOf(name)}</a><span class="facts">${facts(node, now)}</span>${saidOf(node)}${withPath && html`<span class="path"><bdi>${server}</bdi>${above !== "" && html` / <bdi>${above}</bdi>`}</span>`}</div></li>`;
}

function facts({ kind, status, status_since, children, sensors_by_status }: NodeSummary, now: string): Html {
  if (kind === "sensor") {
    const since = status !== "up" && status_since !== null && html`<span>for ${span(status_since, now)}</span> `;
    return html`${statusPill(status)} ${since}<span class="quiet">${counted(children, "channel")}</span>`;
  }
  // Most objects are up, so the tally of sensors says more.
  return html`${status !== null && status !== "up" && statusPill(status)} ${statusTally(sensors_by_status)}`;
}

/** The sensor's page has the whole message. */
const BEYOND_ROW = /^(.{200}).+$/su;

function saidOf({ kind, status, message }: NodeSummary): Html | false {
  if (kind !== "sensor" || status === "up" || message === null) return false;
  return html`<span class="said"><bdi>${message.replace(BEYOND_ROW, "$1…")}</bdi></span>`;
}

export function childRows({ node, children, generated_at: now }: NodeReport): Html {
  const { total, from, items } = children;
  const pages = pagination(node, { from, count: items.length, total });
  return total === 0 ? html`<p class="none">No children.</p>` : html`${treeRows(items, { now })}${pages}`;
}

export function pagination(node: NodeSummary, part: ListPart): Html | false {
  const { from, count } = part;
  return pages(part, nodeLink(node, Math.max(0, from - PAGE_SIZE)), nodeLink(node, from + count));
}

const PAGE_SIZE = 200;

export interface ListPart {
  readonly from: number;
  readonly count: number;
  readonly total: number;
}

export function pages({ from, count, total }: ListPart, previous: string, next: string): Html | false {
  const end = from + count;
  return (
    count < total &&
    html`<nav class="pages" aria-label="Parts of the list">${from > 0 && html`<a href="${previous}">Previous</a>`} <span>${number(from + 1)} to ${number(end)} of ${number(total)}</span> ${end < total && html`<a href="${next}">Next</a>`}</nav>`
  );
}
