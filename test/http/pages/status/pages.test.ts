import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changesPage } from "../../../../src/http/pages/status/changes-page.ts";
import type { StatusCourse } from "../../../../src/http/pages/status/courses.ts";
import { html } from "../../../../src/http/pages/status/html.ts";
import { type Page, renderPage } from "../../../../src/http/pages/status/layout.ts";
import { overviewPage, singleServerPage } from "../../../../src/http/pages/status/overview-page.ts";
import { NodeReport, SearchReport, StatusReport } from "../../../../src/http/pages/status/report.ts";
import { SCRIPT, STYLE } from "../../../../src/http/pages/status/respond.ts";
import { searchPage } from "../../../../src/http/pages/status/search-page.ts";
import { nodePage } from "../../../../src/http/pages/status/sensor-view.ts";
import type { ServerReport } from "../../../../src/http/pages/status/server-report.ts";
import { type ServerFacts, serverPage, theServerOf } from "../../../../src/http/pages/status/server-section.ts";
import { statePill } from "../../../../src/http/pages/status/status-marks.ts";
import { PROBLEM_STATUSES, SERVER_STATES } from "../../../../src/http/pages/status/status-order.ts";
import { STATUS_ORDER } from "../../../../src/prtg/status.ts";
import { chartOf, courseOf, partsOf } from "./drawings.ts";
import {
  ANY_SEARCH,
  asIs,
  changesReport,
  downSensor,
  type Naming,
  nodeReport,
  searchReport,
  sensorReport,
  serverListReport,
  statusReport,
  summary,
} from "./reports.ts";

const around = {
  ...{ telemetryPath: "/metrics", hasDebugPages: true, style: STYLE, script: SCRIPT },
  changes: changesReport(),
};

function factsOf(report: StatusReport, root: NodeReport, course: StatusCourse = []): ServerFacts {
  const server = theServerOf(report);
  if (server === undefined) throw new Error("not about one server");
  return { server, root, course, hasDebugPages: true };
}

function singlePage(report: StatusReport, root: NodeReport, course: StatusCourse = []): Page {
  return singleServerPage(report, factsOf(report, root, course), { find: "", page: 1, view: "grouped" }, around);
}

const PAGES = {
  "one server": (name: Naming) => singlePage(statusReport(name), nodeReport(name)),
  "many servers": (name: Naming) =>
    overviewPage(
      serverListReport(name),
      { find: name("cust"), page: 2, view: "grouped" },
      () => courseOf([0, 3, 1]),
      around,
    ),
  "a server": (name: Naming) => serverPage(statusReport(name), factsOf(statusReport(name), nodeReport(name))),
  changes: (name: Naming) => changesPage(changesReport(name), undefined),
  "changes of a server": (name: Naming) => changesPage(changesReport(name, []), name("hq")),
  object: (name: Naming) => nodePage(nodeReport(name), around),
  sensor: (name: Naming) => nodePage(sensorReport(name), around),
  "one server with drawings": (name: Naming) => singlePage(statusReport(name), nodeReport(name), courseOf([1, 2, 3])),
  "a sensor with drawings": (name: Naming) => {
    const report = sensorReport(name);
    const chart = chartOf(report, partsOf([1, 2, 3]));
    return nodePage(report, { ...around, chart: { kind: "drawn", chart, ageSeconds: 1 } });
  },
  "a sensor without an answer": (name: Naming) =>
    nodePage(sensorReport(name), { ...around, chart: { kind: "failed", reason: name("no") } }),
  search: (name: Naming) => {
    const report = searchReport(name);
    const [server] = report.servers;
    const more = { text: name("sw"), statuses: ["down"], tag: name("switch"), probe: name("hq probe") };
    return searchPage(report, { ...ANY_SEARCH, ...more, server });
  },
};

function rendered(page: (name: Naming) => Page, name: Naming = asIs): string {
  return renderPage(page(name), around);
}

const TAG = /<(\/?[a-z0-9]+|!doctype)((?:\s+[A-Za-z-]+(?:="[^"]*")?)*)\s*\/?>/g;

/** Without the marks of a search, which depend on the names. */
function skeleton(page: string): string[] {
  const plain = page.replace(/<\/?mark>/g, "");
  return [...plain.matchAll(TAG)].map(([, tag, attributes = ""]) => {
    const names = [...attributes.matchAll(/\s+([A-Za-z-]+)(?:="[^"]*")?/g)].map(([, name]) => name);
    return `${tag} ${names.join(" ")}`;
  });
}

function texts(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

/** Try to be markup, attribute or URL. */
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

describe.each(Object.entries(PAGES))("page of %s", (_title, page) => {
  test("has the same tags and attributes for any names", () => {
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

  test("links only to itself and to servers by HTTP", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const [, address = ""] of rendered(page, () => text).matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
          expect(address).toMatch(/^(?:\.\/|#|https?:\/\/|data:image\/svg\+xml,)/);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("has no inline script, style or handler, one main heading, and landmarks", () => {
    const whole = rendered(page);
    expect(whole).not.toMatch(/\sstyle=|\son[a-z]+=|<style/);
    expect(whole.match(/<script/g)).toHaveLength(1);
    expect(whole.match(/<h1[ >]/g)).toHaveLength(1);
    for (const landmark of ["<header", "<nav", "<main", "<footer", 'role="search"']) expect(whole).toContain(landmark);
    const ids = [...whole.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test("the reports match their schemas", () => {
  for (const report of [statusReport(), serverListReport()]) expect(StatusReport.parse(report)).toEqual(report);
  for (const report of [nodeReport(), sensorReport()]) expect(NodeReport.parse(report)).toEqual(report);
  expect(SearchReport.parse(searchReport())).toEqual(searchReport());
});

describe("page of one server", () => {
  const text = texts(rendered(PAGES["one server"]));

  test.each([
    ["collectors: when, how long, when again, what failed", "tree ✓ Complete 12 s ago 1.2 s in 5 min 0 2"],
    ["the last failure", "no answer within 30 s [API_TIMEOUT]"],
    ["failures of the API by code", "500 × 3"],
    ["the clock of the server", "2 min behind"],
    ["latency", "12 ms over 25 s 9.88 MB"],
    ["data problems", "2 status problems, 1 channels waiting for their sensor"],
    ["sensors by status", "7 Down"],
    ["a status that it does not know", "3 new status"],
    ["series and bytes", "31,764 series at /metrics"],
    ["forms of the page", "text, gzip 588 kB 110 ms"],
    ["scrapes by media type", "17 of text/ plain"],
    ["OTLP", "Delivered 100 Rejected ! 1 rejected Pending 20, oldest 90 s"],
    ["the version", "1.2.3 abcdef0"],
    ["a reload that failed", "reload failed: running the configuration of"],
  ])("shows %s", (_what, expected) => {
    expect(text).toContain(expected);
  });

  test.each(SERVER_STATES)("shows the server state %s", (state) => {
    const report = statusReport();
    const servers = report.servers.map((server) => ({ ...server, state }));
    const shown = texts(rendered(() => singlePage({ ...report, servers }, nodeReport())));
    expect(shown).toContain(`server hq${texts(String(statePill(state)))}`);
  });
});

describe("facts of a server's API and push", () => {
  const [server] = statusReport().servers;
  const { api, measurements } = server ?? {};
  if (server === undefined || api === undefined) throw new Error("no server to begin with");

  test.each([
    [{ api: { ...api, breaker_open: true } }, "Circuit breaker ✕ open: requests are paused Requests"],
    [{ api: { ...api, breaker_open: false } }, "Circuit breaker ✓ closed Requests"],
    [{ api: { ...api, in_flight: 0 } }, "Requests 1,234 Failures"],
    [{ api: { ...api, in_flight: 2 } }, "Requests 1,234 and 2 in flight Failures"],
    [{ api: { ...api, failures: {} } }, "Failures none Clock"],
    [{ api: { ...api, clock_offset_seconds: -2 } }, "Clock in sync"],
    [{ api: { ...api, clock_offset_seconds: 3 } }, "Clock 3 s ahead"],
    [{ problems: { decode: {}, waiting_channels: 0, orphans: 0 } }, "Data problems none"],
    [{ measurements: measurements && { ...measurements, rejected: 0, pending: 0 } }, "none rejected Pending none"],
  ])("shows %j", (more, expected) => {
    const report = { ...statusReport(), servers: [{ ...server, ...more }] };
    const page = serverPage(report, factsOf(report, nodeReport()));
    expect(texts(rendered(() => page))).toContain(expected);
  });
});

describe("last run of a collector", () => {
  const [server] = statusReport().servers;
  const complete = server?.collectors?.[0];
  if (server === undefined || complete === undefined) throw new Error("no collector to begin with");

  test.each([
    ["is complete", {}, "✓ Complete"],
    ["left something out", { complete: false }, "! Incomplete"],
    ["failed", { error: "no" }, "✕ Failed"],
    ["is yet to come", { last_duration_seconds: null }, "… Pending"],
    ["was the last", { state: "off" }, "– Off: endpoint missing"],
  ] as const)("shows a run that %s", (_what, more, expected) => {
    const servers = [{ ...server, collectors: [{ ...complete, ...more }] }];
    const shown = texts(rendered(() => singlePage({ ...statusReport(), servers }, nodeReport())));
    const [, lastRun = ""] = shown.split("Skipped tree ");
    expect(lastRun.slice(0, expected.length)).toBe(expected);
  });
});

describe("server that has never answered", () => {
  const reason = "/health: no usable connection [API_CONNECTION_FAILED] Check servers[].url.";
  const failed = ["health", "tree", "status"];

  function lost(): StatusReport {
    const report = statusReport();
    const [server] = report.servers;
    const [collector] = server?.collectors ?? [];
    if (server === undefined || collector === undefined) throw new Error("no server to begin with");
    const nothing: Partial<ServerReport> = {
      ...{ state: "unreachable", up: false, last_poll_at: null, failed_collectors: failed, reason, version: null },
      ...{ sensors_by_status: {}, parents_by_status: { probe: {}, group: {}, device: {} } },
      objects: { probe: 0, group: 0, device: 0, sensor: 0, channel: 0 },
    };
    const collectors = failed.map((name) => {
      const error = reason.replace("/health", `/${name}`);
      return { ...collector, name, last_success_at: null, complete: false, error };
    });
    const totals = { ...report.totals, servers_by_state: { unreachable: 1 }, sensors_by_status: {} };
    return {
      ...{ ...report, totals, problems: { total: 0, recent: 0, items: [] } },
      servers: [{ ...server, ...nothing, collectors }],
    };
  }

  const root = () => ({ ...nodeReport(), children: { total: 0, from: 0, items: [] } });

  test.each([
    ["the overview", () => singlePage(lost(), root())],
    ["its page", () => serverPage(lost(), factsOf(lost(), root()))],
  ])("says on %s that nothing is known, since when and why, once", (_title, page) => {
    const whole = renderPage(page(), around);
    const text = texts(whole);
    expect(whole).toContain('<h2 id="problems-title">Nothing is known of this server</h2>');
    expect(text).toContain(
      "hq : nothing is known, no poll has succeeded since 2026-11-21 18:32:00 UTC ( 13 min ): /health: no usable connection [API_CONNECTION_FAILED] Check servers[].url .",
    );
    expect(text.match(/no usable connection/g)).toHaveLength(1);
    expect(text.match(/✕ Failed/g)).toHaveLength(3);
    expect(text).not.toMatch(/No children|0 sensors|No sensor is down|as of the last poll|no poll yet/);
    // Changes of the last hour and the health, which are not known either.
    expect(whole).not.toContain('class="glance"');
  });

  test("is in the list of servers with the reason and without counts", () => {
    const { collectors, api, problems, measurements, ...entry } = lost().servers[0] ?? {};
    const report = serverListReport(asIs, entry);
    const empty = { ...report, problems: { total: 0, recent: 0, items: [] } };
    const page = overviewPage(empty, { find: "", page: 1, view: "grouped" }, () => [], around);
    const text = texts(renderPage(page, around));
    expect(text).toMatch(
      /hq ⊘ Not reachable nothing is known, no poll has succeeded since [^?]*Check servers\[\]\.url never/,
    );
    expect(text).toContain("No problem is known");
    expect(text).not.toContain("as of the last poll never");
  });

  test.each([
    [{ state: "failing" }, "No problem is known"],
    [{ state: "starting", last_poll_at: null }, "No problems known yet"],
    [{ state: "working" }, "Nothing is down, unknown, in warning or unusual"],
  ] as const)("differs from one with %j", (more, headline) => {
    const report = statusReport();
    const servers = report.servers.map((server) => ({ ...server, ...more }));
    const shown = singlePage({ ...report, servers, problems: { total: 0, recent: 0, items: [] } }, nodeReport());
    expect(renderPage(shown, around)).toContain(`<h2 id="problems-title">${headline}</h2>`);
  });

  test("keeps different errors of collectors", () => {
    const [server] = lost().servers;
    const collectors = (server?.collectors ?? []).map((each) => ({
      ...each,
      error: each.name === "tree" ? "/experimental/sensors: no permission [API_FORBIDDEN]" : each.error,
    }));
    const report = { ...lost(), servers: server === undefined ? [] : [{ ...server, collectors }] };
    const text = texts(renderPage(singlePage(report, root()), around));
    expect(text.match(/no permission/g)).toHaveLength(1);
    expect(text.match(/no usable connection/g)).toHaveLength(1);
  });
});

describe("headline of the problems", () => {
  const UP = { probe: { up: 3 }, group: {}, device: {} };

  test.each([
    [
      { down: 293, unknown: 749, warning: 53, unusual: 4, acknowledged: 50, pausedbyuser: 9 },
      { ...UP, probe: { disconnected: 1, up: 2 }, group: { unknown: 12, pausedbyuser: 1 } },
      "293 down, 3 of them in the last hour; 1 probe disconnected; 749 unknown; 57 in warning or unusual; 50 acknowledged",
    ],
    [{ up: 9 }, { ...UP, probe: { disconnected: 2 }, device: { down: 1 } }, "2 probes disconnected; 1 device down"],
    [{ unknown: 386, up: 1 }, UP, "386 unknown"],
    [{ disconnected: 2, down: 1 }, UP, "3 down, all of them in the last hour"],
    [{ down: 1 }, UP, "1 down, in the last hour"],
  ])("counts %j and %j", (sensors_by_status, parents_by_status, expected) => {
    const report = statusReport();
    const counts = { sensors_by_status, parents_by_status };
    const servers = report.servers.map((server) => ({ ...server, ...counts }));
    const list = { ...serverListReport(), totals: { ...serverListReport().totals, ...counts } };
    const pages = [
      singlePage({ ...report, servers }, nodeReport()),
      serverPage({ ...report, servers }, factsOf({ ...report, servers }, nodeReport())),
      overviewPage(list, { find: "", page: 1, view: "grouped" }, () => [], around),
    ];
    for (const page of pages) {
      expect(renderPage(page, around)).toContain(`<h2 id="problems-title">${expected}</h2>`);
    }
  });

  test("is about a row for the probe, with its time and the sensors below it", () => {
    const probe = summary(asIs, {
      ...{ kind: "probe", status: "disconnected", status_since: "2026-11-21T18:43:00.000Z" },
      sensors_by_status: { unknown: 749, pausedbyuser: 2 },
    });
    const report = { ...statusReport(), problems: { total: 2, recent: 0, items: [probe, downSensor()] } };
    const shown = texts(renderPage(singlePage(report, nodeReport()), around));
    expect(shown).toMatch(
      /⊘ Disconnected 3 sw-1 probe Berlin\/? 2 min ago , 18:4\d \? 749 Unknown, ‖ 2 Paused by user,/,
    );
  });
});

describe("page of many servers", () => {
  const listed = (more: Parameters<typeof serverListReport>[1] = {}, course: StatusCourse = courseOf([0, 3, 1])) =>
    rendered(() =>
      overviewPage(serverListReport(asIs, more), { find: "", page: 2, view: "grouped" }, () => course, around),
    );

  test("has totals and a line for each shown server", () => {
    const shown = texts(listed());
    expect(shown).toContain("120 servers ⊘ 1 Not reachable ✕ 2 Polls fail ✓ 117 Reachable");
    expect(shown).toContain("1 probe, 2 groups, 3 devices, 4,000 sensors, 5 channels");
    expect(shown).toContain(
      "hq ✕ Polls fail channels failed: no answer [API_TIMEOUT] ✕ 7 Down, ✓ 3,990 Up, • 3 new status, as of the last poll 12 s ago Now 1, at most 3",
    );
    expect(listed()).toContain('<td class="outdated">');
    expect(listed().match(/<tr>\s*<th scope="row"><a href="\.\/tree\?server=hq">/g)).toHaveLength(50);
  });

  test("links to the previous and the next page and keeps the search", () => {
    expect(listed()).toContain('<a href="./">Previous</a>');
    expect(listed()).toContain('<a href="./?page=3">Next</a>');
    expect(texts(listed())).toContain("51 to 100 of 120");
    const found = rendered(() =>
      overviewPage(serverListReport(), { find: "a&b", page: 2, view: "grouped" }, () => [], around),
    );
    expect(found).toContain('<a href="./?find=a%26b&amp;page=3">Next</a>');
    expect(found).toContain('name="find" type="search"');
    expect(found).toContain('value="a&amp;b"');
    expect(texts(found)).toContain("120 with “ a&amp;b ” in the name");
  });

  test("groups statuses that need the same action", () => {
    const sensors_by_status = { down: 1, partialdown: 2, acknowledged: 3, unusual: 4, up: 5, pauseduntil: 6, none: 7 };
    expect(texts(listed({ sensors_by_status }))).toContain(
      "✕ 3 Down, ≈ 4 Unusual, ✎ 3 Acknowledged, ✓ 5 Up, ‖ 13 Paused or other, ",
    );
  });

  test("never groups unknown with paused", () => {
    const sensors_by_status = { up: 1, pausedbyuser: 3, unknown: 4, collecting: 2 };
    const row = listed({ sensors_by_status });
    expect(texts(row)).toContain("? 4 Unknown, ✓ 1 Up, ‖ 5 Paused or other, ");
    expect(row).toContain('<span class="tally blind" title="Unknown">');
    expect(row).toContain('<span class="tally still" title="Paused or other">');
  });

  test("names disconnected probes of each server", () => {
    const parents_by_status = { probe: { up: 1, disconnected: 2 }, group: { unknown: 9 }, device: { down: 1 } };
    const shown = texts(listed({ state: "working", failed_collectors: [], reason: null, parents_by_status }));
    expect(shown).toContain("hq ✓ Reachable ✕ 2 probes disconnected ✕ 1 device down ✕ 7 Down");
  });

  test("has no details", () => {
    expect(listed()).not.toMatch(/<details data-key="endpoints"|Collectors/);
  });

  test("shortens errors between characters", () => {
    const row = listed({ reason: `<b>${"😀".repeat(300)}` });
    expect(row).toContain(`<bdi>&lt;b&gt;${"😀".repeat(97)}…</bdi>`);
  });

  test("omits missing reasons and times", () => {
    const shown = texts(listed({ state: "starting", failed_collectors: [], reason: null, last_poll_at: null }, []));
    expect(shown).toMatch(/hq … Connecting ✕ 7 Down, ✓ 3,990 Up, • 3 new status, never hq/);
  });

  test("reports a search without results", () => {
    const report = { ...serverListReport(), servers: [], page: { number: 1, pages: 1, from: 0, matching: 0 } };
    const shown = rendered(() => overviewPage(report, { find: "nowhere", page: 1, view: "grouped" }, () => [], around));
    expect(texts(shown)).toContain("0 with “ nowhere ” in the name");
    expect(shown).not.toContain('<table class="servers"');
  });
});

test.each([
  [false, "<dd>23 %</dd>"],
  [true, "23 % <span"],
])("the page shows the load of the process and deferred time series: %s", (extra_held_back, shown) => {
  const report = serverListReport();
  const process = { ...report.process, extra_held_back };
  const page = overviewPage({ ...report, process }, { find: "", page: 1, view: "grouped" }, () => [], around);
  const text = renderPage(page, around);
  expect(text).toContain(shown);
  expect(text.includes("time series are delayed")).toBe(extra_held_back);
});

test("the page of a server links back and to its tree", () => {
  const page = rendered(PAGES["a server"]);
  expect(texts(page)).toContain("Overview hq server hq ✕ Polls fail");
  expect(texts(page)).toContain("Children (300)");
});

test("counts of a server that fails are grey and say how old they are", () => {
  const failing = rendered(PAGES["a server"]);
  expect(failing).toContain('<div class="outdated">');
  expect(failing).toContain('<div id="below" class="outdated">');
  expect(texts(failing)).toMatch(/as of the last poll, 12 s ago/);
  const report = statusReport();
  const working = { ...report, servers: report.servers.map((server) => ({ ...server, state: "working" as const })) };
  expect(rendered(() => serverPage(working, factsOf(working, nodeReport())))).not.toContain("outdated");
});

describe("page of the tree", () => {
  test("links to more channels of a large sensor", () => {
    const report = sensorReport();
    const sensor = report.sensor && { ...report.sensor, channels_total: 900, channels_from: 400 };
    const whole = rendered(() => nodePage({ ...report, sensor }, around));
    expect(whole).toContain('<a href="./tree?server=hq&amp;id=50&amp;from=200">Previous</a>');
    expect(whole).toContain('<a href="./tree?server=hq&amp;id=50&amp;from=402">Next</a>');
    expect(whole).toContain("Channels (900)");
  });

  test("shows a sensor with values, units, limits and lines of the page", () => {
    const whole = rendered(PAGES.sensor);
    expect(texts(whole)).toContain("Ping Time 0 12.346 msec 12 s ago ✕ error above 10");
    expect(whole).toContain("<code>prtg_channel_value{sensor_id=&quot;50&quot;} 12.3456</code>");
    expect(whole).toContain("<code>prtg_sensor_info{sensor_id=&quot;50&quot;} 1</code>");
    expect(texts(whole)).toContain("Downtime -4 sensor is paused");
    expect(whole).toContain('href="./debug/explain?object=50"');
  });

  test("shows long lists in parts", () => {
    const whole = rendered(() => nodePage(nodeReport(), around));
    expect(texts(whole)).toContain("Previous 201 to 201 of 300 Next");
    expect(whole).toContain("from=201");
  });

  test("marks objects with children", () => {
    const opens = (children: number) => {
      const report = nodeReport();
      const items = [summary(asIs, { children })];
      return rendered(() => nodePage({ ...report, children: { ...report.children, items } }, around)).includes(
        "data-opens",
      );
    };
    expect([opens(0), opens(1)]).toEqual([false, true]);
  });

  test("shows a name for unnamed objects", () => {
    expect(
      texts(rendered(() => nodePage({ ...nodeReport(), node: summary(asIs, { name: " \t" }) }, around))),
    ).toContain("(no name)");
  });
});

describe("reason why a sensor is not up", () => {
  const rowOf = (more: Parameters<typeof downSensor>[1]) => {
    const report = nodeReport();
    const children = { ...report.children, items: [downSensor(asIs, more)] };
    const whole = rendered(() => nodePage({ ...report, children }, around));
    return /<tr data-key.*<\/tr>/s.exec(whole)?.[0] ?? "";
  };

  test("appears in lists with its start", () => {
    const row = "✕ Down 4 Ping 12 min ago , 18:33 12 s ago Timeout (code: PE018) 12.346 msec Ping Time PRTG : Ping";
    expect(texts(rowOf({}))).toContain(row);
    expect(texts(rendered(PAGES.search))).toContain(
      "✕ Down 4 Ping hq / Berlin / sw -1 12 min ago , 18:33 12 s ago Timeout (code: PE018) 12.346 msec",
    );
  });

  test("appears with its acknowledgement, and with the message before", () => {
    const acknowledgement = {
      down_since: "2026-11-21T18:20:00.000Z",
      acknowledged_at: "2026-11-21T18:33:00.000Z",
      message_before: "Timeout <b>",
    };
    const row = (more: Partial<typeof acknowledgement> | { acknowledged_at: null; message_before: null } = {}) =>
      rowOf({
        ...{ status: "acknowledged", message: "Ticket 4711", channel: null },
        acknowledgement: { ...acknowledgement, ...more },
      });
    expect(texts(row())).toContain(
      "25 min ago , 18:20 12 s ago Timeout &lt;b&gt; · acknowledged 18:33 : Ticket 4711 PRTG",
    );
    expect(texts(row({ acknowledged_at: null, message_before: null }))).toContain("acknowledged: Ticket 4711 PRTG");
  });

  test("is absent without a message, and for sensors that are up", () => {
    expect(texts(rowOf({ message: null, status_since: null }))).toContain("Ping Time PRTG");
    expect(texts(rowOf({ status: "up", message: "OK" }))).toContain("12 min ago 12 s ago 12.346 msec Ping Time PRTG");
  });

  test("appears in full on the page of the sensor, with its last uptime", () => {
    const page = texts(rendered(PAGES.sensor));
    expect(page).toContain("Message: Timeout (code: PE018)");
    expect(page).toContain("Status since 12 s ago , 18:44 Last up 12 s ago , 18:44");
    expect(page).not.toContain("Last down");
  });

  test("is cut between characters in lists", () => {
    const message = `<b>${"😀".repeat(300)}`;
    const row = rowOf({ message });
    expect(row).toContain(`<bdi class="text">&lt;b&gt;${"😀".repeat(97)}…</bdi>`);
    const report = sensorReport();
    const whole = rendered(() => nodePage({ ...report, node: { ...report.node, message } }, around));
    expect(whole).toContain(`<bdi>&lt;b&gt;${"😀".repeat(300)}</bdi>`);
  });

  test("stays separate from other text in any direction of writing", () => {
    expect(rowOf({ message: "\u202eabc\ud800" })).toContain(
      '<bdi class="text">\u202eabc\ufffd</bdi> <span class="and">',
    );
  });
});

describe("links for developers", () => {
  const LINK = '<a href="./metrics">Metrics</a>';
  const inNavigation = (page: string) => /<nav aria-label="Pages">.*?<\/nav>/s.exec(page)?.[0];

  test("are at the end of the overview, not in the navigation", () => {
    const overview = rendered(PAGES["one server"]);
    expect(overview.indexOf(LINK)).toBeGreaterThan(overview.indexOf('id="exporter"'));
    expect(inNavigation(overview)).toMatch(/>Overview<\/a>\s*<\/nav>/);
    expect(rendered(PAGES.object)).not.toContain(LINK);
  });

  test("are at the end of pages below /debug", () => {
    const page = renderPage({ title: "Runs", isBelow: true, content: html`` }, around);
    for (const path of ["metrics", "debug/cardinality", "debug/runs", "status.json"]) {
      expect(page).toContain(`<a href="../${path}">`);
    }
  });
});

describe("choice of the server in a search", () => {
  const shown = (servers: string[], server?: string) =>
    rendered(() => searchPage({ ...searchReport(), servers }, { ...ANY_SEARCH, server }));

  test("lists several servers, with the chosen one", () => {
    const page = shown(["hq", "lab"], "lab");
    expect(page).toContain('<option value="">Any server</option>');
    expect(page).toContain('<option value="lab" selected>lab</option>');
  });

  test("is absent with one server, and a text with too many", () => {
    expect(shown(["hq"])).not.toContain('name="server"');
    expect(shown([])).toContain('<input name="server"');
  });
});

describe("choice of the status in a search", () => {
  const options = (statuses: string[]) => {
    const page = rendered(() => searchPage(searchReport(), { ...ANY_SEARCH, statuses }));
    const [, field = ""] = /<select name="status".*?>(.*?)<\/select>/s.exec(page) ?? [];
    return [...field.matchAll(/<option value="(.*?)"( selected)?>(.*?)<\/option>/g)].map(([, ...parts]) => parts);
  };

  test("has any status, all problems, and each status, the worst first", () => {
    const shown = options([]);
    expect(shown.slice(0, 3)).toEqual([
      ["", " selected", "Any status"],
      [PROBLEM_STATUSES.join(","), undefined, "All problems"],
      ["disconnected", undefined, "Disconnected"],
    ]);
    expect(shown.slice(2).map(([value]) => value)).toEqual(STATUS_ORDER);
    expect(shown.slice(2).map(([, , text]) => text)).toContain("Paused by dependency");
  });

  test("shows the chosen one, also a set of statuses that only a link has", () => {
    const chosen = (statuses: string[]) => options(statuses).filter(([, selected]) => selected !== undefined);
    expect(chosen(["warning"])).toEqual([["warning", " selected", "Warning"]]);
    expect(chosen([...PROBLEM_STATUSES])).toEqual([[PROBLEM_STATUSES.join(","), " selected", "All problems"]]);
    expect(chosen(["down", "up"])).toEqual([["down,up", " selected", "Down, Up"]]);
  });
});

test("the page links to existing pages below /debug", () => {
  const leads = (hasDebugPages: boolean) =>
    renderPage(PAGES["one server"](asIs), { ...around, hasDebugPages }).includes('href="./debug/cardinality"');
  expect([leads(true), leads(false)]).toEqual([true, false]);
});

test("the search shows the number of all results", () => {
  expect(texts(rendered(PAGES.search))).toContain(
    "1,234 objects for “ sw ” in status Down, tag switch , probe hq probe of hq",
  );
});

test("the page shows the number of values that the exporter ignores", () => {
  const report = statusReport(asIs);
  const problems = { decode: { value: 12, record: 3 }, waiting_channels: 0, orphans: 0 };
  const servers = report.servers.map((server) => ({ ...server, problems }));
  const page = renderPage(singlePage({ ...report, servers }, nodeReport(asIs)), around);
  expect(page).toContain("12 values that are not numbers in their unit, 3 record problems");
});
