import { describe, expect, it } from "vitest";
import { ChangeLog, KEPT_MS } from "../../src/model/change-log.ts";
import { AROUND_MS, type LoggedOutage } from "../../src/model/outage-log.ts";
import { outageKey } from "../../src/model/outages.ts";
import { ServerState } from "../../src/model/server-state.ts";
import { watchTogether } from "../../src/model/state-observer.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { contextAt } from "./build-context.ts";
import { list, record } from "./build-record.ts";

const UP: readonly StatusToken[] = Array(5).fill("up");
const DOWN: readonly StatusToken[] = Array(5).fill("down");
const UNKNOWN: readonly StatusToken[] = Array(5).fill("unknown");
const SECOND = 1_000;

/** A probe with two groups: `A` has devices `A1` and `A2`, `B` has `B1`, each with five sensors. */
function site() {
  const clock = new ManualClock();
  const start = clock.now();
  const state = new ServerState({ staleAfterMs: undefined });
  const log = new ChangeLog({ now: () => clock.now() });
  state.watchNodes(watchTogether(log, undefined));
  /** Polls 30 seconds after the last poll. All sensors have their status since `since`. */
  const poll = async (one: readonly StatusToken[], two = one, { since = clock.now(), after = 30 * SECOND } = {}) => {
    await clock.advance(after);
    const sensors = (device: string, statuses: readonly StatusToken[]) =>
      statuses.map((status, index) => record("sensor", `${device}.${index}`, device, { status, statusSince: since }));
    const nodes = {
      probe: list([record("probe", "P", "0")]),
      group: list([record("group", "A", "P"), record("group", "B", "P")]),
      device: list([record("device", "A1", "A"), record("device", "A2", "A"), record("device", "B1", "B")]),
      sensor: list([...sensors("A1", one), ...sensors("A2", two), ...sensors("B1", [...UP, "up"])]),
    };
    await state.applyTree({ nodes }, contextAt(clock));
    // The page of changes and the overview name the same objects.
    const lasting = log.outages.filter(({ endedAt }) => endedAt === undefined);
    const keys = lasting.map(({ problem, object }) => outageKey(problem, object.id));
    expect(keys.sort()).toEqual([...state.outages.all.keys()].sort());
  };
  const seconds = (at: number | undefined) => (at === undefined ? undefined : (at - start) / SECOND);
  const told = ({ problem, object, from, foundAt, affected, endedAt, lastSeenAt }: LoggedOutage) => {
    const end = endedAt === undefined ? "" : ` to ${seconds(endedAt)}, last seen ${seconds(lastSeenAt)}`;
    return `${object.id} ${affected} ${problem} from ${seconds(from)}, found ${seconds(foundAt)}${end}`;
  };
  return { clock, log, poll, told: () => log.outages.map(told) };
}

describe("OutageLog", () => {
  it("keeps begin and end of an outage", async () => {
    const { poll, told } = site();
    await poll(UP);
    await poll(DOWN);
    expect(told()).toEqual(["A 10 down from 30, found 60"]);
    await poll(DOWN);
    await poll(UP);
    expect(told()).toEqual(["A 10 down from 30, found 60 to 120, last seen 90"]);
  });

  it("begins with its first changes, not with a sensor that was down before", async () => {
    const { poll, told, clock } = site();
    await clock.advance(3_600_000);
    await poll(UP);
    await poll(DOWN, DOWN, { since: clock.now() - 50 * 60_000 });
    expect(told()).toEqual(["A 10 down from 3330, found 3660"]);
  });

  it("takes an outage of the first poll as no news, but its end", async () => {
    const { poll, told } = site();
    await poll(DOWN);
    await poll(UP);
    expect(told()).toEqual(["A 10 down from 0, found undefined to 60, last seen 30"]);
  });

  it("counts the most affected sensors of the first minutes", async () => {
    const { poll, told, clock } = site();
    await poll(UP);
    await poll(DOWN, [...DOWN.slice(0, 3), "up", "up"]);
    await poll(DOWN, [...DOWN.slice(0, 4), "up"]);
    await poll(DOWN, [...DOWN.slice(0, 3), "up", "up"]);
    expect(told()).toEqual(["A 9 down from 30, found 60"]);
    await poll(DOWN, DOWN, { after: AROUND_MS, since: clock.now() });
    expect(told()).toEqual(["A 9 down from 30, found 60"]);
  });

  it("takes devices that went down first as the begin of their site's outage", async () => {
    const { poll, told } = site();
    await poll(UP);
    await poll(DOWN, UP);
    expect(told()).toEqual(["A1 5 down from 30, found 60"]);
    await poll(DOWN, DOWN);
    expect(told()).toEqual(["A 10 down from 30, found 90"]);
  });

  it("keeps the begin of a device that was down long before its site, and no end of it", async () => {
    const { poll, told, clock } = site();
    await poll(UP);
    await poll(DOWN, UP);
    await poll(DOWN, DOWN, { after: 2 * AROUND_MS, since: clock.now() + 2 * AROUND_MS - SECOND });
    expect(told()).toEqual([
      "A1 5 down from 30, found 60 to 660, last seen undefined",
      "A 10 down from 659, found 660",
    ]);
  });

  it("takes the rest of an outage as no news, but its end", async () => {
    const { poll, told } = site();
    await poll(UP);
    await poll(DOWN, DOWN, { since: 0 });
    await poll(DOWN, [...UP, "up"]);
    await poll(UP);
    expect(told().map((line) => line.replace(/from .*?, /, ""))).toEqual([
      "A 10 down found 60 to 90, last seen 60",
      "A1 5 down found undefined to 120, last seen 90",
    ]);
  });

  it("has no end if the problem is another one, and the begin of that", async () => {
    const { poll, told } = site();
    await poll(UP);
    await poll(DOWN);
    await poll(UNKNOWN);
    expect(told()).toEqual([
      "A 10 down from 30, found 60 to 90, last seen undefined",
      "A 10 unknown from 60, found 90",
    ]);
  });

  it("forgets an outage some hours after its end, not while it lasts", async () => {
    const { poll, log, clock } = site();
    await poll(UP);
    await poll(DOWN);
    await clock.advance(2 * KEPT_MS);
    expect(log.outages).toHaveLength(1);
    await poll(UP);
    await clock.advance(KEPT_MS + AROUND_MS);
    expect(log.outages).toHaveLength(1);
    await clock.advance(1);
    expect(log.outages).toEqual([]);
  });

  it("keeps the newest outages if there are many", async () => {
    const { poll, log } = site();
    await poll(UP);
    for (let count = 0; count < 510; count++) {
      await poll(DOWN, DOWN, { after: SECOND });
      await poll(UP, UP, { after: SECOND });
    }
    expect(log.outages.length).toBeLessThanOrEqual(500);
    expect(log.outages.length).toBeGreaterThan(440);
    expect(log.outages.at(-1)?.lastSeenAt).toBeDefined();
  });
});
