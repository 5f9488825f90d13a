import { describe, expect, test } from "vitest";
import { Discovery, seedJobs } from "../../src/installation/discovery.ts";
import {
  type DiscoveryJob,
  type DiscoverySchedule,
  isRunning,
  lastRun,
  nextRunAt,
  progressOf,
} from "../../src/installation/discovery-job.ts";
import type { SimNode, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { DAY, HOUR, MINUTE, STARTED_AT } from "../world/fixtures.ts";

interface Fixture {
  readonly world: World;
  readonly discovery: Discovery;
  readonly group: SimNode;
}

function start(): Fixture {
  const world = createWorld({ seed: 5, size: { sensors: 300 }, startedAt: STARTED_AT });
  const group = world.list("group").find(({ children }) => children.some(({ kind }) => kind === "device"));
  if (group === undefined) throw new Error("no group with devices");
  return { world, discovery: new Discovery(world), group };
}

function job(
  { discovery, group }: Fixture,
  schedule: DiscoverySchedule = "once",
  templates: string[] = [],
): DiscoveryJob {
  return discovery.create(group, { name: "job", schedule, templates }, STARTED_AT);
}

describe("run of an auto-discovery job", () => {
  test("adds the new devices once at its end", () => {
    const all = start();
    const { discovery, world } = all;
    const own = job(all, "once", ["generic-snmp.odt"]);
    let now = STARTED_AT;
    let total = 0;
    const before = world.list("device").length;
    for (let turn = 0; turn < 5; turn++) {
      const run = discovery.start(own, now);
      discovery.advance(run.endsAt - 1);
      expect(world.list("device").length).toBe(before + total);
      discovery.advance(run.endsAt);
      discovery.advance(run.endsAt + HOUR);
      total += run.newDevices;
      expect(run.added.length).toBe(run.newDevices);
      expect(world.list("device").length).toBe(before + total);
      now = run.endsAt + HOUR;
    }
    expect(total).toBeGreaterThan(0);
    const added = world.list("device").slice(before);
    for (const device of added) {
      expect(device.discoveryJobId).toBe(own.id);
      expect(device.children.map(({ type }) => type)).toEqual(["ping", "snmptraffic", "snmpuptime"]);
    }
    expect(new Set(added.map(({ name }) => name)).size).toBe(total);
  });

  test("takes longer with more devices", () => {
    const { world, discovery, group } = start();
    const draft = { name: "x", schedule: "once", templates: [] } as const;
    const small = discovery.start(discovery.create(group.children[0] ?? group, draft, STARTED_AT), STARTED_AT);
    expect(small.endsAt - small.startedAt).toBe(2 * MINUTE);
    for (let n = 0; n < 45; n++) world.addDevice(group.id, `d${n}`, STARTED_AT);
    const large = discovery.start(discovery.create(group, draft, STARTED_AT), STARTED_AT);
    expect(large.endsAt - large.startedAt).toBeGreaterThanOrEqual(4 * MINUTE);
    expect(large.endsAt - large.startedAt).toBeLessThanOrEqual(10 * MINUTE);
  });

  test("reports progress", () => {
    const all = start();
    const run = all.discovery.start(job(all), STARTED_AT);
    const length = run.endsAt - run.startedAt;
    const steps = [-1, 0, length / 2, length - 1, length, length + 1].map((ms) => progressOf(run, STARTED_AT + ms));
    expect(steps).toEqual([0, 0, 50, 99, 100, 100]);
    expect([isRunning(run, run.endsAt - 1), isRunning(run, run.endsAt), isRunning(undefined, 0)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("adds nothing if its job was deleted", () => {
    const all = start();
    const own = job(all);
    const before = all.world.list("device").length;
    for (let turn = 0; turn < 5; turn++) all.discovery.start(own, STARTED_AT);
    all.discovery.delete(own);
    all.discovery.advance(STARTED_AT + DAY);
    expect(all.world.list("device").length).toBe(before);
    expect(all.discovery.job(own.id)).toBeUndefined();
  });
});

describe("schedule of an auto-discovery job", () => {
  test.each([
    ["hourly", HOUR],
    ["daily", DAY],
    ["weekly", 7 * DAY],
  ] as const)("%s runs at the planned times", (schedule, every) => {
    const all = start();
    const own = job(all, schedule);
    expect(nextRunAt(own, STARTED_AT)).toBe(STARTED_AT + every);
    all.discovery.advance(STARTED_AT + every - 1);
    expect(own.runs).toEqual([]);
    all.discovery.advance(STARTED_AT + every);
    expect(own.runs).toMatchObject([{ startedAt: STARTED_AT + every, trigger: "schedule", newDevices: 0 }]);
    all.discovery.advance(STARTED_AT + 3 * every + 1);
    expect(own.runs.map(({ startedAt }) => startedAt)).toEqual([1, 2, 3].map((turn) => STARTED_AT + turn * every));
    expect(nextRunAt(own, STARTED_AT + 3 * every + 1)).toBe(STARTED_AT + 4 * every);
  });

  test("gives the same runs for any number of reads", () => {
    const often = start();
    const seldom = start();
    const [first, second] = [job(often, "hourly"), job(seldom, "hourly")];
    for (let at = STARTED_AT; at <= STARTED_AT + 12 * HOUR; at += 7 * MINUTE) often.discovery.advance(at);
    often.discovery.advance(STARTED_AT + 12 * HOUR);
    seldom.discovery.advance(STARTED_AT + 12 * HOUR);
    expect(first.runs.map(({ startedAt }) => startedAt)).toEqual(second.runs.map(({ startedAt }) => startedAt));
    expect(first.runs.length).toBe(12);
  });

  test("keeps fifty runs, also after a jump of years", () => {
    const all = start();
    const own = job(all, "hourly");
    all.discovery.advance(STARTED_AT + 900 * DAY);
    expect(own.runs.length).toBe(50);
    expect(lastRun(own)?.startedAt).toBe(STARTED_AT + 900 * DAY);
  });

  test("skips a turn during a manual run", () => {
    const all = start();
    const own = job(all, "hourly");
    all.discovery.start(own, STARTED_AT + HOUR - 1000);
    all.discovery.advance(STARTED_AT + 2 * HOUR);
    expect(own.runs.map(({ startedAt, trigger }) => [startedAt - STARTED_AT, trigger])).toEqual([
      [HOUR - 1000, "manual"],
      [2 * HOUR, "schedule"],
    ]);
  });

  test("starts counting when it changes", () => {
    const all = start();
    const own = job(all);
    all.discovery.advance(STARTED_AT + 30 * DAY);
    all.discovery.edit(own, { schedule: "daily" }, STARTED_AT + 30 * DAY + 1);
    all.discovery.advance(STARTED_AT + 30 * DAY + 2);
    expect(own.runs).toEqual([]);
    all.discovery.advance(STARTED_AT + 31 * DAY);
    expect(own.runs).toEqual([]);
    all.discovery.advance(STARTED_AT + 31 * DAY + 1);
    expect(own.runs.length).toBe(1);
    all.discovery.edit(own, { name: "other", schedule: "daily" }, STARTED_AT + 31 * DAY + HOUR);
    expect(nextRunAt(own, STARTED_AT + 31 * DAY + HOUR)).toBe(STARTED_AT + 32 * DAY + 1);
  });
});

test("jobs disappear with their object and follow its moves", () => {
  const all = start();
  const own = job(all);
  const probe = all.world.list("probe").at(-1);
  all.world.move(all.group.id, probe?.id ?? "");
  expect(all.discovery.jobs()).toEqual([own]);
  all.world.remove(all.group.id);
  expect(all.discovery.jobs()).toEqual([]);
});

test("the initial jobs have finished runs", () => {
  const { world, discovery } = start();
  seedJobs(discovery, world, STARTED_AT);
  expect(discovery.jobs().map(({ runs }) => runs.length)).toEqual([4, 4, 0]);
  for (const each of discovery.jobs().flatMap(({ runs }) => runs)) {
    expect(each.found).toBeGreaterThan(0);
    expect(each.endsAt).toBeLessThan(STARTED_AT);
  }
});
