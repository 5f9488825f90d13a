import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Page, renderPage } from "../../../../src/http/pages/status/layout.ts";
import { overviewPage } from "../../../../src/http/pages/status/overview-page.ts";
import { NodeReport, SearchReport, StatusReport } from "../../../../src/http/pages/status/report.ts";
import { SCRIPT, STYLE } from "../../../../src/http/pages/status/respond.ts";
import { serverSection } from "../../../../src/http/pages/status/server-section.ts";
import { nodePage, searchPage } from "../../../../src/http/pages/status/tree-pages.ts";
import { chartOf, courseOf, partsOf } from "./drawings.ts";
import {
  asIs,
  downSensor,
  type Naming,
  nodeReport,
  searchReport,
  sensorReport,
  statusReport,
  summary,
} from "./reports.ts";

const around = { telemetryPath: "/metrics", hasDebugPages: true, style: STYLE, script: SCRIPT };

const PAGES = {
  overview: (name: Naming) => overviewPage(statusReport(name), [nodeReport(name)], around),
  object: (name: Naming) => nodePage(nodeReport(name), around),
  sensor: (name: Naming) => nodePage(sensorReport(name), around),
  "an overview with drawings": (name: Naming) => {
    const report = statusReport(name);
    const sections = report.servers.map((server, index) => serverSection(server, report, index, courseOf([1, 2, 3])));
    return overviewPage(report, [nodeReport(name)], around, sections);
  },
  "a sensor with drawings": (name: Naming) => {
    const report = sensorReport(name);
    const chart = chartOf(report, partsOf([1, 2, 3]));
    return nodePage(report, { ...around, chart: { kind: "drawn", chart, ageSeconds: 1 } });
  },
  "a sensor without an answer": (name: Naming) =>
    nodePage(sensorReport(name), { ...around, chart: { kind: "failed", reason: name("no") } }),
  search: (name: Naming) =>
    searchPage(searchReport(name), { text: name("sw"), server: name("hq"), status: name("down") }),
};

function rendered(page: (name: Naming) => Page, name: Naming = asIs): string {
  return renderPage(page(name), around);
}

const TAG = /<(\/?[a-z0-9]+|!doctype)((?:\s+[A-Za-z-]+(?:="[^"]*")?)*)\s*\/?>/g;

/** Names of tags and attributes in their order: what a page is, without what it says. */
function skeleton(page: string): string[] {
  return [...page.matchAll(TAG)].map(([, tag, attributes = ""]) => {
    const names = [...attributes.matchAll(/\s+([A-Za-z-]+)(?:="[^"]*")?/g)].map(([, name]) => name);
    return `${tag} ${names.join(" ")}`;
  });
}

function texts(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

/** Texts that would be markup, end an attribute, or be a place to go if they could. */
const hostile = fc.constantFrom(
  `"><script>alert(1)</script>`,
  `' onmouseover=alert(1) x='`,
  "</title></style></script><img src=x onerror=alert(1)>",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "//evil.example/",
  "<!--",
  "]]>",
  "\u202e\u0000\ud800&lt;&amp;",
);

describe.each(Object.entries(PAGES))("the page of %s", (_title, page) => {
  test("has the same tags and attributes whatever things are called", () => {
    const plain = skeleton(rendered(page, (text) => `${text} x`));
    expect(plain.length).toBeGreaterThan(60);
    fc.assert(
      fc.property(fc.infiniteStream(hostile), (names) => {
        const next = () => names.next().value ?? "";
        expect(skeleton(rendered(page, (text) => `${text} x${next()}`))).toEqual(plain);
      }),
      { numRuns: 40 },
    );
  });

  test("accounts for every angle bracket", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const whole = rendered(page, () => text);
        expect(whole.replace(TAG, "")).not.toMatch(/[<>]/);
      }),
      { numRuns: 20 },
    );
  });

  test("leads nowhere but to itself and to servers by HTTP", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const [, address = ""] of rendered(page, () => text).matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
          expect(address).toMatch(/^(?:\.\/|#|https?:\/\/|data:image\/svg\+xml,)/);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("has no script, style or handler of its own, one main heading, and landmarks", () => {
    const whole = rendered(page);
    expect(whole).not.toMatch(/\sstyle=|\son[a-z]+=|<style/);
    expect(whole.match(/<script/g)).toHaveLength(1);
    expect(whole.match(/<h1[ >]/g)).toHaveLength(1);
    for (const landmark of ["<header", "<nav", "<main", "<footer", 'role="search"']) expect(whole).toContain(landmark);
    const ids = [...whole.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test("the reports are what their schemas say", () => {
  expect(StatusReport.parse(statusReport())).toEqual(statusReport());
  for (const report of [nodeReport(), sensorReport()]) expect(NodeReport.parse(report)).toEqual(report);
  expect(SearchReport.parse(searchReport())).toEqual(searchReport());
});

describe("the overview", () => {
  const text = texts(rendered(PAGES.overview));

  test.each([
    ["collectors: when, how long, when again, what failed", "tree ✓ Complete 12 s ago 1.2 s in 5 min 0 2"],
    ["what a failure was", "no answer [API_TIMEOUT]"],
    ["failures of the API by code", "500 × 3"],
    ["the clock of the server", "2 min behind"],
    ["latency", "12 ms over 25 s 9.88 MB"],
    ["what was left out of answers", "2 bad status, 1 channels waiting for their sensor"],
    ["sensors by status", "7 Down"],
    ["a status that it does not know", "3 new status"],
    ["series and bytes", "31,764 series at /metrics"],
    ["forms of the page", "text, gzip 588 kB 110 ms"],
    ["scrapes", "17 of text/plain"],
    ["OTLP", "hq 100 1 20 90 s"],
    ["the version", "1.2.3 abcdef0"],
    ["a reload that failed", "the one read last is wrong"],
  ])("tells %s", (_what, expected) => {
    expect(text).toContain(expected);
  });

  test("says what each server is doing", () => {
    const pillOf = (more: object, ready = true) => {
      const report = statusReport();
      const [server] = report.servers;
      if (server === undefined) throw new Error("no server");
      const given = { ...report, ready, servers: [{ ...server, collectors: [], ...more }] };
      return /server demo|server hq (.) (\w+)/.exec(texts(rendered(() => overviewPage(given, [], around))))?.[2];
    };
    expect(pillOf({ up: true })).toBe("Working");
    expect(pillOf({ up: false })).toBe("Failing");
    expect(pillOf({ up: false }, false)).toBe("Starting");
    expect(pillOf({ up: false, api: { ...statusReport().servers[0]?.api, breaker_open: true } })).toBe("Unreachable");
  });
});

describe("a page of the tree", () => {
  test("leads through the channels of a sensor that has many", () => {
    const report = sensorReport();
    const sensor = report.sensor && { ...report.sensor, channels_total: 900, channels_from: 400 };
    const whole = rendered(() => nodePage({ ...report, sensor }, around));
    expect(whole).toContain('<a href="./tree?server=hq&amp;id=50&amp;from=200">Previous</a>');
    expect(whole).toContain('<a href="./tree?server=hq&amp;id=50&amp;from=402">Next</a>');
    expect(whole).toContain("900 channels");
  });

  test("shows a sensor with values, units, limits and the exact lines", () => {
    const whole = rendered(PAGES.sensor);
    expect(texts(whole)).toContain("Ping Time 0 12.346 msec 12 s ago ! error above 10");
    expect(whole).toContain("<code>prtg_channel_value{sensor_id=&quot;50&quot;} 12.3456</code>");
    expect(whole).toContain("<code>prtg_sensor_info{sensor_id=&quot;50&quot;} 1</code>");
    expect(texts(whole)).toContain("Downtime -4 sensor is paused");
    expect(whole).toContain('href="./debug/explain?object=50"');
  });

  test("gives exact times beside relative ones", () => {
    expect(rendered(PAGES.sensor)).toContain(
      '<time datetime="2026-11-21T18:44:48.000Z" title="2026-11-21 18:44:48 UTC" data-relative>12 s ago</time>',
    );
  });

  test("shows long lists in parts", () => {
    const whole = rendered(() => nodePage(nodeReport(), around));
    expect(texts(whole)).toContain("Previous 201 to 201 of 300 Next");
    expect(whole).toContain("from=201");
  });

  test("marks what can be opened", () => {
    const opens = (children: number) => {
      const report = nodeReport();
      const items = [summary(asIs, { children })];
      return rendered(() => nodePage({ ...report, children: { ...report.children, items } }, around)).includes(
        "data-opens",
      );
    };
    expect([opens(0), opens(1)]).toEqual([false, true]);
  });

  test("has a name for what has none", () => {
    expect(
      texts(rendered(() => nodePage({ ...nodeReport(), node: summary(asIs, { name: " \t" }) }, around))),
    ).toContain("(no name)");
  });
});

describe("why a sensor is not up", () => {
  const rowOf = (more: Parameters<typeof downSensor>[1]) => {
    const report = nodeReport();
    const children = { ...report.children, items: [downSensor(asIs, more)] };
    const whole = rendered(() => nodePage({ ...report, children }, around));
    return /<ul class="tree">.*<\/ul>/s.exec(whole)?.[0] ?? "";
  };

  test("is told in lists, with since when", () => {
    expect(texts(rowOf({}))).toContain("sw-1 ✕ Down for 12 min 2 channels Timeout (code: PE018)");
    expect(rowOf({})).toContain(
      '<time datetime="2026-11-21T18:33:00.000Z" title="since 2026-11-21 18:33:00 UTC" data-span>12 min</time>',
    );
    expect(texts(rendered(PAGES.search))).toContain("✕ Down for 12 min 2 channels Timeout (code: PE018)");
  });

  test("is left out where the server says nothing, and of sensors that are up", () => {
    expect(texts(rowOf({ message: null, status_since: null }))).toMatch(/sw-1 ✕ Down 2 channels\s*$/);
    expect(texts(rowOf({ status: "up", message: "OK" }))).toMatch(/sw-1 ✓ Up 2 channels\s*$/);
  });

  test("is told at length on the page of the sensor, with when it was up", () => {
    const page = texts(rendered(PAGES.sensor));
    expect(page).toContain("Message: Timeout (code: PE018)");
    expect(page).toContain("Last up 12 s ago");
    expect(page).not.toContain("Last down");
  });

  test("is cut in lists, between characters", () => {
    const message = `<b>${"😀".repeat(300)}`;
    const row = rowOf({ message });
    expect(row).toContain(`<bdi>&lt;b&gt;${"😀".repeat(197)}…</bdi>`);
    const report = sensorReport();
    const whole = rendered(() => nodePage({ ...report, node: { ...report.node, message } }, around));
    expect(whole).toContain(`<bdi>&lt;b&gt;${"😀".repeat(300)}</bdi>`);
  });

  test("is kept apart from what is around it, whichever way it is written", () => {
    expect(rowOf({ message: "\u202eabc\ud800" })).toContain('<span class="said"><bdi>\u202eabc\ufffd</bdi></span>');
  });
});

test("leads to the pages below /debug where there are some", () => {
  const leads = (hasDebugPages: boolean) =>
    renderPage(PAGES.overview(asIs), { ...around, hasDebugPages }).includes('href="./debug/cardinality"');
  expect([leads(true), leads(false)]).toEqual([true, false]);
});

test("the search says how much it leaves out", () => {
  expect(texts(rendered(PAGES.search))).toContain("1,234 sensors for “ sw ” in status Down of hq");
});
