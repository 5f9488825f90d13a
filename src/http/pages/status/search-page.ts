import { number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";
import { HOME, searchLink } from "./links.ts";
import type { SearchReport } from "./report.ts";
import type { SearchQuestion } from "./source.ts";
import { statusText } from "./status-marks.ts";
import { treeRows } from "./tree-rows.ts";

/** `/search`: objects by words, sensors by status. */
export function searchPage(report: SearchReport, question: SearchQuestion): Page {
  const { total, items, generated_at } = report;
  const content = html`<nav class="crumbs" aria-label="Place in the tree"><ol><li><a href="${HOME}">Overview</a></li><li aria-current="page">Search</li></ol></nav>
<section class="panel" aria-labelledby="results-title">
<div id="results"><h1 id="results-title" class="small">${number(total)} ${what(total, question)}</h1>
${(question.status !== undefined || question.server !== undefined) && html`<p class="note"><a href="${searchLink({ text: question.text })}">Look among all objects</a></p>`}
${total > items.length && html`<p class="note">Here are the best ${number(items.length)}. More words find fewer.</p>`}
${items.length > 0 && treeRows(items, { paths: true })}
${items.length === 0 && html`<p class="none">All words must occur in the path, the host or the tags of an object, or be its id.</p>`}</div>
</section>`;
  return { title: `${question.text || "Search"} – prtg-exporter`, generatedAt: generated_at, question, content };
}

function what(total: number, { text, server, status }: SearchQuestion): Html {
  const objects = status === undefined ? "object" : "sensor";
  return html`${objects}${total === 1 ? "" : "s"}${text !== "" && html` for “<bdi>${text}</bdi>”`}${
    status !== undefined && html` in status <bdi>${statusText(status)}</bdi>`
  }${server !== undefined && html` of <bdi>${server}</bdi>`}`;
}
