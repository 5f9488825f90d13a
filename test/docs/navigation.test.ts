import path from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY, siteLink } from "../../docs/.vitepress/links.ts";
import { type Entry, NAVIGATION } from "../../docs/.vitepress/navigation.ts";
import { PAGES, ROOT } from "./support/pages.ts";

const DOCS = path.join(ROOT, "docs");

function linksIn(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ link, items = [] }) => [...(link === undefined ? [] : [link]), ...linksIn(items)]);
}

/** The address in the site of a page of the repository. */
function addressOf(file: string): string {
  return file
    .replace(/^docs/, "")
    .replace(/README\.md$/, "")
    .replace(/\.md$/, "");
}

describe("navigation of the site", () => {
  test("has each page once, except the start page", () => {
    const pages = PAGES.map(({ file }) => file).filter((file) => file.startsWith("docs/") && file !== "docs/index.md");
    expect(linksIn(NAVIGATION).toSorted()).toEqual(pages.map(addressOf).toSorted());
  });

  test("groups pages by purpose", () => {
    expect(NAVIGATION.map(({ text }) => text)).toEqual(["Tutorial", "How-to", "Reference", "Explanation", "Internals"]);
  });
});

describe("links of the site", () => {
  test.each([
    { title: "keeps a page", href: "metrics.md#labels", leads: "metrics.md#labels" },
    { title: "keeps an anchor", href: "#labels", leads: "#labels" },
    { title: "keeps an address", href: "https://example.com/a.md", leads: "https://example.com/a.md" },
    { title: "serves the index of a folder", href: "decisions/README.md", leads: "decisions/index.md" },
    {
      title: "takes a file from GitHub",
      href: "../README.md#60-seconds",
      leads: `${REPOSITORY}/blob/main/README.md#60-seconds`,
    },
    { title: "takes a folder from GitHub", href: "runbooks", leads: `${REPOSITORY}/tree/main/docs/runbooks` },
    {
      title: "takes a file that is no page from GitHub",
      href: "server-report.schema.json",
      leads: `${REPOSITORY}/blob/main/docs/server-report.schema.json`,
    },
    { title: "leaves a dead link to the build", href: "../none.yaml", leads: "../none.yaml" },
  ])("$title", ({ href, leads }) => {
    expect(siteLink(href, path.join(DOCS, "alerts.md"), DOCS)).toBe(leads);
  });
});
