import { attribute, dataCell, nameHtml, prtgLink } from "./components.ts";
import { moment, momentAndClock, number, pathAbove, shortened, value } from "./figures.ts";
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
const SENSOR_COLUMNS: readonly Column[] = [
  STATUS,
  PRIORITY,
  NAME,
  { title: "Since", key: "since", firstDescending: true },
  { title: "Measured", key: "measured", className: "measured" },
  { title: "Value or message", className: "wide" },
];
const CONTAINER_COLUMNS: readonly Column[] = [STATUS, PRIORITY, NAME, { title: "Sensors", className: "wide" }];

/** The script marks rows whose object can be opened in place. */
export function objectTable(nodes: readonly NodeSummary[], options: TableOptions): Html {
  const hasSensors = nodes.some(({ kind }) => kind === "sensor");
  const columns = hasSensors ? SENSOR_COLUMNS : CONTAINER_COLUMNS;
  return html`<table class="objects cards" aria-label="${options.label}">
<thead><tr>${columns.map((column) => columnHead(column, options))}<th scope="col"><span class="hidden">PRTG</span></th></tr></thead>
<tbody>${nodes.map((node) => objectRow(node, options, hasSensors))}</tbody></table>`;
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

/** @param hasSensors The table has the columns of sensors. */
function objectRow(node: NodeSummary, options: TableOptions, hasSensors: boolean): Html {
  const { now, places = "none", words } = options;
  const { server, id, kind, name, children, priority } = node;
  const cells = kind === "sensor" ? sensorCells(node, now) : containerCells(node, now, hasSensors);
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

function sensorCells(node: NodeSummary, now: string): readonly Html[] {
  const { kind, status, status_since: since, last_measurement_at } = node;
  const shown =
    since !== null && (isProblem(kind, status ?? undefined) ? momentAndClock(since, now) : moment(since, now));
  return [
    dataCell(shown, "since", "Since"),
    dataCell(last_measurement_at !== null && moment(last_measurement_at, now), "measured", "Measured"),
    dataCell(valueOrMessage(node), "said"),
  ];
}

/** One bar a row: the shares of the statuses, and their counts. */
function containerCells(node: NodeSummary, now: string, hasSensors: boolean): readonly Html[] {
  const { kind, status, status_since, sensors_by_status } = node;
  const since =
    status_since !== null && isProblem(kind, status ?? undefined) && html`${momentAndClock(status_since, now)}`;
  const counts = html`${statusBar(sensors_by_status)}${statusTally(sensors_by_status)}`;
  if (hasSensors) return [dataCell(since, "since", "Since"), dataCell("", "measured"), dataCell(counts, "said shares")];
  return [dataCell(html`${counts}${since && html` <span>since ${since}</span>`}`, "said shares")];
}

/** A sensor that is down has no value, so that its message takes the cell. */
function valueOrMessage(node: NodeSummary): Html | false {
  const [shown, message] = [valueIn(node), messageOf(node)];
  return shown !== false && message !== false ? html`${shown} ${message}` : shown || message;
}

function valueIn({ channel }: NodeSummary): Html | false {
  if (channel === null || channel.value === null) return false;
  const { name, unit, value: current } = channel;
  return html`<data value="${current}">${value(current)}</data> <bdi>${unit}</bdi> <span class="channel"><bdi>${name}</bdi></span>`;
}

const MAX_MESSAGE = 100;

function messageOf({ status, message }: NodeSummary): Html | false {
  if (status === "up" || message === null) return false;
  return html`<bdi class="text">${shortened(message, MAX_MESSAGE)}</bdi>`;
}

/** A link to the device, after the names above it. */
function placeOf(node: NodeSummary, places: "path" | "server and path", words: RegExp | undefined): Html {
  const { server, device } = node;
  const above = pathAbove(node);
  const isAtEnd = device !== null && above.endsWith(device.name);
  const before = isAtEnd ? above.slice(0, above.length - device.name.length) : above;
  const start = places === "server and path" && html`<bdi>${server}</bdi>${above !== "" && " / "}`;
  const end = isAtEnd && html`<a href="${nodeLink({ server, id: device.id })}">${nameHtml(device.name, words)}</a>`;
  return html`<span class="path">${start}${before !== "" && html`<bdi>${marked(before, words)}</bdi>`}${end}</span>`;
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
