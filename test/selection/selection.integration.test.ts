import type { Simulator } from "prtg-simulator/src/simulator.ts";
import type { SimNode, World } from "prtg-simulator/src/world/model.ts";
import { describe, expect, test } from "vitest";
import { StatusReport } from "../../src/http/pages/status/report.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { CLOCK_START } from "../support/manual-clock.ts";
import { simulateServer } from "../support/simulated-server.ts";
import {
  nodesOf,
  poll,
  type Rule,
  reload,
  samplesOf,
  selectedIn,
  selecting,
  selectingConfig,
  shownObjects,
} from "./selecting-exporter.ts";

async function frozen(): Promise<Simulator> {
  const simulator = await simulateServer({ clock: new FixedStartClock() });
  simulator.freezeAt(CLOCK_START);
  return simulator;
}

/** Requests for a list, and how many had a filter. */
function requests({ requests: log }: Simulator, list: string) {
  const all = log.recent().filter(({ route }) => route === `/experimental/${list}`);
  return { all: all.length, filtered: all.filter(({ url }) => url.includes("filter=")).length };
}

function shown(world: World, include: readonly Rule[], exclude: readonly Rule[] = []): readonly string[] {
  return [...selectedIn(world, include, exclude)].toSorted();
}

function idOf(world: World, kind: "group" | "device" | "sensor", index: number): string {
  return nodesOf(world, kind)[index]?.id ?? "";
}

describe("requests for the selected part", () => {
  test("follow one read of all sensors", async () => {
    const simulator = await frozen();
    const device = simulator.world.list("device")[3]?.id ?? "";
    const exporter = await selecting(simulator, { include: [{ id: device }] });
    await poll(exporter);
    // The tree's run also provides statuses.
    expect(requests(simulator, "sensors")).toEqual({ all: 1, filtered: 0 });
    expect(requests(simulator, "channels")).toEqual({ all: 2, filtered: 2 });
    simulator.requests.reset();
    await poll(exporter);
    expect(requests(simulator, "sensors")).toEqual({ all: 1, filtered: 1 });
    expect(simulator.requests.count({ route: "/sensor-status-summary" })).toBe(0);
    expect(simulator.requests.count({ route: "/objects/count" })).toBe(0);
  });

  test("follow another path to the selection without all sensors", async () => {
    const simulator = await frozen();
    const [first, second] = simulator.world.list("device").map(({ id }) => ({ include: [{ id }] }));
    const exporter = await selecting(simulator, first);
    await poll(exporter, 2);
    simulator.requests.reset();
    await reload(exporter, await selectingConfig(simulator, first), await selectingConfig(simulator, second));
    await poll(exporter);
    expect(requests(simulator, "sensors")).toEqual({ all: 1, filtered: 1 });
    expect(requests(simulator, "channels")).toEqual({ all: 2, filtered: 2 });
    expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(simulator.world, second?.include ?? []));
  });
});

test("a refused filter fails the poll with the server's message and removes nothing", async () => {
  const simulator = await frozen();
  const filter = `id = "${idOf(simulator.world, "device", 2)}"`;
  const exporter = await selecting(simulator, { include: [{ filter }] });
  await poll(exporter, 2);
  const before = await shownObjects(exporter);
  expect([...before].toSorted()).toEqual(shown(simulator.world, [{ id: idOf(simulator.world, "device", 2) }]));
  simulator.faults.set(["refuses=filter"]);
  await expect(poll(exporter)).rejects.toThrow("a collector failed");
  await expect(poll(exporter)).rejects.toThrow("a collector failed");
  expect(await shownObjects(exporter)).toEqual(before);
});

test("a disconnected probe above the selection is seen at once, without more requests", async () => {
  const simulator = await frozen();
  const { world } = simulator;
  const group = world.list("group").find(({ parent }) => parent?.kind === "group");
  if (group === undefined) throw new Error("no group below another one");
  let probe: SimNode = group;
  while (probe.kind !== "probe" && probe.parent !== undefined) probe = probe.parent;
  const effect = { kind: "status", status: "disconnected", message: undefined } as const;
  world.addIncident(probe.id, {
    start: 0,
    lengthMs: Number.POSITIVE_INFINITY,
    everyMs: Number.POSITIVE_INFINITY,
    times: 1,
    effect,
  });
  const exporter = await selecting(simulator, { include: [{ id: group.id }] });
  await poll(exporter);
  const selected = [...selectedIn(world, [{ id: group.id }], [])].filter((id) => id !== probe.id);
  const sensors = world.list("sensor").filter(({ id }) => selected.includes(id));
  const samples = (await samplesOf(exporter)).filter(({ labels }) => labels.id === probe.id);
  expect(samples).toMatchObject([
    { name: "prtg_node_status_code", value: "6", labels: { kind: "probe", path: probe.name } },
    ...["affected_sensors", "sensors", "acknowledged_sensors", "start_timestamp_seconds"].map((name) => {
      return { name: `prtg_outage_${name}`, labels: { kind: "probe", problem: "unknown" } };
    }),
  ]);
  const { outages } = StatusReport.parse(await exporter.status.status());
  expect(outages.items).toMatchObject([{ id: probe.id, status: "disconnected", affected: sensors.length }]);
  expect(requests(simulator, "probes")).toEqual({ all: 2, filtered: 0 });
  const page = await exporter.status.node({ server: "hq", id: probe.id, from: 0 });
  expect(page?.children.items.map(({ id }) => id)).toEqual([group.id]);
});

test("a reload with a first selection removes objects immediately without a request", async () => {
  const simulator = await frozen();
  const include = [{ id: idOf(simulator.world, "group", 1) }];
  const exporter = await selecting(simulator);
  await poll(exporter, 2);
  simulator.requests.reset();
  await reload(exporter, await selectingConfig(simulator), await selectingConfig(simulator, { include }));
  expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(simulator.world, include));
  await poll(exporter);
  expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(simulator.world, include));
  expect(requests(simulator, "sensors")).toEqual({ all: 1, filtered: 1 });
});

test("a reload with another selection shows and removes objects immediately", async () => {
  const simulator = await frozen();
  const { world } = simulator;
  const [first, second] = [world.list("group")[0]?.id ?? "", world.list("group")[1]?.id ?? ""];
  const both = await selectingConfig(simulator, { include: [{ id: first }, { id: second }] });
  const one = await selectingConfig(simulator, { include: [{ id: first }] });
  const exporter = await selecting(simulator, { include: [{ id: first }, { id: second }] });
  await poll(exporter, 2);
  expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(world, [{ id: first }, { id: second }]));
  simulator.requests.reset();
  await reload(exporter, both, one);
  expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(world, [{ id: first }]));
  expect(simulator.requests.count()).toBe(0);
  await reload(exporter, one, both);
  await poll(exporter);
  expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(world, [{ id: first }, { id: second }]));
});
