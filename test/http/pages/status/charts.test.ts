import { describe, expect, it, test } from "vitest";
import { courseView } from "../../../../src/http/pages/status/course-view.ts";
import type { ChartPart, PageChart } from "../../../../src/http/pages/status/courses.ts";
import { renderPage } from "../../../../src/http/pages/status/layout.ts";
import { SCRIPT, STYLE } from "../../../../src/http/pages/status/respond.ts";
import { nodePage } from "../../../../src/http/pages/status/sensor-view.ts";
import { chartOf, courseOf, partsOf } from "./drawings.ts";
import { nodeReport, sensorReport } from "./reports.ts";

const around = { telemetryPath: "/metrics", hasDebugPages: true, style: STYLE, script: SCRIPT };

function pageOf(chart: PageChart | undefined, limits: Readonly<Record<string, number>> = {}): string {
  const report = sensorReport();
  const channels = report.sensor?.channels.map((channel) => ({ ...channel, limits })) ?? [];
  const sensor = report.sensor && { ...report.sensor, channels };
  return renderPage(nodePage({ ...report, sensor }, { ...around, chart }), around);
}

function drawn(parts: readonly ChartPart[], limits?: Readonly<Record<string, number>>): string {
  return pageOf({ kind: "drawn", chart: chartOf(sensorReport(), parts), ageSeconds: 5 }, limits);
}

function texts(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

/** Corners of the first line of a style, in units of 1,200 x 400. */
function line(page: string, style: string): string {
  const [, path = ""] = new RegExp(`<path class="line ${style}" d="([^"]*)"`).exec(page) ?? [];
  return path;
}

function scale(page: string): string {
  return texts(/<p class="scale">.*?<\/p>/.exec(page)?.[0] ?? "").trim();
}

function points(page: string): string {
  return /data-points="([^"]*)"/.exec(page)?.[1] ?? "";
}

const LEVEL = Array.from({ length: 240 }, (_, minute) => 10 + (minute % 5));

function pageWithStatus(status: string): string {
  const report = sensorReport();
  const times = { down_since: report.node.status_since, acknowledged_at: null, message_before: null };
  const acknowledgement = status === "acknowledged" ? times : null;
  return renderPage(nodePage({ ...report, node: { ...report.node, status, acknowledgement } }, around), around);
}

test("the page of a sensor offers a chart with its cost, and draws only on request", () => {
  const page = pageWithStatus("up");
  expect(page).toContain('<form class="ask" action="./tree#chart" method="get">');
  expect(page).toContain('<input type="hidden" name="id" value="50">');
  expect(texts(page)).toContain("Sends one request to PRTG, within its request budget.");
  expect(page).not.toContain('class="chart"');
  expect(texts(page)).toContain("This page sends no requests to PRTG");
});

test.each(["down", "partialdown", "acknowledged"])("the script requests the chart of a sensor that is %s", (status) => {
  const page = pageWithStatus(status);
  expect(page).toContain('method="get" data-auto>');
  expect(texts(page)).not.toContain("This page sends no requests to PRTG");
});

test("the time that a sensor is down is marked, with the time of the last value", () => {
  const page = drawn(partsOf(LEVEL));
  // 18:33 in a chart from 14:45 to 18:45.
  expect(page).toContain('<rect class="down" x="95%" width="5%" height="100%"/>');
  expect(texts(page)).toMatch(/Down since 18:33 Last value at \d\d:\d\d/);
});

test("an acknowledged sensor says since when it is down, and when it was acknowledged", () => {
  const report = sensorReport();
  const [down_since, acknowledged_at] = ["2026-11-21T18:20:00.000Z", "2026-11-21T18:33:00.000Z"];
  const acknowledgement = { down_since, acknowledged_at, message_before: "Timeout" };
  const node = { ...report.node, status: "acknowledged", message: "On it", acknowledgement };
  const page = renderPage(nodePage({ ...report, node }, around), around);
  expect(texts(page)).toContain("Down since 18:20 , acknowledged 18:33 : On it Message before: Timeout");
});

test("only sensors have a chart", () => {
  expect(renderPage(nodePage(nodeReport(), around), around)).not.toContain('name="chart"');
});

test("a page with a chart does not claim to be free", () => {
  expect(texts(drawn(partsOf(LEVEL)))).not.toContain("sends no requests to PRTG");
  expect(texts(drawn(partsOf(LEVEL)))).toContain("Data is 5 s old.");
});

test("each channel has a drawing with a title, a description and a table", () => {
  const page = drawn(partsOf(LEVEL), { max_error: 20, min_warning: 5 });
  expect(page.match(/<svg class="chart" role="img" aria-labelledby="chart-\d-title chart-\d-text">/g)).toHaveLength(2);
  expect(page).toContain('<title id="chart-0-title">Ping Time: the last four hours</title>');
  expect(page).toContain(
    '<desc id="chart-0-text">Last 14 msec, lowest 10 msec, highest 14 msec; warning below 5 msec; error above 20 msec; down since 18:33 UTC. The table below has the numbers.</desc>',
  );
  // 18:45 minus four hours: sixteen quarters.
  expect(page).toContain('<th scope="row"><time datetime="2026-11-21T14:45Z" data-clock>14:45</time></th>');
  expect(
    page.match(/<th scope="row"><time[^>]*>\d\d:\d\d<\/time><\/th><td class="n">10<\/td><td class="n">14<\/td>/g),
  ).toHaveLength(32);
});

test("axes have round values with the unit, and round times", () => {
  const page = drawn(partsOf(LEVEL));
  expect(scale(page)).toBe("14 msec 13 msec 12 msec 11 msec 10 msec");
  expect(texts(/<svg class="times".*?<\/svg>/.exec(page)?.[0] ?? "")).toBe(" 15:00 16:00 17:00 18:00 ");
  expect(page).toContain('data-clock="2026-11-21T15:00:00.000Z">15:00</text>');
  expect(page).toContain('<span class="zone" data-zone>UTC</span>');
});

test("a long unit is not repeated at the axis", () => {
  const report = sensorReport();
  const chart = chartOf(report, partsOf(LEVEL));
  const channels = report.sensor?.channels.map((channel) => ({ ...channel, unit: "requests per minute" })) ?? [];
  const sensor = report.sensor && { ...report.sensor, channels };
  const outcome = { kind: "drawn", chart, ageSeconds: 5 } as const;
  const page = renderPage(nodePage({ ...report, sensor }, { ...around, chart: outcome }), around);
  expect(page).toContain('<p class="scale"><span>15</span><span>10</span><span>5</span><span>0</span></p>');
});

test("limits are labelled lines over the whole width at their height", () => {
  const page = drawn(partsOf(LEVEL), { max_error: 20, min_warning: 0 });
  expect(scale(page)).toBe("20 msec 15 msec 10 msec 5 msec 0 msec");
  expect(line(page, "error")).toBe("M0,0H1200");
  expect(line(page, "warning")).toBe("M0,400H1200");
  expect(page).toContain(
    '<text class="limit error" x="99.5%" y="0%" dy="1em" text-anchor="end">error above 20 msec</text>',
  );
  expect(page).toContain(
    '<text class="limit warning" x="0.5%" y="100%" dy="-0.3em" text-anchor="start">warning below 0 msec</text>',
  );
});

test("labels of close limits are not between their lines", () => {
  const page = drawn(partsOf([60, 100]), { min_warning: 10, min_error: 5 });
  const heights = [...page.matchAll(/<text class="limit [a-z]+" x="[^"]*" y="([^"]*)"/g)].map(([, y]) => y);
  expect(heights.slice(0, 2)).toEqual(["90%", "90%"]);
});

test("a distant limit does not flatten values and appears in words", () => {
  const page = drawn(partsOf(LEVEL), { max_error: 5_000 });
  expect(line(page, "error")).toBe("");
  expect(texts(page)).toContain("error above 5,000 msec, outside the chart");
  expect(scale(page)).toBe("14 msec 13 msec 12 msec 11 msec 10 msec");
});

test("missing values interrupt the line, are shaded and counted, and a single value is a dot", () => {
  const values = [
    ...LEVEL.slice(0, 60),
    ...Array<undefined>(60).fill(undefined),
    12,
    ...Array<undefined>(60).fill(undefined),
    ...LEVEL.slice(0, 59),
  ];
  const page = drawn(partsOf(values));
  expect(line(page, "measured").match(/M/g)).toHaveLength(3);
  expect(line(page, "measured")).toContain("h0.01");
  expect(texts(page)).toContain("2 gaps");
  const gaps = [...page.matchAll(/<rect class="gap" x="([^"]*)" width="([^"]*)" height="100%"\/>/g)];
  expect(gaps.slice(0, 2).map(([, x, width]) => [x, width])).toEqual([
    ["24.58%", "25.42%"],
    ["50%", "25.42%"],
  ]);
});

test("a chart without values in its last hour shows the end as a gap", () => {
  const page = drawn(partsOf(LEVEL.slice(0, 180)));
  expect(page).toContain('<rect class="gap" x="74.58%" width="25.42%" height="100%"/>');
  expect(drawn(partsOf(LEVEL))).not.toContain('class="gap"');
});

test("a flat channel has a scale from 0", () => {
  const page = drawn(partsOf([0, 0, 0]));
  expect(line(page, "measured")).toBe("M0,400l10,0");
  expect(scale(page)).toBe("1 msec 0.75 msec 0.5 msec 0.25 msec 0 msec");
  expect(line(drawn(partsOf([7])), "measured")).toMatch(/^M0,\d+h0.01$/);
});

test("a nearly constant channel looks constant", () => {
  const page = drawn(partsOf([66.7, 66.6]));
  expect(scale(page)).toBe("67.5 msec 67 msec 66.5 msec 66 msec 65.5 msec");
});

test("several values of a minute give their whole range, for the script, too", () => {
  const page = drawn([
    ...partsOf([10, 20]),
    ...partsOf([undefined, undefined, 15]).map((part) => ({ ...part, low: 10, high: 20 })),
  ]);
  expect(line(page, "measured")).toBe("M0,200l5,-200 5,0 0,200");
  expect(points(page)).toBe("0,10 60,20 60,10,20");
});

test("sparklines appear next to the values with the charts only", () => {
  expect(drawn(partsOf(LEVEL))).toMatch(
    /<span data-spark="0"><svg class="spark"[^>]* role="img"><title>Last four hours: lowest 10, highest 14<\/title><path d="M0,20/,
  );
  expect(pageOf(undefined)).toContain('<span data-spark="0"></span>');
});

test("a sensor with many channels has fewer points in each of at most 14 charts of less than 100 kB", () => {
  const report = sensorReport();
  const [first] = report.sensor?.channels ?? [];
  const channels =
    first === undefined ? [] : Array.from({ length: 14 }, (_, id) => ({ ...first, channel_id: `${id}` }));
  const sensor = report.sensor && { ...report.sensor, channels, channels_total: 50 };
  const noise = LEVEL.map((value, minute) => value + ((minute * 7_919) % 997) / 997);
  const parts = partsOf(noise).map((part) => ({ ...part, high: part.low + 0.1234 }));
  const chart = { kind: "drawn", chart: chartOf({ ...report, sensor }, parts), ageSeconds: 5 } as const;
  const page = renderPage(nodePage({ ...report, sensor }, { ...around, chart }), around);
  expect(page.match(/<svg class="chart"/g)).toHaveLength(14);
  expect(texts(page)).toContain("Charts of 14 channels of 50");
  expect(points(page).split(" ")).toHaveLength(60);
  expect(page.length).toBeLessThan(100_000);
});

test("the page omits channels without values and reports it", () => {
  const report = sensorReport();
  const chart = { ...chartOf(report, partsOf(LEVEL)), channels: new Map([["-4", partsOf(LEVEL)]]) };
  const page = pageOf({ kind: "drawn", chart, ageSeconds: 0 });
  expect(page.match(/<svg class="chart"/g)).toHaveLength(1);
  expect(texts(page)).toContain("Charts of 1 channel of 2");
  const none = pageOf({ kind: "drawn", chart: { ...chart, channels: new Map() }, ageSeconds: 0 });
  expect(texts(none)).toContain("The server has no values of these channels in the last four hours.");
});

test.each<[PageChart, string]>([
  [{ kind: "waiting" }, "The server has not answered yet."],
  [{ kind: "too_many", retryAfterSeconds: 42 }, "Retry in 42 s."],
  [{ kind: "failed", reason: "<b>no</b> [API_TIMEOUT]" }, "Charts failed: &lt;b&gt;no&lt;/b&gt; [API_TIMEOUT]"],
])("the page says %j", (outcome, expected) => {
  const page = pageOf(outcome);
  expect(texts(page)).toContain(expected);
  expect(page).toContain('name="chart" value="1"');
});

test("a server has no drawing with fewer than two samples", () => {
  expect(courseView([], "hq", "server-0")).toBeUndefined();
  expect(courseView(courseOf([1]), "hq", "server-0")).toBeUndefined();
});

describe("status history", () => {
  const view = String(courseView(courseOf([0, 3, undefined, undefined, 4, 1]), "hq", "server-0"));

  it("shows each status as drawing with its own scale, words and table", () => {
    expect(view).toContain('role="img" aria-labelledby="server-0-down-title server-0-down-text"');
    expect(texts(view)).toContain("Sensors of hq in status Down Now 1, highest 4. The table below has the numbers.");
    expect(view.match(/<svg class="chart"/g)).toHaveLength(3);
    expect(texts(view)).toMatch(/14:45 4 0 1 0 2 0 10/);
  });

  it("says since when how many sensors are down, and when most were", () => {
    expect(texts(view)).toContain("Down 1 since 14:50 , highest 4 at 14:49");
    expect(texts(view)).toContain("Paused 2 since 14:45 or earlier");
  });

  it("draws levels from 0, broken by missing samples", () => {
    expect(line(view, "bad")).toBe("M0,400l240,0 0,-300M960,0l240,0 0,300");
    expect(view).toContain('<path class="area bad" d="M0,400l240,0 0,-300V400H0ZM960,0l240,0 0,300V400H960Z"/>');
  });

  it("does not flatten a few that are down by many warnings", () => {
    const many = courseOf([15, 37]).map(({ at, counts }) => ({ at, counts: { ...counts, warning: 850 } }));
    const both = String(courseView(many, "hq", "server-0"));
    expect([...both.matchAll(/data-high="(\d+)"/g)].map(([, high]) => high)).toEqual(["40", "1000", "2"]);
  });

  it("names statuses without sensors in one line, but always draws Down", () => {
    const calm = String(courseView(courseOf([0, 0]), "hq", "server-0"));
    expect(texts(calm)).toContain("Always 0: Unknown, Acknowledged.");
    expect(texts(calm)).toContain("Down 0 since 14:45 or earlier");
    expect(scale(calm)).toBe("1 0");
  });
});
