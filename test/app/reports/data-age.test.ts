import { describe, expect, it } from "vitest";
import { dataAge } from "../../../src/app/reports/data-age.ts";
import type { StatusSources } from "../../../src/app/reports/sources.ts";

/** Milliseconds of the last polls. */
const POLLS = { hq: [70_000, 90_000], branch: [40_000], new: [] };

const sources = {
  clock: { now: () => 100_000 },
  monitors: new Map(
    Object.entries(POLLS).map(([name, polls]) => {
      const runs = polls.map((lastSuccessAt, index) => ({ name: index === 0 ? "tree" : "status", lastSuccessAt }));
      return [name, { summary: () => ({ runs: [...runs, { name: "limits", lastSuccessAt: 99_000 }] }) }];
    }),
  ),
} as unknown as StatusSources;

describe("age of data", () => {
  it.each([
    ["one server, by its last poll", ["hq"], { as_of: "1970-01-01T00:01:30.000Z", age_seconds: 10 }],
    ["all servers, by the oldest one", undefined, { as_of: "1970-01-01T00:00:40.000Z", age_seconds: 60 }],
    ["a server without a poll", ["new"], { as_of: null, age_seconds: null }],
    ["an unknown server", ["gone"], { as_of: null, age_seconds: null }],
  ])("is known for %s", (_what, servers, expected) => {
    expect(dataAge(sources, servers)).toEqual(expected);
  });
});
