import { describe, expect, it } from "vitest";
import {
  type DebugReport,
  type DebugSection,
  debugFailure,
  debugPage,
  debugText,
} from "../../../../src/http/pages/status/debug-view.ts";

function reportOf(...sections: DebugSection[]): DebugReport {
  return { status: 200, sections, json: {} };
}

/** The sections of a page, without its head. */
function sectionsOf(...sections: DebugSection[]): string {
  const text = String(debugPage("Explain", reportOf(...sections)).content);
  return text.slice(text.indexOf("</form>\n") + "</form>\n".length);
}

const PROPERTIES: DebugSection = {
  title: "sensor 50",
  rows: [
    ["path", "a/b"],
    ["message", ""],
  ],
  lines: ["up 1", "x\u0000 2"],
  note: "note\nof two lines",
};
const TABLE: DebugSection = {
  title: "series",
  head: ["family", "series"],
  rows: [
    ["up", "12"],
    ["down", "n/a"],
  ],
  links: ["?a=1"],
  more: "and 3 more",
};

describe("text of a page below /debug", () => {
  it("has properties, lines of the metrics page and the note", () => {
    expect(debugText(reportOf(PROPERTIES))).toBe(
      "sensor 50\n  path            a/b\n  message\n  lines served\n    up 1\n    x\ufffd 2\nnote of two lines\n",
    );
  });

  it("has tables, and says how much is left out", () => {
    expect(debugText(reportOf(TABLE))).toBe("series\nfamily  series\nup      12\ndown    n/a\nand 3 more\n");
  });

  it.each([
    [false, "one\n  no lines served\n\ntwo\nnote\n"],
    [true, "one\n\n  no lines served\n\ntwo\n\nnote\n\n"],
  ])("separates sections, and all parts if spaced is %s", (isSpaced, expected) => {
    const sections = [
      { title: "one", lines: [] },
      { title: "two", head: ["a"], rows: [], note: "note" },
    ];
    expect(debugText({ ...reportOf(...sections), isSpaced })).toBe(expected);
  });

  it("of a failure is its message", () => {
    const failure = debugFailure(404, "no such sensor");
    expect(failure).toMatchObject({ status: 404, json: { error: "no such sensor" } });
    expect(debugText(failure)).toBe("no such sensor\n");
  });
});

describe("page below /debug", () => {
  it("omits empty properties, and has lines and notes", () => {
    expect(sectionsOf(PROPERTIES)).toBe(
      '<section class="panel"><h2>sensor 50</h2>\n<table class="debug cards"><thead><tr><th scope="col">property</th><th scope="col">value</th></tr></thead>\n' +
        '<tbody><tr><th scope="row"><bdi>path</bdi></th><td data-label="value"><bdi>a/b</bdi></td></tr>' +
        '<tr><th scope="row"><bdi>line served</bdi></th><td data-label="value"><bdi>up 1</bdi></td></tr>' +
        '<tr><th scope="row"><bdi>line served</bdi></th><td data-label="value"><bdi>x\ufffd 2</bdi></td></tr></tbody></table>' +
        '<p class="note">note\nof two lines</p></section>',
    );
  });

  it("aligns numbers and links the first cell of a row that has a link", () => {
    expect(sectionsOf(TABLE)).toBe(
      '<section class="panel"><h2>series</h2>\n<table class="debug cards"><thead><tr><th scope="col">family</th><th scope="col">series</th></tr></thead>\n' +
        '<tbody><tr><th scope="row"><a href="?a=1"><bdi>up</bdi></a></th><td data-label="series" class="n"><bdi>12</bdi></td></tr>' +
        '<tr><th scope="row"><bdi>down</bdi></th><td data-label="series"><bdi>n/a</bdi></td></tr></tbody></table>' +
        '<p class="note">and 3 more</p></section>',
    );
  });

  it("says that an object has no lines, in one paragraph with other notes", () => {
    expect(sectionsOf({ title: "channel", more: "and 1 more", lines: [], note: "note" })).toBe(
      '<section class="panel"><h2>channel</h2>\n<p class="note">and 1 more, no lines served, note</p></section>',
    );
    expect(sectionsOf({ title: "channel" })).toBe('<section class="panel"><h2>channel</h2>\n</section>');
  });

  it("is below the overview and offers to explain another object", () => {
    const page = debugPage("Cardinality", reportOf());
    expect(page).toMatchObject({ title: "Cardinality – prtg-exporter", isBelow: true });
    const text = String(page.content);
    expect(text).toContain('<a href="../">Overview</a>');
    expect(text).toContain("<h1>Cardinality</h1>");
    expect(text).toMatch(
      /<form class="find debug-find" aria-label="Explain" action="\.\.\/debug\/explain" method="get">.*<input id="object" name="object" type="search"/,
    );
  });
});
