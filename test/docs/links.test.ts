import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type DocumentPage, PAGES, parsePage, ROOT } from "./support/pages.ts";

const anchorsOf = new Map(PAGES.map(({ file, anchors }) => [file, anchors]));

function linksOf({ prose }: DocumentPage): string[] {
  const text = prose.replaceAll(/(`+).+?\1/gs, "`");
  return [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target = ""]) => target);
}

function placeOf(file: string, link: string): string {
  const [to = ""] = link.split("#", 1);
  return to === "" ? file : path.posix.join(path.posix.dirname(file), to);
}

function deadLinks(page: DocumentPage): string[] {
  return linksOf(page).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const place = placeOf(page.file, link);
    if (place !== page.file && !existsSync(path.join(ROOT, place))) return true;
    const [, fragment] = link.split("#", 2);
    const headings = place === page.file ? page.anchors : anchorsOf.get(place);
    return fragment !== undefined && headings !== undefined && !headings.has(fragment);
  });
}

/** A linked folder counts for all its pages. */
function reachableFrom(start: string): Set<string> {
  const found = new Set([start]);
  for (const file of found) {
    const page = PAGES.find((each) => each.file === file);
    for (const link of page === undefined ? [] : linksOf(page)) {
      const place = placeOf(file, link);
      for (const { file: next } of PAGES) if (next === place || next.startsWith(`${place}/`)) found.add(next);
    }
  }
  return found;
}

test("the test finds pages", () => {
  expect(PAGES.map(({ file }) => file)).toEqual(
    expect.arrayContaining(["README.md", "docs/operations.md", "deploy/helm/prtg-exporter/README.md"]),
  );
});

test("the README links to every page", () => {
  const reachable = reachableFrom("README.md");
  expect(PAGES.map(({ file }) => file).filter((file) => !reachable.has(file))).toEqual([]);
});

test.each(PAGES.map((page) => [page.file, page] as const))("links of %s are valid", (_file, page) => {
  expect(deadLinks(page)).toEqual([]);
});

test("the test finds dead links", () => {
  const text = [
    "# A page (of `links`)",
    "## Twice",
    "## Twice",
    "[a](docs/none.md) [b](#a-page-of-links) [c](#twice-1) [d](#twice-2) ![e](docs/images/none.png)",
    "[f](docs/metrics.md#labels) [g](docs/metrics.md#lables) [h](https://example.com/none) `[i](none.md)`",
    "```",
    "[j](none.md)",
    "```",
  ].join("\n");
  expect(deadLinks(parsePage("page.md", text))).toEqual([
    "docs/none.md",
    "#twice-2",
    "docs/images/none.png",
    "docs/metrics.md#lables",
  ]);
});

const NAMED_FILE = /^(?:docs|deploy|config|dashboards|scripts|bench|src|test|api|tools)\/(?!.*\.\.\.)[\w./-]+$/;

test.each(PAGES.map((page) => [page.file, page] as const))("files that %s names exist", (file, { spans }) => {
  const named = spans.filter((span) => NAMED_FILE.test(span));
  const places = [ROOT, path.join(ROOT, path.dirname(file))];
  expect(named.filter((each) => !places.some((place) => existsSync(path.join(place, each))))).toEqual([]);
});
