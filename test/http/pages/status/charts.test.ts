import { expect, test } from "vitest";
import { courseView } from "../../../../src/http/pages/status/course-view.ts";
import type { ChartPart, PageChart } from "../../../../src/http/pages/status/courses.ts";
import { renderPage } from "../../../../src/http/pages/status/layout.ts";
import { SCRIPT, STYLE } from "../../../../src/http/pages/status/respond.ts";
import { nodePage } from "../../../../src/http/pages/status/tree-pages.ts";
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

function lines(page: string, style: string): string[] {
  const drawings = [...page.matchAll(/<svg class="chart".*?<\/svg>/gs)].map(([svg]) => svg).join("");
  return [...drawings.matchAll(new RegExp(`<path class="line ${style}" d="([^"]*)"`, "g"))].map(([, d = ""]) => d);
}

const LEVEL = Array.from({ length: 240 }, (_, minute) => 10 + (minute % 5));

test("the page of a sensor offers a chart with its cost, and draws only on request", () => {
  const page = pageOf(undefined);
  expect(page).toContain('<form class="ask" action="./tree#chart" method="get">');
  expect(page).toContain('<input type="hidden" name="id" value="50">');
  expect(texts(page)).toContain("Sends one request to PRTG, within its request budget.");
  expect(page).not.toContain('class="chart"');
  expect(texts(page)).toContain("This page sends no requests to PRTG");
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
  expect(
    page.match(/<svg class="chart"[^>]* role="img" aria-labelledby="chart-\d-title chart-\d-text">/g),
  ).toHaveLength(2);
  expect(page).toContain('<title id="chart-0-title">Ping Time: the last four hours</title>');
  expect(page).toContain(
    '<desc id="chart-0-text">measured: last 14 msec, from 10 to 14 msec; error above 20 msec; warning below 5 msec. The table below has the numbers.</desc>',
  );
  // 18:45 minus four hours: sixteen quarters.
  expect(page).toContain('<th scope="row"><time datetime="2026-11-21T14:45:00.000Z">14:45</time></th>');
  expect(
    page.match(/<th scope="row"><time[^>]*>\d\d:\d\d<\/time><\/th><td class="n">10<\/td><td class="n">14<\/td>/g),
  ).toHaveLength(32);
});

test("limits are separate lines over the whole width at their height", () => {
  const page = drawn(partsOf(LEVEL), { max_error: 20, min_error: 5 });
  expect(lines(page, "error")).toEqual(Array(2).fill(["M0.0,4.0L1000.0,4.0", "M0.0,156.0L1000.0,156.0"]).flat());
  expect(lines(page, "warning")).toEqual([]);
});

test("a distant limit does not flatten values and appears in words", () => {
  const page = drawn(partsOf(LEVEL), { max_error: 5_000 });
  expect(lines(page, "error")).toEqual(["", ""]);
  expect(texts(page)).toContain("error above 5,000 msec, outside the chart");
  expect(page).toContain('<p class="scale"><span>14</span><span>10</span></p>');
});

test("missing values interrupt the line, and a single value is a dot", () => {
  const values = [
    ...LEVEL.slice(0, 60),
    ...Array<undefined>(60).fill(undefined),
    12,
    ...Array<undefined>(60).fill(undefined),
    ...LEVEL.slice(0, 59),
  ];
  const [line = ""] = lines(drawn(partsOf(values)), "measured");
  expect(line.match(/M/g)).toHaveLength(3);
  expect(line).toContain("h0.01");
  expect(texts(drawn(partsOf(values)))).toContain("2 gaps.");
});

test("a constant channel has a scale", () => {
  const [line] = lines(drawn(partsOf([0, 0, 0])), "measured");
  expect(line).toBe("M0.0,80.0L4.2,80.0 8.3,80.0");
  expect(lines(drawn(partsOf([7])), "measured")[0]).toBe("M0.0,80.0h0.01");
});

test("a nearly constant channel looks constant, and shows its limits", () => {
  const page = drawn(partsOf([66.7, 66.6]));
  expect(page).toContain('<p class="scale"><span>67.317</span><span>65.983</span></p>');
  const limited = drawn(partsOf([66.7, 66.6]), { min_error: 5 });
  expect(limited).toContain('<p class="scale"><span>66.7</span><span>5</span></p>');
});

test("several values of a minute give their whole range", () => {
  const [line] = lines(
    drawn([
      ...partsOf([10, 20]),
      ...partsOf([undefined, undefined, 15]).map((part) => ({ ...part, low: 10, high: 20 })),
    ]),
    "measured",
  );
  expect(line).toBe("M0.0,156.0L4.2,4.0 8.3,156.0 8.3,4.0");
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

test("the number of sensors that are not up appears as drawing, words and table", () => {
  const view = String(courseView(courseOf([0, 3, undefined, undefined, 4, 1]), "hq", "server-0"));
  expect(view).toContain('role="img" aria-labelledby="server-0-course-title server-0-course-text"');
  expect(texts(view)).toContain(
    "Down: 1, highest 4; Warning or unusual: 1, highest 1; Acknowledged: 0, highest 0; Paused: 2, highest 2.",
  );
  expect(lines(view, "down")).toEqual(["M0.0,156.0L200.0,42.0M800.0,4.0L1000.0,118.0"]);
  expect(texts(view)).toMatch(/14:45 4 1 0 2 0 10/);
});
