import { describe, expect, it } from "vitest";
import { searchPage } from "../../../../src/http/pages/status/search-page.ts";
import type { SearchQuery } from "../../../../src/http/pages/status/source.ts";
import { ANY_SEARCH, asIs, searchReport } from "./reports.ts";

function pageOf(query: Partial<SearchQuery>, report: Partial<ReturnType<typeof searchReport>> = {}) {
  return searchPage({ ...searchReport(asIs), ...report }, { ...ANY_SEARCH, ...query });
}

function shown(...given: Parameters<typeof pageOf>): string {
  return String(pageOf(...given).content);
}

/** `1,234 objects for “sw”`, without tags. */
function headline(...given: Parameters<typeof pageOf>): string | undefined {
  return /<h1[^>]*>(.*?)<\/h1>/s.exec(shown(...given))?.[1]?.replaceAll(/<[^>]+>/g, "");
}

describe("headline of a search", () => {
  it.each<[Partial<SearchQuery>, string]>([
    [{}, "1,234 objects"],
    [{ text: "sw" }, "1,234 objects for “sw”"],
    [{ statuses: ["down", "up"] }, "1,234 objects in status Down, Up"],
    // Only sensors have these statuses.
    [{ statuses: ["unknown"] }, "1,234 sensors in status Unknown"],
    [{ statuses: ["up", "unusual"] }, "1,234 objects in status Up, Unusual"],
    [{ priorities: [4, 5] }, "1,234 objects, priority 4, 5"],
    [{ tag: "wan" }, "1,234 objects, tag wan"],
    [{ probe: "hq" }, "1,234 objects, probe hq"],
    [{ server: "lab" }, "1,234 objects of lab"],
  ])("names the conditions %j", (query, expected) => {
    expect(headline(query)).toBe(expected);
  });

  it("counts one object", () => {
    expect(headline({}, { total: 1 })).toBe("1 object");
  });
});

describe("page of a search", () => {
  it("has the title of its words", () => {
    expect(pageOf({ text: "core" })).toMatchObject({
      title: "core – prtg-exporter",
      generatedAt: searchReport().generated_at,
      query: { text: "core" },
    });
    expect(pageOf({}).title).toBe("Search – prtg-exporter");
    expect(shown({})).toContain('<li aria-current="page">Search</li>');
  });

  it.each<Partial<SearchQuery>>([
    { server: "hq" },
    { statuses: ["down"] },
    { priorities: [1] },
    { tag: "wan" },
    { probe: "hq" },
  ])("offers to remove the filter %j and keeps the words", (filter) => {
    const link = '<p class="note"><a href="./search?q=sw">Remove all filters</a></p>';
    expect(shown({ text: "sw", ...filter })).toContain(link);
    expect(shown({ text: "sw" })).not.toContain("Remove all filters");
  });

  it("keeps the whole question in the links to other pages and orders", () => {
    const query = { text: "sw", statuses: ["down"], page: 2, sort: { key: "name", isDescending: true } } as const;
    const page = shown(query);
    expect(page).toContain('<a href="./search?q=sw&amp;status=down&amp;sort=-name">Previous</a>');
    expect(page).toContain("<span>101 to 102 of 1,234</span>");
    expect(page).toContain('<a href="./search?q=sw&amp;status=down&amp;sort=-name&amp;page=3">Next</a>');
    // Another order starts with the first page. The order in use turns around.
    expect(page).toContain('<a href="./search?q=sw&amp;status=down&amp;sort=status">Status</a>');
    expect(page).toMatch(/aria-sort="descending"><a href="[^"]*;sort=name">Name<\/a>/);
  });

  it("marks the words in names and places, next to the server", () => {
    const page = shown({ text: "berlin" });
    expect(page).toContain('aria-label="Results"');
    expect(page).toContain('<span class="path"><bdi>hq</bdi> / <bdi class="above"><mark>Berlin</mark></bdi>');
  });

  it("explains a search without results", () => {
    const nothing = shown({ text: "sw" }, { total: 0, items: [] });
    expect(nothing).toContain('<p class="none">The path, host or tags of an object must contain all words');
    expect(nothing).not.toContain("<table");
    expect(shown({ text: "sw" })).not.toContain('<p class="none">The path');
  });
});

describe("filters of a search", () => {
  const field = (page: string, name: string) =>
    new RegExp(`<label>[^<]* <(?:select|input) name="${name}".*?</label>`, "s").exec(page)?.[0];

  it("offers ranges of priorities, the highest first", () => {
    expect(field(shown({ priorities: [3, 4, 5] }), "priority")).toBe(
      '<label>Priority <select name="priority" form="search" autocomplete="off">' +
        '<option value="">Any priority</option><option value="5">5 (highest)</option><option value="4,5">4 and 5</option>' +
        '<option value="3,4,5" selected>3 to 5</option><option value="2,3,4,5">2 to 5</option><option value="1">1 (lowest)</option>' +
        "</select></label>",
    );
  });

  it.each(["tag", "probe"] as const)("has the %s as text", (name) => {
    const label = name === "tag" ? "Tag" : "Probe";
    expect(field(shown({ [name]: "a&b" }), name)).toBe(
      `<label>${label} <input name="${name}" form="search" value="a&amp;b" maxlength="200" autocomplete="off" spellcheck="false"></label>`,
    );
  });

  it.each<[string, readonly string[], string | undefined, string | undefined]>([
    ["several servers", ["hq", "lab"], undefined, "Any server"],
    ["a server that is not in the list", ["hq", "lab"], "gone_x", "gone_x"],
    ["one server", ["hq"], undefined, undefined],
  ])("has the choice of %s", (_what, servers, server, selected) => {
    const choice = field(shown({ server }, { servers: [...servers] }), "server");
    expect(/ selected>(.*?)</.exec(choice ?? "")?.[1]).toBe(selected);
  });

  it("has the name of the server as text if the link names it and there is no list", () => {
    expect(field(shown({ server: "hq" }, { servers: ["hq"] }), "server")).toContain('value="hq"');
    expect(field(shown({}, { servers: [] }), "server")).toContain('value=""');
  });
});
