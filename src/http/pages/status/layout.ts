import { momentInFull } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { HOME, sortText } from "./links.ts";
import type { Asset } from "./respond.ts";
import type { SearchQuery } from "./source.ts";

export interface Layout {
  readonly telemetryPath: string;
  readonly hasDebugPages: boolean;
  readonly style: Asset;
  readonly script: Asset;
}

export interface Page {
  readonly title: string;
  /** What the icon of the page says. */
  readonly tone?: keyof typeof ICON_COLORS | undefined;
  /** `undefined` for a page without facts. */
  readonly generatedAt?: string;
  /** The page includes data that the exporter just read from the server. */
  readonly isFresh?: boolean;
  readonly query?: SearchQuery | undefined;
  /** The page ends with links for developers. Pages below /debug always do. */
  readonly hasDeveloperLinks?: boolean;
  /** The page is in a folder, such as /debug. Without a search while typing. */
  readonly isBelow?: boolean;
  readonly content: Html;
}

/** Id of the search form. Pages add fields to it. */
export const SEARCH_FORM = "search";

const ICON_COLORS = { good: "2b6cb0", warn: "b7791f", bad: "c53030" } as const;

/** The icon of a tab turns red when something is down. */
function icon(tone: keyof typeof ICON_COLORS): string {
  return `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23${ICON_COLORS[tone]}'/%3E%3Cpath d='M2 9h3l2-5 3 8 2-3h2' fill='none' stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E`;
}

export function renderPage(page: Page, layout: Layout): string {
  const {
    title,
    generatedAt,
    isFresh = false,
    isBelow = false,
    hasDeveloperLinks = false,
    query,
    tone = "good",
    content,
  } = page;
  const up = isBelow ? "../" : HOME;
  const { style, script } = layout;
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon(tone)}">
<link rel="stylesheet" href="${up}${style.path.slice(1)}">
<script defer src="${up}${script.path.slice(1)}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="${up}"><span aria-hidden="true" class="brand-mark">⌁</span>prtg-exporter</a>
<form class="find" id="${SEARCH_FORM}" role="search" action="${up}search" method="get">
<label class="hidden" for="q">Search the tree</label>
<input id="q" name="q" type="search" placeholder="Search names, hosts, tags, ids" autocomplete="off" spellcheck="false" maxlength="200" value="${query?.text ?? ""}">
${query?.sort !== undefined && html`<input type="hidden" name="sort" value="${sortText(query.sort)}">`}
<button type="submit">Search</button>
</form>
<nav aria-label="Pages">
<a href="${up}">Overview</a>
</nav>
</header>
<main id="main" tabindex="-1">
${!isBelow && html`<section id="found" class="panel" aria-label="Search results" aria-live="polite" hidden></section>`}
${content}
${(hasDeveloperLinks || isBelow) && developerLinks(up, layout)}
</main>
<footer>
<p id="as-of" data-live>${generatedAt !== undefined && html`As of ${momentInFull(generatedAt, generatedAt)}${isFresh ? "." : ", from memory. This page sends no requests to PRTG."}`}</p>
</footer>
</body>
</html>
`;
  return whole.toString();
}

/** Pages about the exporter, which operators do not need. */
function developerLinks(up: string, { telemetryPath, hasDebugPages }: Layout): Html {
  const pages = [
    [telemetryPath.slice(1), "Metrics"],
    ...(hasDebugPages ? [["debug/cardinality", "Cardinality"] as const, ["debug/runs", "Runs"] as const] : []),
    ["status.json", "JSON"],
  ] as const;
  return html`<nav class="developers" aria-label="For developers">${pages.map(([path, text]) => html`<a href="${up}${path}">${text}</a> `)}</nav>`;
}
