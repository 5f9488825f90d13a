import { describe, expect, test } from "vitest";
import { countSamples, sampleOf } from "../../bench/parts/page.ts";
import { listsOf } from "../../bench/parts/requests.ts";
import { channelPages } from "../../bench/processes/wait-for-polls.ts";

const PAGE = `# HELP prtg_channel_value Last measurement.
# TYPE prtg_channel_value gauge
prtg_channel_value{server="hq",channel="a \\"b\\"\\\\, c=\\"d\\""} 1.5
prtg_channel_value{server="hq",channel="line\\nbreak"} -Inf
# HELP prtg_up Works.
# TYPE prtg_up gauge
prtg_up{server="hq"} 1
# HELP prtg_exporter_scrapes_total Scrapes.
# TYPE prtg_exporter_scrapes_total counter
prtg_exporter_scrapes_total{format="text/plain"} 3
process_cpu_seconds_total 37.5
`;

test("the count of samples ignores comments, empty lines and the end of OpenMetrics", () => {
  expect(countSamples(Buffer.from(PAGE))).toBe(5);
  expect(countSamples(Buffer.from(`\n${PAGE}# EOF\n`))).toBe(5);
  expect(countSamples(Buffer.from("a 1"))).toBe(1);
  expect(countSamples(Buffer.alloc(0))).toBe(0);
});

describe("sampleOf", () => {
  test.each([
    ['prtg_up{server="hq"}', 1],
    ["process_cpu_seconds_total", 37.5],
    ["cpu_seconds_total", undefined],
    ["prtg_up", undefined],
    ["absent", undefined],
  ])("%s is %j", (series, value) => {
    expect(sampleOf(PAGE, series)).toBe(value);
  });

  test("finds the first and the last line", () => {
    expect(sampleOf("a 1\nb 2", "a")).toBe(1);
    expect(sampleOf("a 1\nb 2", "b")).toBe(2);
  });
});

test("the bench groups requests by list and counts reads", () => {
  const channels = "/api/v2/experimental/channels";
  expect(
    listsOf([
      `${channels}?limit=3000&offset=0`,
      `${channels}?limit=3000&offset=0&include=alerting,values`,
      `${channels}?limit=3000&offset=2999`,
      "/api/v2/version",
      `${channels}?limit=3000&offset=0`,
      `${channels}?limit=3000&offset=2999`,
    ]),
  ).toEqual([
    { list: channels, requests: 4, readings: 2 },
    { list: `${channels}?include=alerting,values`, requests: 1, readings: 1 },
  ]);
});

test("the bench separates channel pages from other lists and from lists with limits", () => {
  expect(
    channelPages([
      "/api/v2/experimental/channels?limit=3000&offset=0",
      "/api/v2/experimental/channels?limit=3000&offset=0&include=alerting",
      "/api/v2/experimental/sensors?limit=3000&offset=0",
      "/api/v2/experimental/channels?limit=3000&offset=2999",
      "/api/v2/version",
    ]),
  ).toEqual([0, 2999]);
});
