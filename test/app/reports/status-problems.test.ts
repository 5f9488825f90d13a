import fc from "fast-check";
import { expect, test } from "vitest";
import type { ServerRow } from "../../../src/app/reports/server-list.ts";
import type { StatusSources } from "../../../src/app/reports/sources.ts";
import { problemsReport } from "../../../src/app/reports/status-problems.ts";
import { TimeSlices } from "../../../src/lib/yielding.ts";
import { ServerState } from "../../../src/model/server-state.ts";
import { contextAt } from "../../model/build-context.ts";
import { list, record } from "../../model/build-record.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runs } from "../../support/runs.ts";

interface Problem {
  readonly id: string;
  readonly priority: number;
  readonly since: number;
}

async function reportOf(problems: readonly Problem[]) {
  const clock = new ManualClock();
  const state = new ServerState({ staleAfterMs: undefined });
  const sensors = problems.map(({ id, priority, since }) =>
    record("sensor", id, "0", { priority, status: "down", statusSince: since }),
  );
  await state.applyTree({ nodes: { sensor: list(sensors) } }, contextAt(clock));
  const { sensorsByStatus, parentsByStatus } = state;
  const summary = { parentsByStatus };
  const monitor = { view: { state, inspect: () => undefined } };
  const sources = { monitors: new Map([["hq", monitor]]), clock, config: { servers: [] } };
  const rows = [{ name: "hq", sensorsByStatus, summary }] as unknown as readonly ServerRow[];
  const outline = () => Promise.reject(new Error("a sensor needs no outline"));
  return problemsReport(sources as unknown as StatusSources, outline, rows, new TimeSlices(clock));
}

test("the report has the twenty worst problems in order, for any order of the tree", async () => {
  const priorities = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60, size: "max" });
  const problems = priorities.chain((all) => {
    const drawn = all.map((priority, index) => ({ id: `${100 + index}`, priority, since: 1_000 * index }));
    return fc.shuffledSubarray(drawn, { minLength: drawn.length });
  });
  await fc.assert(
    fc.asyncProperty(problems, async (given) => {
      const { total, items } = await reportOf(given);
      const worst = given.toSorted((a, b) => b.priority - a.priority || b.since - a.since).slice(0, 20);
      expect(total).toBe(given.length);
      expect(items.map(({ id }) => id)).toEqual(worst.map(({ id }) => id));
    }),
    { numRuns: runs(300) },
  );
});
