import { type Html, type HtmlValue, html } from "./html.ts";
import { HOME, webAddress } from "./links.ts";
import { marked } from "./matches.ts";
import type { NodeSummary } from "./report.ts";

/** Isolates the direction of writing of a foreign name. @param words Parts to mark. */
export function nameHtml(name: string, words?: RegExp): Html {
  return name.trim() === "" ? html`<i class="none">(no name)</i>` : html`<bdi>${marked(name, words)}</bdi>`;
}

/** Opens the object in the PRTG web interface, in a new tab. `undefined` without a safe URL. */
export function prtgLink({ name, prtg_url }: NodeSummary, text = "PRTG"): Html | undefined {
  const url = prtg_url === null ? undefined : webAddress(prtg_url);
  if (url === undefined) return undefined;
  return html`<a class="prtg" href="${url}" target="_blank" rel="noreferrer">${text}<span class="hidden">: ${nameHtml(name)}</span></a>`;
}

/** ` name="value"`. Nothing without a value. */
export function attribute(
  name: "aria-sort" | "class" | "colspan" | "data-label" | "id",
  value: string | number | false | undefined,
): Html | false {
  return value !== undefined && value !== false && html` ${name}="${value}"`;
}

export interface PanelOptions {
  readonly id?: string;
  readonly className?: string;
  readonly titleId: string;
  readonly title: HtmlValue;
  /** The script replaces it by the one of a newer page. */
  readonly isLive?: boolean;
}

/** Section with a heading. */
export function panel({ id, className = "panel", titleId, title, isLive = false }: PanelOptions, content: Html): Html {
  return html`<section class="${className}"${attribute("id", id)} aria-labelledby="${titleId}"${isLive && html` data-live`}><h2 id="${titleId}">${title}</h2>
${content}</section>`;
}

/** Stretched drawing. The text next to it says the same. */
export function silentDrawing(className: string, width: string | number, height: number, content: HtmlValue): Html {
  return html`<svg class="${className}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${content}</svg>`;
}

/** @param box Its top, width and height. */
export function sparkDrawing(className: string, box: readonly number[], title: string, path: string): Html {
  return html`<svg class="${className}" viewBox="0 ${box.join(" ")}" preserveAspectRatio="none" role="img"><title>${title}</title><path d="${path}"/></svg>`;
}

/** Path to a page: the overview, the pages between, and the page itself. */
export function crumbs(page: HtmlValue, between: readonly Html[] = [], home = HOME): Html {
  return html`<nav class="crumbs" aria-label="Path"><ol><li><a href="${home}">Overview</a></li>${between.map((link) => html`<li>${link}</li>`)}<li aria-current="page">${page}</li></ol></nav>`;
}

/** A fact without a value is omitted. */
export type Fact = readonly [term: string, value: Html | string | undefined | false];

export function factList(facts: readonly Fact[]): Html {
  const shown = facts.filter(([, value]) => value !== undefined && value !== false);
  return html`<dl class="facts">${shown.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => HtmlValue;
  readonly isNumber?: boolean;
  /** Narrow screens show the title before each value. Default: yes, except for the first column. */
  readonly hasLabel?: boolean;
  /** Class of the cell of a row. */
  readonly className?: (row: Row) => string | false;
}

export interface TableOptions {
  /** Default: narrow screens show each row as a card. */
  readonly className?: string | false;
  /** Text of a table without rows. */
  readonly none?: string;
}

export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { className = "cards", none }: TableOptions = {},
): Html {
  const isEmpty = rows.length === 0 && none !== undefined;
  return html`<table${attribute("class", className)}>${tableHead(columns)}
<tbody>${rows.map((row) => tableRow(columns, row))}${isEmpty && html`<tr><td colspan="${columns.length}" class="none">${none}</td></tr>`}</tbody></table>`;
}

export function tableHead(columns: readonly Pick<Column<never>, "title" | "isNumber">[]): Html {
  return html`<thead><tr>${columns.map(({ title, isNumber = false }) => html`<th scope="col"${attribute("class", isNumber && "n")}>${title}</th>`)}</tr></thead>`;
}

/** @param label Shown before the value on narrow screens. */
export function dataCell(content: HtmlValue, className: string | false = false, label: string | false = false): Html {
  return html`<td${attribute("class", className)}${attribute("data-label", label)}>${content}</td>`;
}

/** The first column names the row. */
export function tableRow<Row>([first, ...others]: readonly Column<Row>[], row: Row): Html {
  return html`<tr><th scope="row">${first?.value(row)}</th>${others.map((column) => {
    const { title, value, isNumber = false, hasLabel = true, className } = column;
    const classes = isNumber ? "n" : (className?.(row) ?? false);
    return dataCell(value(row), classes, hasLabel && title);
  })}</tr>`;
}
