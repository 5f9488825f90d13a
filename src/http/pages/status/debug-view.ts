import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";

/** A part of a report. Its cells are foreign text. */
export interface DebugTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of the first cell of each row. */
  readonly links?: readonly string[];
  /** After the rows. */
  readonly note?: string | undefined;
}

/** A page below /debug with the tables of its report. */
export function debugPage(title: string, tables: readonly DebugTable[]): Page {
  const content = html`<nav class="crumbs" aria-label="Path"><ol><li><a href="../">Overview</a></li><li aria-current="page">${title}</li></ol></nav>
<header class="title"><h1>${title}</h1></header>
<form class="find debug-find" aria-label="Explain" action="../debug/explain" method="get"><label class="hidden" for="object">Id of a sensor or channel</label><input id="object" name="object" type="search" placeholder="Explain a sensor (2490) or channel (2490.1)" autocomplete="off" spellcheck="false" maxlength="101"><button type="submit">Explain</button></form>
${tables.map(tableSection)}`;
  return { title: `${title} – prtg-exporter`, isBelow: true, content };
}

function tableSection({ title, head, rows, links, note }: DebugTable): Html {
  return html`<section class="panel"><h2>${title}</h2>
${
  rows.length > 0 &&
  html`<table class="debug cards"><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells, row) =>
      html`<tr>${cells.map((cell, column) => dataCell(cell, head[column] ?? "", column, links?.[row]))}</tr>`,
  )}</tbody></table>`
}${note !== undefined && html`<p class="note">${note}</p>`}</section>`;
}

const NUMBER = /^\d+$/;

function dataCell(cell: string, name: string, column: number, link: string | undefined): Html {
  const text = html`<bdi>${cell}</bdi>`;
  if (column === 0)
    return html`<th scope="row">${link === undefined ? text : html`<a href="${link}">${text}</a>`}</th>`;
  return html`<td data-label="${name}"${NUMBER.test(cell) && html` class="n"`}><bdi>${cell}</bdi></td>`;
}
