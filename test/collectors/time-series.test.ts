import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { LatestValues, ListFollower, type ListFollowerOptions } from "../../src/collectors/time-series.ts";
import type { ChannelRecords } from "../../src/prtg/records.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("waits for a write in progress if no newer values came", async () => {
  const written = Promise.withResolvers<void>();
  const latest = new LatestValues({ applySeries: () => written.promise }, new ManualClock());
  latest.add("2001", 1_000, []);
  let shown = false;
  const showing = latest.write().then(() => {
    shown = true;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(shown).toBe(false);
  written.resolve();
  await showing;
  expect(shown).toBe(true);
});

describe("ListFollower", () => {
  function follower() {
    const followed: string[] = [];
    const onListPoll = async (list: unknown) => void followed.push(String(list));
    const state = { intervalMs: () => undefined };
    const options = { series: { engine: { onListPoll } }, writer: { state, slices: () => undefined } };
    const lists = new ListFollower({ ...options, log: pino({ level: "silent" }) } as unknown as ListFollowerOptions);
    const follow = (name: string) => lists.follow(name as unknown as ChannelRecords, 0);
    return { lists, follow, followed };
  }

  test("passes the first list when the page is up to date, and later ones at once", async () => {
    const { lists, follow, followed } = follower();
    lists.hold();
    await follow("first");
    expect(followed).toEqual([]);
    await lists.release();
    await follow("second");
    expect(followed).toEqual(["first", "second"]);
  });

  test("does not wait for the page if a second list comes", async () => {
    const { lists, follow, followed } = follower();
    lists.hold();
    await follow("first");
    await lists.beforeList();
    expect(followed).toEqual(["first"]);
  });

  test("drops the first list after a stop, whether it waits or comes later", async () => {
    for (const comesLater of [false, true]) {
      const { lists, follow, followed } = follower();
      lists.hold();
      if (!comesLater) await follow("first");
      await lists.stop();
      if (comesLater) await follow("first");
      await lists.release();
      expect(followed).toEqual([]);
    }
  });
});
