import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemsReport } from "../../../src/app/reports/problems-report.ts";
import type { ServerRow } from "../../../src/app/reports/server-list.ts";
import type { StatusSources } from "../../../src/app/reports/sources.ts";
import { TimeSlices } from "../../../src/lib/yielding.ts";
import { outlineOf } from "../../../src/model/outline.ts";
import { ServerState, type TreeUpdate } from "../../../src/model/server-state.ts";
import type { NodeRecord } from "../../../src/prtg/node-record.ts";
import { contextAt } from "../../model/build-context.ts";
import { list, record } from "../../model/build-record.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runs } from "../../support/runs.ts";

const MINUTE = 60_000;

async function reportOf(nodes: NonNullable<TreeUpdate["nodes"]>, isGrouped = true, clock = new ManualClock()) {
  const state = new ServerState({ staleAfterMs: undefined });
  await state.applyTree({ nodes }, contextAt(clock));
  const { sensorsByStatus, parentsByStatus } = state;
  const monitor = { view: { state, inspect: () => undefined } };
  const config = { servers: [{ name: "hq", webUrl: "https://prtg.example.com" }] };
  const sources = { monitors: new Map([["hq", monitor]]), clock, config };
  const servers = [{ name: "hq", sensorsByStatus, summary: { parentsByStatus } }] as unknown as readonly ServerRow[];
  const slices = new TimeSlices(clock);
  const outline = () => outlineOf(state.tree, (node) => state.statusOf(node), slices);
  return problemsReport(sources as unknown as StatusSources, outline, { servers, isGrouped }, slices);
}

interface Problem {
  readonly id: string;
  readonly priority: number;
  readonly since: number;
}

test("the report has the twenty worst problems in order, for any order of the tree", async () => {
  const priorities = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60, size: "max" });
  const problems: fc.Arbitrary<readonly Problem[]> = priorities.chain((all) => {
    const drawn = all.map((priority, index) => ({ id: `${100 + index}`, priority, since: 1_000 * index }));
    return fc.shuffledSubarray(drawn, { minLength: drawn.length });
  });
  await fc.assert(
    fc.asyncProperty(problems, async (given) => {
      const sensors = given.map(({ id, priority, since }) =>
        record("sensor", id, "0", { priority, status: "down", statusSince: since }),
      );
      const { total, items } = (await reportOf({ sensor: list(sensors) })).problems;
      const worst = given.toSorted((a, b) => b.priority - a.priority || b.since - a.since).slice(0, 20);
      expect(total).toBe(given.length);
      expect(items.map(({ id }) => id)).toEqual(worst.map(({ id }) => id));
    }),
    { numRuns: runs(300) },
  );
});

describe("an outage", () => {
  const clock = new ManualClock();
  const now = clock.now();
  const ago = (minutes: number) => now - minutes * MINUTE;

  /** Singapore with two devices is down but for one sensor, and a sensor of another site is down, too. */
  function site(more: Partial<Record<string, Partial<NodeRecord>>> = {}, probe: Partial<NodeRecord> = {}) {
    const sensor = (id: string, device: string, own: Partial<NodeRecord> = {}) => {
      const down = { status: "down", statusSince: ago(90), message: "Timeout (PE018)" } as const;
      return record("sensor", id, device, { ...down, ...own, ...more[id] });
    };
    const up = { status: "up", message: "OK" } as const;
    return {
      probe: list([record("probe", "1", "0", { name: "Asia", ...probe })]),
      group: list([record("group", "11", "1", { name: "Singapore" }), record("group", "12", "1", { name: "Tokyo" })]),
      device: list([
        record("device", "111", "11", { name: "core-sw-9", dependsOn: "1111", status: "down" }),
        record("device", "112", "11", { name: "fw-1", dependsOn: "1111" }),
        record("device", "121", "12", { name: "srv" }),
      ]),
      sensor: list([
        sensor("1111", "111", { name: "Ping", statusSince: ago(100) }),
        sensor("1112", "111", { statusSince: ago(5), message: "No response" }),
        sensor("1113", "111", { status: "acknowledged", statusSince: ago(50), message: "Acknowledged by Ann: on it" }),
        sensor("1121", "112"),
        sensor("1122", "112", up),
        sensor("1123", "112", { status: "pausedbydependency", message: "Paused" }),
        sensor("1124", "112"),
        sensor("1211", "121", { statusSince: ago(10) }),
        ...["1212", "1213", "1214", "1215", "1216"].map((id) => sensor(id, "121", up)),
      ]),
    };
  }

  test("says what, where, since when, why, how many, who knows, and whether it gets worse", async () => {
    const { outages, problems } = await reportOf(site(), true, clock);
    expect(outages).toEqual({
      total: 1,
      sensors: 5,
      items: [
        {
          ...{ server: "hq", id: "11", kind: "group", name: "Singapore", path: "Asia/Singapore", problem: "down" },
          ...{ status: null, affected: 5, sensors: 6, devices: 2, hidden: 1, recent: 2 },
          since: new Date(ago(100)).toISOString(),
          first: { id: "1111", name: "Ping", path: "Asia/Singapore/core-sw-9/Ping" },
          message: { text: "Timeout (PE018)", count: 3 },
          acknowledged: 1,
          acknowledgement: "Acknowledged by Ann: on it",
          cause: { id: "1111", name: "Ping", path: "Asia/Singapore/core-sw-9/Ping" },
          prtg_url: "https://prtg.example.com/group.htm?id=11",
        },
      ],
    });
    // The device that is down itself is part of the outage.
    expect(problems.items.map(({ id }) => id)).toEqual(["1211"]);
    expect(problems).toMatchObject({ total: 7, recent: 2 });
  });

  test("has its sensors as single problems if they are not grouped", async () => {
    const { outages, problems } = await reportOf(site(), false, clock);
    expect(outages.total).toBe(1);
    expect(problems.items.map(({ id }) => id)).toEqual(["111", "1112", "1211", "1121", "1124", "1111", "1113"]);
  });

  test("of a disconnected probe has the status of the probe, which is no other problem", async () => {
    const blind = (id: string) => [id, { status: "unknown", message: undefined }] as const;
    const ids = ["1111", "1112", "1113", "1121", "1122", "1123", "1124"];
    const all = [...ids, "1211", "1212", "1213", "1214", "1215", "1216"];
    const { outages, problems } = await reportOf(
      site(Object.fromEntries(all.map(blind)), { status: "disconnected" }),
      true,
      clock,
    );
    expect(outages.items).toMatchObject([
      {
        id: "1",
        problem: "unknown",
        status: "disconnected",
        affected: 13,
        message: null,
        acknowledged: 0,
        cause: null,
      },
    ]);
    expect(problems.items).toEqual([]);
  });

  test("has acknowledged sensors only if it is down", async () => {
    const blind = (id: string) => [id, { status: "unknown", message: undefined }] as const;
    const ids = ["1111", "1112", "1121", "1122", "1123", "1124"];
    const all = [...ids, "1211", "1212", "1213", "1214", "1215", "1216"];
    const { outages } = await reportOf(
      site(Object.fromEntries(all.map(blind)), { status: "disconnected" }),
      true,
      clock,
    );
    expect(outages.items).toMatchObject([{ id: "1", problem: "unknown", affected: 12, acknowledged: 0 }]);
  });

  test("has no cause if the sensor that it depends on works", async () => {
    const { outages } = await reportOf(site({ 1111: { status: "up" }, 1122: { status: "down" } }), true, clock);
    expect(outages.items).toMatchObject([{ id: "11", affected: 5, cause: null }]);
  });
});

test("the largest outage that is down comes first, and twenty are shown", async () => {
  const devices = Array.from({ length: 25 }, (_, index) => `${100 + index}`);
  const sensors = devices.flatMap((device, index) =>
    Array.from({ length: 3 + index }, (_, at) =>
      record("sensor", `${device}${at}`, device, { status: index === 24 ? "unknown" : "down" }),
    ),
  );
  const well = Array.from({ length: 200 }, (_, at) => record("sensor", `9${at}00`, "99", { status: "up" }));
  const { outages } = await reportOf({
    group: list([record("group", "5", "0")]),
    device: list([...devices, "99"].map((id) => record("device", id, "5"))),
    sensor: list([...sensors, ...well]),
  });
  expect(outages.total).toBe(25);
  expect(outages.items.map(({ affected }) => affected)).toEqual(Array.from({ length: 20 }, (_, index) => 26 - index));
});
