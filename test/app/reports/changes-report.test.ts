import { expect, test } from "vitest";
import { changesReport } from "../../../src/app/reports/changes-report.ts";
import type { StatusSources } from "../../../src/app/reports/sources.ts";
import { TimeSlices } from "../../../src/lib/yielding.ts";
import { CLOCK_START, ManualClock } from "../../support/manual-clock.ts";

const MINUTE = 60_000;

test.each([
  { ages: [30], since: "2026-01-15T11:30:00.000Z" },
  { ages: [30, 20], since: "2026-01-15T11:40:00.000Z" },
  { ages: [30, undefined], since: null },
  { ages: [], since: null },
])("with changes of the last $ages minutes, the report is complete since $since", async ({ ages, since }) => {
  const clock = new ManualClock();
  const monitors = new Map(
    ages.map((age, index) => {
      const begin = age === undefined ? undefined : CLOCK_START - age * MINUTE;
      return [`server ${index}`, { changes: { since: begin, recent: () => [], outages: [] } }];
    }),
  );
  const sources = { monitors, config: {}, clock } as unknown as StatusSources;
  const outlineOf = () => expect.unreachable();
  const report = await changesReport(sources, outlineOf, { server: undefined, page: 1 }, new TimeSlices(clock));
  expect(report.since).toBe(since);
});
