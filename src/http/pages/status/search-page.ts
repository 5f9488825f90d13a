import { STATUS_ORDER } from "../../../prtg/status.ts";
import { crumbs } from "./components.ts";
import { number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { type Page, SEARCH_FORM } from "./layout.ts";
import { searchLink } from "./links.ts";
import { wordPattern } from "./matches.ts";
import { objectTable, pages } from "./object-table.ts";
import type { SearchReport } from "./report.ts";
import type { SearchQuery } from "./source.ts";
import { statusText } from "./status-marks.ts";
import { isProblem, PROBLEM_STATUSES } from "./status-order.ts";

/** `/search`: objects by words and filters. */
export function searchPage(report: SearchReport, query: SearchQuery): Page {
  const { total, items, page, generated_at } = report;
  const at = (number: number) => searchLink({ ...query, page: number });
  const content = html`${crumbs("Search")}
<section class="panel" aria-labelledby="results-title">
${filters(query, report.servers)}
<div id="results"><h1 id="results-title" class="small">${number(total)} ${foundThings(total, query)}</h1>
${isFiltered(query) && html`<p class="note"><a href="${searchLink({ text: query.text })}">Remove all filters</a></p>`}
${
  items.length > 0 &&
  objectTable(items, {
    now: generated_at,
    label: "Results",
    places: "server and path",
    words: wordPattern(query.text),
    sort: query.sort,
    sortLink: (sort) => searchLink({ ...query, sort, page: 1 }),
  })
}${pages({ from: page.from, count: items.length, total }, at(page.number - 1), at(page.number + 1))}
${items.length === 0 && html`<p class="none">The path, host or tags of an object must contain all words, or its id must equal the word. Every filter must match.</p>`}</div>
</section>`;
  return { title: `${query.text || "Search"} – prtg-exporter`, generatedAt: generated_at, query, content };
}

function isFiltered({ server, statuses, priorities, tag, probe }: SearchQuery): boolean {
  return server !== undefined || statuses.length > 0 || priorities.length > 0 || tag !== "" || probe !== "";
}

/** `sensors for “uplink” in status Down, tag wan of hq` */
function foundThings(total: number, { text, server, statuses, priorities, tag, probe }: SearchQuery): Html {
  const hasParents = statuses.length === 0 || statuses.some((status) => isProblem("device", status));
  const conditions = [
    text !== "" && html` for “<bdi>${text}</bdi>”`,
    statuses.length > 0 && ` in status ${statuses.map(statusText).join(", ")}`,
    priorities.length > 0 && `, priority ${priorities.join(", ")}`,
    tag !== "" && html`, tag <bdi>${tag}</bdi>`,
    probe !== "" && html`, probe <bdi>${probe}</bdi>`,
    server !== undefined && html` of <bdi>${server}</bdi>`,
  ];
  return html`${hasParents ? "object" : "sensor"}${total === 1 ? "" : "s"}${conditions}`;
}

type Choice = readonly [value: string, text: string];

const STATUS_CHOICES: readonly Choice[] = [
  ["", "Any status"],
  [PROBLEM_STATUSES.join(","), "All problems"],
  ...STATUS_ORDER.map((status): Choice => [status, statusText(status)]),
];
const PRIORITY_CHOICES: readonly Choice[] = [
  ["", "Any priority"],
  ["5", "5 (highest)"],
  ["4,5", "4 and 5"],
  ["3,4,5", "3 to 5"],
  ["2,3,4,5", "2 to 5"],
  ["1", "1 (lowest)"],
];

/** Fields of the search form in the page's header, so that both are sent together. */
function filters({ server, statuses, priorities, tag, probe }: SearchQuery, servers: readonly string[]): Html {
  return html`<div class="filters" role="group" aria-label="Filters">
${serverField(server, servers)}
${choiceField("status", "Status", STATUS_CHOICES, statuses.join(","))}
${choiceField("priority", "Priority", PRIORITY_CHOICES, priorities.join(","))}
${textField("tag", "Tag", tag)}
${textField("probe", "Probe", probe)}
<button type="submit" form="${SEARCH_FORM}">Filter</button>
</div>`;
}

/** Nothing to choose with one server, unless the link names it. Too many servers have no list. */
function serverField(server: string | undefined, servers: readonly string[]): Html | false {
  const choices = [["", "Any server"], ...servers.map((name): Choice => [name, name])] as const;
  if (servers.length > 1) return choiceField("server", "Server", choices, server ?? "", (name) => name);
  return (server !== undefined || servers.length === 0) && textField("server", "Server", server ?? "");
}

function choiceField(
  name: string,
  label: string,
  choices: readonly Choice[],
  current: string,
  textOf: (value: string) => string = (value) => value.split(",").map(statusText).join(", "),
): Html {
  const isKnown = choices.some(([value]) => value === current);
  const all = isKnown ? choices : [...choices, [current, textOf(current)] as const];
  return html`<label>${label} <select name="${name}" form="${SEARCH_FORM}" autocomplete="off">${all.map(
    ([value, shown]) => html`<option value="${value}"${value === current && html` selected`}>${shown}</option>`,
  )}</select></label>`;
}

function textField(name: string, label: string, current: string): Html {
  return html`<label>${label} <input name="${name}" form="${SEARCH_FORM}" value="${current}" maxlength="200" autocomplete="off" spellcheck="false"></label>`;
}
