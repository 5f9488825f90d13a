import { expect, test } from "vitest";
import { ERROR_CATALOGUE } from "../../src/errors/catalogue.ts";
import { readPage } from "./support/pages.ts";
import { allStatedRequests, type StatedRequests } from "./support/stated-requests.ts";

const page = readPage("docs/operations.md");

/** New per page: one repeats the previous page. */
const PER_PAGE = 2_999;
const PROBES = 1;
const GROUPS = 1;
const COUNTS = 1;
const LOOKUPS = 1;
/** Objects in lists for each time series without a push. */
const PER_SERIES = 3_000;

function requestsAMinute({ sensors, channels, devices }: Pick<StatedRequests, "sensors" | "channels" | "devices">) {
  const list = (objects: number) => Math.ceil(objects / PER_PAGE);
  const nodes = PROBES + GROUPS + list(devices) + list(sensors);
  const health = 4 + 1 / 5;
  const status = 2 * (nodes + COUNTS);
  const channelList = list(channels);
  const treeAndLimits = (nodes + COUNTS) / 5 + (list(channels) + LOOKUPS) / 15;
  const all = health + status + channelList + treeAndLimits;
  const listed = (2 + 1 / 5) * (sensors + devices) + (1 + 1 / 15) * channels;
  const series = listed / PER_SERIES;
  return { health, status, channelList, treeAndLimits, all, series };
}

test("the page calculates requests a minute from the schedules", () => {
  const rows = allStatedRequests();
  expect(rows).toHaveLength(3);
  for (const row of rows) {
    const counts = Object.entries(requestsAMinute(row)).map(([column, count]) => [column, Math.round(count)]);
    expect(row).toMatchObject(Object.fromEntries(counts));
  }
});

test("the page has the default schedules", () => {
  const configuration = readPage("docs/configuration.md").prose;
  const rows = [...page.prose.matchAll(/^\| `(\w+)` \| (\d+) (s|min) \|/gm)];
  expect(rows).toHaveLength(6);
  for (const [, collector, count, unit] of rows) {
    const section = configuration.split(`### \`collectors.${collector}\``)[1] ?? "";
    expect(/`schedule` \| schedule \| `(\w+)`/.exec(section)?.[1], collector).toBe(
      `${count}${unit === "s" ? "s" : "m"}`,
    );
  }
});

test("troubleshooting covers every API error", () => {
  // Only with a bug in our requests, or a server beyond our limit.
  const rare = ["API_BAD_REQUEST", "API_RESPONSE_TOO_LARGE", "API_SERVER_ERROR", "API_ENDPOINT_MISSING"];
  const expected = Object.keys(ERROR_CATALOGUE).filter((code) => code.startsWith("API_") && !rare.includes(code));
  expect(readPage("docs/troubleshooting.md").spans).toEqual(expect.arrayContaining(expected));
});
