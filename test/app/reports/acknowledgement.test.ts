import { describe, expect, it } from "vitest";
import { acknowledgedTimes } from "../../../src/app/reports/acknowledgement.ts";
import { foundNode } from "../../../src/app/reports/node-order.ts";
import type { ServerTree } from "../../../src/app/reports/node-summary.ts";
import { ServerState } from "../../../src/model/server-state.ts";
import { contextAt } from "../../model/build-context.ts";
import { list, record } from "../../model/build-record.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const MINUTE = 60_000;
const [UP, SINCE] = [20 * MINUTE, 33 * MINUTE];

function times(more: Partial<Parameters<typeof acknowledgedTimes>[0]>) {
  const nothing = { statusSince: SINCE, lastUp: UP, downBefore: undefined, intervalSeconds: 60 };
  const { downSince, acknowledgedAt } = acknowledgedTimes({ ...nothing, ...more });
  return [downSince, acknowledgedAt];
}

describe("an acknowledged sensor", () => {
  it("is down since the last success, if the acknowledgement renewed the status", () => {
    expect(times({})).toEqual([UP, SINCE]);
    expect(times({ lastUp: SINCE - 5 * MINUTE - 1 })).toEqual([SINCE - 5 * MINUTE - 1, SINCE]);
  });

  it("is down since its status, if the last success is a scan before it", () => {
    expect(times({ intervalSeconds: 1_200 })).toEqual([SINCE, undefined]);
    expect(times({ intervalSeconds: undefined, lastUp: SINCE - 5 * MINUTE })).toEqual([SINCE, undefined]);
  });

  it("is down since the exporter saw it down", () => {
    const downBefore = { message: undefined, since: UP + MINUTE };
    expect(times({ downBefore })).toEqual([UP + MINUTE, SINCE]);
    expect(times({ downBefore, statusSince: UP + MINUTE })).toEqual([UP + MINUTE, undefined]);
    expect(times({ downBefore, statusSince: undefined })).toEqual([UP + MINUTE, undefined]);
    expect(times({ downBefore: { message: "Timeout", since: undefined } })).toEqual([UP, SINCE]);
  });

  it("has the only known time", () => {
    expect(times({ statusSince: undefined })).toEqual([UP, undefined]);
    expect(times({ lastUp: undefined })).toEqual([SINCE, undefined]);
    expect(times({ lastUp: undefined, statusSince: undefined })).toEqual([undefined, undefined]);
  });

  it("is sorted by the start that pages show, other objects by their status", async () => {
    const clock = new ManualClock();
    const now = clock.now();
    const state = new ServerState({ staleAfterMs: undefined });
    const [down, since] = [now - 30 * MINUTE, now - MINUTE];
    const poll = async (sensor: "down" | "acknowledged", statusSince: number) => {
      const sensors = list([record("sensor", "s", "d", { status: sensor, statusSince })]);
      const device = list([record("device", "d", "0", { status: "acknowledged", statusSince: since, lastUp: down })]);
      await state.applyTree({ nodes: { device, sensor: sensors } }, contextAt(clock));
    };
    const tree = { server: "hq", monitor: { view: { state } } } as unknown as ServerTree;
    const sinceOf = (id: string) => {
      const node = state.tree.nodes.get(id);
      return node && foundNode(tree, node, 0, clock.monotonic()).since;
    };
    await poll("down", down);
    await poll("acknowledged", since);
    expect([sinceOf("s"), sinceOf("d")]).toEqual([down, since]);
  });
});
