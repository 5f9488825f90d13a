import { expect, test } from "vitest";
import { ServerState } from "../../src/model/server-state.ts";
import { NO_OBSERVER } from "../../src/model/state-observer.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { contextAt } from "./build-context.ts";
import { list, record } from "./build-record.ts";

/** A probe, a group, and devices 111 and 112 with five sensors each. The log names records as they come and go. */
function site() {
  const clock = new ManualClock();
  const state = new ServerState({ staleAfterMs: undefined });
  const log: string[] = [];
  state.observe({
    ...NO_OBSERVER,
    onRecord: (kind, value) => {
      if ("outageId" in value) log.push(`${kind} ${value.node.id} of ${value.outageId}, row ${value.row}`);
      else if ("below" in value) log.push(`${kind} ${value.node.id} ${value.below.down}, row ${value.row}`);
    },
    onRecordRemoval: (kind, value) => {
      if ("node" in value) log.push(`${kind} ${value.node.id} removed`);
    },
  });
  const poll = async (one: readonly StatusToken[], two: readonly StatusToken[] = one, since = 1_000) => {
    const sensors = (device: string, statuses: readonly StatusToken[]) =>
      statuses.map((status, index) => record("sensor", `${device}${index}`, device, { status, statusSince: since }));
    const nodes = {
      probe: list([record("probe", "1", "0")]),
      group: list([record("group", "11", "1"), record("group", "12", "1")]),
      device: list([record("device", "111", "11"), record("device", "112", "11"), record("device", "121", "12")]),
      sensor: list([
        ...sensors("111", one),
        ...sensors("112", two),
        ...sensors("121", ["up", "up", "up", "up", "up", "up"]),
      ]),
    };
    await state.applyTree({ nodes }, contextAt(clock));
    return log.splice(0);
  };
  return { state, poll };
}

const UP = Array<StatusToken>(5).fill("up");
const DOWN = Array<StatusToken>(5).fill("down");

test("reports an outage with its devices while it lasts, then once its end", async () => {
  const { state, poll } = site();
  expect(await poll(UP)).toEqual([]);
  const begun = ["outage 11 10, row 0", "outageDevice 111 of 11, row 0", "outageDevice 112 of 11, row 1"];
  expect(await poll(DOWN)).toEqual(begun);
  expect(await poll(DOWN)).toEqual(begun);
  expect([...state.outages.all.values()].map(({ since, firstId, devices }) => ({ since, firstId, devices }))).toEqual([
    { since: 1_000, firstId: "1110", devices: 2 },
  ]);
  expect(await poll(UP)).toEqual(["outage 11 removed", "outageDevice 111 removed", "outageDevice 112 removed"]);
  expect(await poll(UP)).toEqual([]);
});

test("an outage that shrinks to a device leaves the others, and its rows are used again", async () => {
  const { poll } = site();
  await poll(DOWN);
  const one = ["outage 11 removed", "outageDevice 111 removed", "outageDevice 112 removed", "outage 111 5, row 1"];
  // Less than half of the group.
  expect(await poll(DOWN, [...UP, "up"])).toEqual(one);
  expect(await poll(DOWN, DOWN)).toContain("outage 11 10, row 0");
});

test("the start is the first sensor's, although that sensor has recovered or was acknowledged since", async () => {
  const { state, poll } = site();
  await poll(DOWN, DOWN, 1_000);
  await poll(Array<StatusToken>(5).fill("acknowledged"), DOWN, 9_000);
  expect([...state.outages.all.values()].map(({ since, below }) => [since, below.acknowledged])).toEqual([[1_000, 5]]);
});

test("tells the outage of a sensor only for sensors with its problem", async () => {
  const { state, poll } = site();
  await poll([...DOWN.slice(1), "warning"], DOWN);
  const outageOf = (id: string) => {
    const sensor = state.tree.nodes.get(id);
    if (sensor === undefined) throw new Error(`no sensor ${id}`);
    return state.outages.of(state.tree, sensor, state.statusOf(sensor))?.node.id;
  };
  expect(["1110", "1114", "1120", "1210"].map(outageOf)).toEqual(["11", undefined, "11", undefined]);
});
