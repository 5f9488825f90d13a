import { expect, test } from "vitest";
import { ERROR_CATALOGUE } from "../../src/errors/catalogue.ts";
import { readPage } from "./support/pages.ts";

const page = readPage("docs/operations.md");

/** New per page: one repeats the previous page. */
const PER_PAGE = 2_999;
const PROBES = 1;
const GROUPS = 1;
const COUNTS = 1;

function requestsAMinute(sensors: number, channels: number, devices: number): number {
  const list = (objects: number) => Math.ceil(objects / PER_PAGE);
  const tree = PROBES + GROUPS + list(devices) + list(sensors) + COUNTS;
  const limits = list(channels) + COUNTS;
  return 4 + 2 * tree + list(channels) + tree / 5 + limits / 15;
}

test("the page calculates requests a minute from the schedules", () => {
  const rows = [...page.prose.matchAll(/^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm)].map((row) =>
    row.slice(1).map((cell) => Number(cell.replaceAll(",", ""))),
  );
  expect(rows).toHaveLength(3);
  for (const [sensors = 0, channels = 0, devices = 0, requests] of rows) {
    expect(requests).toBe(Math.round(requestsAMinute(sensors, channels, devices)));
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
  expect(page.spans).toEqual(expect.arrayContaining(expected));
});
