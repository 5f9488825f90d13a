import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";
import { oneLine, textTable } from "../../../lib/printable-text.ts";
import { attribute, crumbs } from "./components.ts";
import { type Html, html } from "./html.ts";
import { type Layout, type Page, renderPage } from "./layout.ts";
import { respond } from "./respond.ts";

/** Answer of a page below /debug: sections for people, which text and HTML show, and JSON for programs. */
export interface DebugReport {
  readonly status: 200 | 400 | 404;
  readonly sections: readonly DebugSection[];
  /** Text has a blank line after each title, table and note. Default: only between sections. */
  readonly isSpaced?: boolean;
  readonly json: unknown;
}

/** Texts of a section are foreign. */
export interface DebugSection {
  readonly title: string;
  /** Names of the columns. `undefined`: rows are properties with a name and a value. */
  readonly head?: readonly string[];
  readonly rows?: readonly (readonly string[])[];
  /** Link of the first cell of each row. */
  readonly links?: readonly string[];
  /** Number of rows that are left out. */
  readonly more?: string | undefined;
  /** Lines of the metrics page. */
  readonly lines?: readonly string[];
  readonly note?: string | undefined;
}

export function debugFailure(status: 400 | 404, message: string): DebugReport {
  return { status, sections: [{ title: message }], json: { error: message } };
}

export function debugText({ sections, isSpaced = false }: DebugReport): string {
  const texts = sections.map(textParts);
  return isSpaced ? texts.flat().map(line).join("") : texts.map((parts) => parts.join("")).join("\n");
}

function textParts({ title, head, rows = [], more, lines, note }: DebugSection): string[] {
  const table = head === undefined ? rows.map(propertyLine).join("") : textTable(head, rows);
  const parts = [
    line(oneLine(title)),
    (rows.length === 0 ? "" : table) + (more === undefined ? "" : line(more)),
    lines === undefined ? "" : servedText(lines),
    note === undefined ? "" : line(oneLine(note)),
  ];
  return parts.filter((part) => part !== "");
}

function line(text: string): string {
  return `${text}\n`;
}

function propertyLine([name = "", value = ""]: readonly string[]): string {
  return line(`  ${name.padEnd(15)} ${oneLine(value)}`.trimEnd());
}

function servedText(lines: readonly string[]): string {
  if (lines.length === 0) return line(`  ${NO_LINES}`);
  return ["  lines served", ...lines.map((each) => `    ${each.replace(/\p{Cc}/gu, "\uFFFD")}`)].map(line).join("");
}

const NO_LINES = "no lines served";

const EXPLAIN_FIELD = html`<label class="hidden" for="object">Id of a sensor or channel</label><input id="object" name="object" type="search" placeholder="Explain a sensor (2490) or channel (2490.1)" autocomplete="off" spellcheck="false" maxlength="101">`;

export function debugPage(title: string, { sections }: DebugReport): Page {
  const content = html`${crumbs(title, [], "../")}
<header class="title"><h1>${title}</h1></header>
<form class="find debug-find" aria-label="Explain" action="../debug/explain" method="get">${EXPLAIN_FIELD}<button type="submit">Explain</button></form>
${sections.map(sectionHtml)}`;
  return { title: `${title} – prtg-exporter`, isBelow: true, content };
}

function sectionHtml({ title, head, rows = [], links, more, lines, note }: DebugSection): Html {
  const shown = [
    ...(head === undefined ? rows.filter(([, value]) => value !== "") : rows),
    ...(lines ?? []).map((each) => ["line served", each]),
  ];
  const notes = [more, lines?.length === 0 ? NO_LINES : undefined, note].filter((text) => text !== undefined);
  return html`<section class="panel"><h2>${title}</h2>
${shown.length > 0 && tableHtml(head ?? ["property", "value"], shown, links)}${notes.length > 0 && html`<p class="note">${notes.join(", ")}</p>`}</section>`;
}

function tableHtml(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  links: readonly string[] | undefined,
): Html {
  return html`<table class="debug cards"><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells, row) =>
      html`<tr>${cells.map((cell, column) => dataCell(cell, head[column] ?? "", column, links?.[row]))}</tr>`,
  )}</tbody></table>`;
}

const NUMBER = /^\d+$/;

function dataCell(cell: string, name: string, column: number, link: string | undefined): Html {
  const text = html`<bdi>${cell}</bdi>`;
  if (column === 0)
    return html`<th scope="row">${link === undefined ? text : html`<a href="${link}">${text}</a>`}</th>`;
  return html`<td data-label="${name}"${attribute("class", NUMBER.test(cell) && "n")}>${text}</td>`;
}

/** Answers from memory. `signal` may abort it. */
export type DebugPage = (query: URLSearchParams, signal?: AbortSignal) => Promise<DebugReport>;

export interface DebugPages {
  /** `?object=ID`: how the exporter derives an object's series. */
  readonly explain: DebugPage;
  readonly cardinality: DebugPage;
  /** `?server=NAME`: the last run of each collector, step by step. */
  readonly runs: DebugPage;
}

const TEXT = "text/plain";
const JSON_TYPE = "application/json";
const HTML_TYPE = "text/html";

/** @param layout Frame of pages for people. `undefined`: text and JSON only. */
export function debugEndpoint(page: DebugPage, title: string, layout: Layout | undefined) {
  const types = layout === undefined ? [TEXT, JSON_TYPE] : [TEXT, JSON_TYPE, HTML_TYPE];
  return async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> => {
    const { searchParams } = new URL(request.url ?? "/", "http://exporter");
    const report = await page(searchParams, signal);
    // As on the metrics page, a client that accepts none of them gets text. So does one that accepts all, such as curl.
    const type = new Negotiator(request).mediaType(types) ?? TEXT;
    if (type === HTML_TYPE && layout !== undefined) {
      const body = renderPage(debugPage(title, report), layout);
      const contentType = `${HTML_TYPE}; charset=utf-8`;
      return respond(request, response, { status: report.status, contentType, body, vary: "Accept, Accept-Encoding" });
    }
    const body = type === JSON_TYPE ? `${JSON.stringify(report.json, undefined, 2)}\n` : debugText(report);
    response.writeHead(report.status, {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
      Vary: "Accept",
    });
    response.end(body);
  };
}
