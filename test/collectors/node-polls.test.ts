import { pino } from "pino";
import { describe, expect, test, vi } from "vitest";
import { wantedSections } from "../../src/app/mapping.ts";
import { pollTree, readersOfNew, sectionsOf } from "../../src/collectors/node-polls.ts";
import { NodeGaps, type PolledServer } from "../../src/collectors/polled-server.ts";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import { never } from "../support/never-aborted.ts";
import { smallServer } from "./small-server.ts";

const NOTHING = wantedSections({ nodeSensors: [], dependencyInfo: false });
const ALL = wantedSections({ nodeSensors: ["probe", "device"], dependencyInfo: true });

describe("sectionsOf", () => {
  test.each([
    { reader: "tree", wanted: NOTHING, kind: "sensor", sections: ["intervalgroup"] },
    { reader: "tree", wanted: ALL, kind: "sensor", sections: ["intervalgroup", "scheduledependency"] },
    { reader: "tree", wanted: ALL, kind: undefined, sections: ["intervalgroup", "scheduledependency"] },
    { reader: "status", wanted: NOTHING, kind: undefined, sections: [] },
    { reader: "status", wanted: ALL, kind: undefined, sections: ["sensor_status_summary"] },
    { reader: "status", wanted: ALL, kind: "device", sections: ["sensor_status_summary"] },
    { reader: "status", wanted: ALL, kind: "group", sections: [] },
  ] as const)("gives the sections $sections of the list $kind to $reader", ({ reader, wanted, kind, sections }) => {
    expect([...sectionsOf(reader, wanted, kind)]).toEqual(sections);
  });
});

describe("readersOfNew", () => {
  test.each([
    { wanted: NOTHING, before: ALL, readers: [] },
    { wanted: ALL, before: ALL, readers: [] },
    { wanted: ALL, before: NOTHING, readers: ["tree", "status"] },
    {
      wanted: ALL,
      before: wantedSections({ nodeSensors: ["probe"], dependencyInfo: true }),
      readers: ["status"],
    },
  ])("names the collectors $readers that read more than before", ({ wanted, before, readers }) => {
    expect(readersOfNew(wanted, before)).toEqual(readers);
  });
});

describe("pollTree", () => {
  async function poll(onApply: () => void, signal: AbortSignal) {
    const nodes = new NodeGaps(pino({ level: "silent" }));
    const settle = vi.spyOn(nodes.parents, "settle");
    const state = { tree: {}, unknownIds: () => ["7"] };
    const server = {
      connection: {
        api: smallServer(),
        allNodes: { isUsable: () => false, compare: () => undefined },
        withProbesAbove: (lists: unknown) => lists,
        leaving: () => undefined,
        keepFresh: () => undefined,
      },
      history: { nodes },
      writer: { state, applyTree: async () => onApply() },
      memory: new MemoryBudget(),
      sections: NOTHING,
    } as unknown as PolledServer;
    const [result] = await Promise.allSettled([pollTree(server, signal)]);
    return { result, settled: settle.mock.calls };
  }

  test("settles parents that its lists lack", async () => {
    const { result, settled } = await poll(() => undefined, never);
    expect(result).toEqual({ status: "fulfilled", value: { complete: true, error: undefined } });
    expect(settled).toEqual([[["7"]]]);
  });

  test("has no result and settles no parents if it is aborted after its lists", async () => {
    const stop = new AbortController();
    const reason = new Error("stop");
    const { result, settled } = await poll(() => stop.abort(reason), stop.signal);
    expect(result).toEqual({ status: "rejected", reason });
    expect(settled).toEqual([]);
  });
});
