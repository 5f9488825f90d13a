import { parseFault } from "prtg-simulator/src/faults/grammar.ts";
import { describe, expect, test } from "vitest";
import { ENDPOINTS, faultKinds, faultTexts, isSound } from "./support/fault-catalogue.ts";
import { PageError, type PageFormat, parsePage } from "./support/page-parser.ts";
import { PageView } from "./support/page-view.ts";
import { isRecovered, staleValues, TruthChecker } from "./support/truth.ts";

const HISTOGRAM = (buckets: string) => `# HELP h H.\n# TYPE h histogram\n${buckets}`;

describe("accepted by the parser", () => {
  test.each<[format: PageFormat, page: string, families: Readonly<Record<string, readonly number[]>>]>([
    ["text", "", {}],
    [
      "text",
      '# HELP a A \\\\ \\n.\n# TYPE a gauge\na{x="\\"\\\\\\n,}",y=""} -1.5e-7\na NaN\n',
      { a: [-1.5e-7, Number.NaN] },
    ],
    [
      "text",
      "# TYPE a_total counter\na_total 5\n# TYPE b gauge\nb +Inf\n",
      { a_total: [5], b: [Number.POSITIVE_INFINITY] },
    ],
    ["text", HISTOGRAM('h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count 2\n'), { h: [1, 2, 3, 2] }],
    ["openmetrics", "# EOF\n", {}],
    [
      "openmetrics",
      '# TYPE a counter\n# HELP a A "quoted".\na_total{b="c"} 5\n# TYPE b gauge\n# EOF\n',
      { a: [5], b: [] },
    ],
    ["openmetrics", "# TYPE a_seconds gauge\n# UNIT a_seconds seconds\na_seconds 5\n# EOF\n", { a_seconds: [5] }],
  ])("%s %j", (format, page, families) => {
    const values = [...parsePage(page, format)].map(([name, { samples }]) => [name, samples.map(({ value }) => value)]);
    expect(Object.fromEntries(values)).toEqual(families);
  });
});

describe("rejected by the parser", () => {
  test.each<[complaint: string, format: PageFormat, page: string]>([
    ["the last line has no end", "text", "# TYPE a gauge\na 1"],
    ["no # EOF", "openmetrics", "# TYPE a gauge\na 1\n"],
    ["no comment that is known", "text", "# EOF\n"],
    ["no comment that is known", "openmetrics", "# TYPE a gauge\na 1\n# EOF\n# EOF\n"],
    ["no sample", "text", "\n"],
    ["a sample without a family", "text", "a 1\n"],
    ["a family without a type", "text", "# HELP a A.\na 1\n"],
    [
      "the family comes a second time",
      "text",
      '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\na{b="c"} 1\n',
    ],
    ["not of the family", "text", '# TYPE a gauge\na 1\n# TYPE b gauge\na{b="c"} 1\n'],
    ["not of the family", "openmetrics", "# TYPE a counter\na 1\n# EOF\n"],
    ["the series comes a second time", "text", '# TYPE a gauge\na{b="1",c="2"} 1\na{c="2",b="1"} 1\n'],
    ["comes a second time", "text", '# TYPE a gauge\na{b="1",b="2"} 1\n'],
    ["TYPE comes a second time", "text", "# TYPE a gauge\n# TYPE a gauge\na 1\n"],
    ["no label", "text", '# TYPE a gauge\na{b="\\x"} 1\n'],
    ["no label", "text", '# TYPE a gauge\na{b="c} 1\n'],
    ["neither , nor }", "text", '# TYPE a gauge\na{b="c";d="e"} 1\n'],
    ["reserved", "text", '# TYPE a gauge\na{__b="c"} 1\n'],
    ["no value", "text", "# TYPE a gauge\na one\n"],
    ["no value", "text", "# TYPE a gauge\na 1 1700000000000\n"],
    ["no value", "text", "# TYPE a gauge\na  1\n"],
    ["no value", "text", "# TYPE a gauge\na 1\r\n"],
    ["no type that is known", "text", "# TYPE a info\n"],
    ["an unknown escape", "text", "# HELP a \\t\n# TYPE a gauge\na 1\n"],
    ["a unit that does not fit", "openmetrics", "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n"],
    ["does not add up", "text", HISTOGRAM('h_bucket{le="1"} 3\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count 2\n')],
    ["does not add up", "text", HISTOGRAM('h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count 3\n')],
    ["does not add up", "text", HISTOGRAM('h_bucket{le="1"} 1\nh_sum 3\nh_count 1\n')],
  ])("%s: %s %j", (complaint, format, page) => {
    expect(() => parsePage(page, format)).toThrow(PageError);
    expect(() => parsePage(page, format)).toThrow(complaint);
  });
});

const NOW = Date.UTC(2026, 0, 15, 12);

/** Per collector: success (and completeness), milliseconds since the last success. */
function pageOf(up: number, collectors: Readonly<Record<string, readonly [success: number, agoMs: number]>>): PageView {
  const family = (name: string, value: (of: readonly [number, number]) => number) => {
    const lines = Object.entries(collectors).map(
      ([collector, of]) => `${name}{server="hq",collector="${collector}"} ${value(of)}\n`,
    );
    return `# TYPE ${name} gauge\n${lines.join("")}`;
  };
  const page =
    `# TYPE prtg_up gauge\nprtg_up{server="hq"} ${up}\n` +
    family("prtg_exporter_collector_success", ([success]) => success) +
    family("prtg_exporter_collector_complete", ([success]) => success) +
    family("prtg_exporter_collector_duration_seconds", () => 1) +
    family("prtg_exporter_collector_last_success_timestamp_seconds", ([, ago]) => (NOW - ago) / 1_000);
  return new PageView(parsePage(page, "text"));
}

const LISTS = ["sensors", "devices", "groups", "probes", "channels"];
const ANSWERS = ["/health", ...LISTS.map((list) => `/experimental/${list}?limit=3000&offset=0`)].map((path) => ({
  at: NOW - 5_000,
  url: `/api/v2${path}`,
  status: path === "/health" ? 204 : 200,
  faults: [] as readonly string[],
}));
const WELL = { health: [1, 5_000], tree: [1, 5_000], status: [1, 5_000], channels: [1, 5_000] } as const;

describe("truth checker", () => {
  test("accepts a page that matches the server", () => {
    expect(new TruthChecker("hq").complaints(pageOf(1, WELL), NOW, ANSWERS)).toEqual([]);
    expect(isRecovered(pageOf(1, WELL), "hq", Object.keys(WELL))).toBe(true);
  });

  test.each<[lie: string, page: PageView, answers: typeof ANSWERS]>([
    ["prtg_up of hq is 1", pageOf(1, { ...WELL, tree: [0, 60_000] }), ANSWERS],
    ["prtg_up of hq is 0", pageOf(0, WELL), ANSWERS],
    [
      "status of hq claims a success without an answer to",
      pageOf(1, WELL),
      ANSWERS.filter(({ url }) => !url.includes("devices")),
    ],
    [
      "channels of hq claims a success without an answer",
      pageOf(1, WELL),
      ANSWERS.map((answer) => ({ ...answer, faults: ["html@*"] })),
    ],
    [
      "health of hq claims a success without an answer",
      pageOf(1, WELL),
      ANSWERS.map((answer) => ({ ...answer, status: 503 })),
    ],
    [
      "tree of hq claims a success without an answer",
      pageOf(1, WELL),
      ANSWERS.map((answer) => ({ ...answer, at: NOW - 60_000 })),
    ],
    ["tree of hq claims a success in the future", pageOf(1, { ...WELL, tree: [1, -60_000] }), ANSWERS],
  ])("reports that %s", (lie, page, answers) => {
    expect(new TruthChecker("hq").complaints(page, NOW, answers).join("\n")).toContain(lie);
  });

  test("rejects a last success that goes back in time", () => {
    const truth = new TruthChecker("hq");
    truth.complaints(pageOf(1, WELL), NOW, ANSWERS);
    const back = pageOf(1, { ...WELL, tree: [1, 9_000] });
    expect(truth.complaints(back, NOW, ANSWERS).join("\n")).toContain(
      "the last success of tree of hq went back by 4000 ms",
    );
    expect(isRecovered(pageOf(0, { ...WELL, tree: [0, 0] }), "hq", ["health", "tree"])).toBe(false);
  });

  test("rejects values that are too old or have no age", () => {
    const page = `# TYPE prtg_sensor_last_measurement_timestamp_seconds gauge
prtg_sensor_last_measurement_timestamp_seconds{server="hq",sensor_id="1"} ${NOW / 1_000 - 299}
prtg_sensor_last_measurement_timestamp_seconds{server="hq",sensor_id="2"} ${NOW / 1_000 - 310}
# TYPE prtg_channel_value gauge
prtg_channel_value{server="hq",sensor_id="1"} 1
prtg_channel_value{server="hq",sensor_id="2"} 1
prtg_channel_value{server="hq",sensor_id="3"} 1
`;
    const stale = staleValues(new PageView(parsePage(page, "text")), "hq", NOW, 300_000);
    expect(stale).toEqual([
      "values of sensor 2 of hq are served at an age of 310 s",
      "values of sensor 3 of hq are served at an age of nobody knows what",
    ]);
  });
});

describe("catalogue of faults", () => {
  test("has all faults of the simulator at all endpoints", () => {
    const kinds = faultKinds(5_000);
    const texts = kinds.flatMap((kind) => ENDPOINTS.flatMap((at) => faultTexts(kind, at)));
    for (const text of texts) expect(() => parseFault(text), text).not.toThrow();
    expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length);
  });

  test("knows which answers are usable", () => {
    expect([200, 204, 302, 404, 503, undefined].map((status) => isSound(status, []))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(isSound(200, ["latency=1s", "wrong-total=3@*"])).toBe(true);
    for (const fault of ["truncate=0.6@*", "html", "content-type=application/xml#2", "endless@/x"]) {
      expect([isSound(200, [fault]), isSound(204, [fault])]).toEqual([false, true]);
    }
  });
});
