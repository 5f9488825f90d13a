import { attribute, dataCell, nameHtml, prtgLink } from "./components.ts";
import { clockTime, moment, momentAndClock, number, pathAbove, shortened, value } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { nodeLink } from "./links.ts";
import { marked } from "./matches.ts";
import type { NodeReport, NodeSummary } from "./report.ts";
import type { Sort, SortKey } from "./source.ts";
import { statusBar, statusPill, statusTally, sumPill } from "./status-marks.ts";
import { isProblem } from "./status-order.ts";

export interface TableOptions {
  /** Time of the report. */
  readonly now: string;
  /** Accessible name. */
  readonly label: string;
  /** Names that tell where each object is. Servers only if the page is about more than one. */
  readonly places?: "none" | "path" | "server and path";
  /** Parts of names and places to mark. */
  readonly words?: RegExp | undefined;
  /** Links of the header. `undefined`: the order is fixed. */
  readonly sortLink?: ((sort: string) => string) | undefined;
  /** `undefined`: problems first. */
  readonly sort?: Sort | undefined;
}

interface Column {
  readonly title: string;
  readonly key?: SortKey;
  /** The more useful order comes with the first click. */
  readonly firstDescending?: boolean;
  readonly className?: string;
}

const STATUS: Column = { title: "Status", key: "status" };
const PRIORITY: Column = { title: "Priority", key: "priority", firstDescending: true, className: "n" };
const NAME: Column = { title: "Name", key: "name", className: "wide" };
const SINCE: Column = { title: "Since", key: "since", firstDescending: true };
const MEASURED: Column = { title: "Measured", key: "measured", className: "measured" };
const LAST: Column = { title: "Value or message", className: "wide" };
const SENSOR_COLUMNS: readonly Column[] = [STATUS, PRIORITY, NAME, SINCE, MEASURED, LAST];
/** In a fixed order: problems, whose message says more than the time of the last value. */
const BRIEF_COLUMNS: readonly Column[] = [STATUS, PRIORITY, NAME, SINCE, LAST];
const CONTAINER_COLUMNS: readonly Column[] = [STATUS, PRIORITY, NAME, { title: "Sensors", className: "wide" }];

/** The script marks rows whose object can be opened in place. */
export function objectTable(nodes: readonly NodeSummary[], options: TableOptions): Html {
  const hasSensors = nodes.some(({ kind }) => kind === "sensor");
  const isBrief = options.sortLink === undefined;
  const columns = !hasSensors ? CONTAINER_COLUMNS : isBrief ? BRIEF_COLUMNS : SENSOR_COLUMNS;
  return html`<table class="objects cards" aria-label="${options.label}">
<thead><tr>${columns.map((column) => columnHead(column, options))}<th scope="col"><span class="hidden">PRTG</span></th></tr></thead>
<tbody>${nodes.map((node) => objectRow(node, options, columns))}</tbody></table>`;
}

function columnHead({ title, key, firstDescending = false, className }: Column, options: TableOptions): Html {
  const { sort, sortLink } = options;
  const current = sort?.key === key ? sort : undefined;
  const isDescending = current === undefined ? firstDescending : !current.isDescending;
  const link = key === undefined ? undefined : sortLink?.(`${isDescending ? "-" : ""}${key}`);
  const order = current?.isDescending === true ? "descending" : "ascending";
  const text = link === undefined ? title : html`<a href="${link}">${title}</a>`;
  return html`<th scope="col"${attribute("class", className)}${attribute("aria-sort", current && order)}>${text}</th>`;
}

function objectRow(node: NodeSummary, options: TableOptions, columns: readonly Column[]): Html {
  const { now, places = "none", words } = options;
  const { server, id, kind, name, children, priority } = node;
  const cells = kind === "sensor" ? sensorCells(node, now, columns) : containerCells(node, now, columns);
  const place = places !== "none" && placeOf(node, places, words);
  const start = [dataCell(objectPill(node)), dataCell(priority, "n", "Priority")];
  const kindText = kind !== "sensor" && html` <span class="kind">${kind}</span>`;
  const head = html`<th scope="row"><a href="${nodeLink(node)}">${nameHtml(name, words)}</a>${kindText}${place}</th>`;
  return html`
<tr data-key="${server} ${id}"${children > 0 && html` data-opens`}>${start}${head}${cells}${dataCell(prtgLink(node))}</tr>`;
}

/** Status of a sensor, or of all sensors below an object. */
export function objectPill({ kind, status, sensors_by_status }: NodeSummary): Html | undefined {
  if (kind !== "sensor") return sumPill(status, sensors_by_status);
  return status === null ? undefined : statusPill(status);
}

function sensorCells(node: NodeSummary, now: string, columns: readonly Column[]): readonly Html[] {
  const { kind, status, status_since, last_measurement_at, acknowledgement } = node;
  const downSince = acknowledgement?.down_since ?? null;
  const since = downSince ?? status_since;
  const shown =
    since !== null && (isProblem(kind, status ?? undefined) ? momentAndClock(since, now) : moment(since, now));
  const measured = last_measurement_at !== null && moment(last_measurement_at, now);
  return [
    dataCell(shown, "since", downSince === null ? "Since" : "Down since"),
    ...(columns.includes(MEASURED) ? [dataCell(measured, "measured", "Measured")] : []),
    dataCell(valueOrMessage(node, now), "said"),
  ];
}

/** One bar a row: the shares of the statuses, and their counts. */
function containerCells(node: NodeSummary, now: string, columns: readonly Column[]): readonly Html[] {
  const { kind, status, status_since, sensors_by_status } = node;
  const since =
    status_since !== null && isProblem(kind, status ?? undefined) && html`${momentAndClock(status_since, now)}`;
  const counts = html`${statusBar(sensors_by_status)}${statusTally(sensors_by_status)}`;
  const measured = columns.includes(MEASURED) ? [dataCell("", "measured")] : [];
  if (columns.includes(SINCE)) return [dataCell(since, "since", "Since"), ...measured, dataCell(counts, "said shares")];
  return [dataCell(html`${counts}${since && html` <span>since ${since}</span>`}`, "said shares")];
}

/** Wide screens show one line, so that a message comes before the value. */
function valueOrMessage(node: NodeSummary, now: string): Html | false {
  const [shown, message] = [valueIn(node), messageOf(node, now)];
  const both =
    shown !== false && message !== false ? html`${message} <span class="and">${shown}</span>` : shown || message;
  return both && html`<div class="fit${node.acknowledgement !== null && " parts"}">${both}</div>`;
}

function valueIn({ channel }: NodeSummary): Html | false {
  if (channel === null || channel.value === null) return false;
  const { name, unit, value: current } = channel;
  return html`<data value="${current}">${value(current)}</data> <bdi>${unit}</bdi> <span class="channel"><bdi>${name}</bdi></span>`;
}

const MAX_MESSAGE = 100;

function messageOf({ status, message, acknowledgement }: NodeSummary, now: string): Html | false {
  const text = status !== "up" && message !== null && html`<bdi class="text">${shortened(message, MAX_MESSAGE)}</bdi>`;
  if (acknowledgement === null) return text;
  const { acknowledged_at: at, message_before: before } = acknowledgement;
  const why = before !== null && html`<bdi class="before">${shortened(before, MAX_MESSAGE)}</bdi><span> · </span>`;
  const by = html`acknowledged${at !== null && html` ${clockTime(at, now)}`}${text !== false && html`: ${text}`}`;
  return html`${why}<span class="by">${by}</span>`;
}

/** A link to the device, after the names above it. Wide screens shorten the names above first. */
function placeOf(node: NodeSummary, places: "path" | "server and path", words: RegExp | undefined): Html {
  const { server, device } = node;
  const above = pathAbove(node);
  const isAtEnd = device !== null && above.endsWith(device.name);
  const before = isAtEnd ? above.slice(0, above.length - device.name.length) : above;
  const hasSlash = isAtEnd && before.endsWith("/");
  const names = hasSlash ? before.slice(0, -1) : before;
  const start = places === "server and path" && html`<bdi>${server}</bdi>${above !== "" && " / "}`;
  const middle = html`${names !== "" && html`<bdi class="above">${marked(names, words)}</bdi>`}${hasSlash && "/"}`;
  const end = isAtEnd && html`<a href="${nodeLink({ server, id: device.id })}">${nameHtml(device.name, words)}</a>`;
  return html`<span class="path">${start}${middle}${end}</span>`;
}

export interface ListPart {
  readonly from: number;
  readonly count: number;
  readonly total: number;
}

/** Nothing if the list has one part. */
export function pages({ from, count, total }: ListPart, previous: string, next: string): Html | false {
  const end = from + count;
  if (count >= total) return false;
  const shown = html`<span>${number(from + 1)} to ${number(end)} of ${number(total)}</span>`;
  const [back, on] = [
    from > 0 && html`<a href="${previous}">Previous</a>`,
    end < total && html`<a href="${next}">Next</a>`,
  ];
  return html`<nav class="pages" aria-label="Parts of the list">${back} ${shown} ${on}</nav>`;
}

const CHILDREN_A_PAGE = 50;
const CHANNELS_A_PAGE = 200;

/** Direct children of an object. A link opens each, and the script opens it in place. */
export function childRows({ node, children, generated_at: now }: NodeReport, sort?: Sort): Html {
  const { total, from, items } = children;
  if (total === 0) return html`<p class="none">No children.</p>`;
  const sortLink = (by: string) => nodeLink(node, { sort: by });
  const to = (index: number) => nodeLink(node, { from: index, sort });
  return html`${objectTable(items, { now, label: "Children", sort, sortLink })}${pages(
    { from, count: items.length, total },
    to(Math.max(0, from - CHILDREN_A_PAGE)),
    to(from + items.length),
  )}`;
}

export function channelPages(node: NodeSummary, part: ListPart): Html | false {
  const { from, count } = part;
  const to = (index: number) => nodeLink(node, { from: index });
  return pages(part, to(Math.max(0, from - CHANNELS_A_PAGE)), to(from + count));
}
