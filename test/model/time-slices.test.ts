import { describe, expect, test } from "vitest";
import { Lookups } from "../../src/model/lookups.ts";
import { outlineOf } from "../../src/model/outline.ts";
import { reconcileInSteps } from "../../src/model/reconcile.ts";
import { ServerState } from "../../src/model/server-state.ts";
import { EMPTY_TREE } from "../../src/model/tree.ts";
import type { UpdateContext } from "../../src/model/update-context.ts";
import { channel } from "../collectors/small-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { contextAt } from "./build-context.ts";
import { list, record } from "./build-record.ts";

const IDS = ["50", "51", "52", "53", "54"];
const SENSORS = list(IDS.map((id) => record("sensor", id, "40")));
const CHANNELS = list(IDS.map((id) => channel(`${id}.0`)));

/** Each step waits for a turn of the event loop. */
function slowSlices() {
  const counts = { steps: 0, waiting: 0, mostWaiting: 0 };
  const step = async () => {
    counts.steps++;
    counts.waiting++;
    counts.mostWaiting = Math.max(counts.mostWaiting, counts.waiting);
    await new Promise(setImmediate);
    counts.waiting--;
  };
  return { counts, slices: { step, longStep: step } as unknown as UpdateContext["slices"] };
}

type Update = (state: ServerState, context: UpdateContext) => Promise<unknown>;

const SERIES = new Map(IDS.map((id) => [id, { at: 1, values: [["0", 1] as const] }]));
const UPDATES: readonly { readonly what: string; readonly run: Update }[] = [
  {
    what: "a first list of objects",
    run: (state, context) =>
      state.applyTree({ nodes: { sensor: list([...SENSORS.items, record("sensor", "60", "40")]) } }, context),
  },
  {
    what: "renamed objects",
    run: (state, context) =>
      state.applyTree(
        { nodes: { sensor: list(IDS.map((id) => record("sensor", id, "40", { name: "new" }))) } },
        context,
      ),
  },
  { what: "a list of channels", run: (state, context) => state.applyChannels(CHANNELS, context) },
  {
    what: "a list that lacks channels",
    run: (state, context) => state.applyChannels(list(CHANNELS.items.slice(4)), context),
  },
  { what: "limits", run: (state, context) => state.channels.applyLimits(CHANNELS, new Lookups([]), context) },
  { what: "time series", run: (state, context) => state.channels.applySeries(SERIES, context) },
  { what: "a changed staleness", run: (state, context) => state.channels.changeStaleness(1, context) },
];

describe("an update of the state", () => {
  test.each(UPDATES)("waits for the event loop at each step of $what", async ({ run }) => {
    const clock = new ManualClock();
    const state = new ServerState({ staleAfterMs: undefined });
    await state.applyTree({ nodes: { sensor: SENSORS } }, contextAt(clock));
    await state.applyChannels(CHANNELS, contextAt(clock));
    const { counts, slices } = slowSlices();
    await run(state, { ...contextAt(clock), slices });
    expect(counts).toMatchObject({ waiting: 0, mostWaiting: 1 });
    expect(counts.steps).toBeGreaterThanOrEqual(IDS.length);
  });
});

test("an outline waits for the event loop at each object", async () => {
  const state = new ServerState({ staleAfterMs: undefined });
  const nodes = { device: list([record("device", "40", "0")]), sensor: SENSORS };
  await state.applyTree({ nodes }, contextAt(new ManualClock()));
  const { counts, slices } = slowSlices();
  const outline = await outlineOf(state.tree, () => "up", slices);
  expect(outline.sensorsBelow("40")).toEqual(new Map([["up", 5]]));
  // Six objects, then one device with counts.
  expect(counts).toEqual({ steps: 7, waiting: 0, mostWaiting: 1 });
});

test("a reconciliation pauses every 2,000 objects in each pass over a large tree", () => {
  // Four pauses for each pass.
  const sensors = Array.from({ length: 9_000 }, (_, index) => record("sensor", `${1_000 + index}`, "0"));
  const [, ...others] = sensors;
  const passesOf = (steps: ReturnType<typeof reconcileInSteps>) => {
    let pauses = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) pauses++;
    return { passes: Math.floor(pauses / 4), tree: step.value.tree };
  };
  const { tree, passes } = passesOf(reconcileInSteps(EMPTY_TREE, { sensor: list(sensors) }));
  const renamed = list([record("sensor", "1000", "0", { name: "new" }), ...others]);
  expect({
    first: passes,
    renamed: passesOf(reconcileInSteps(tree, { sensor: renamed })).passes,
    lost: passesOf(reconcileInSteps(tree, { sensor: list([]) })).passes,
  }).toEqual({ first: 6, renamed: 7, lost: 8 });
});
