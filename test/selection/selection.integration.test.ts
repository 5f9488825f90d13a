import type { Simulator } from "prtg-simulator/src/simulator.ts";
import type { SimNode, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { describe, expect, test } from "vitest";
import { StatusReport } from "../../src/http/pages/status/report.ts";
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
  seriesOf,
  shownObjects,
} from "./selecting-exporter.ts";

async function frozen(faults: readonly string[] = []): Promise<Simulator> {
  const simulator = await simulateServer({ faults });
  simulator.freezeAt(Date.now());
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

describe("display of selected objects", () => {
  test("has the labels of a whole tree", async () => {
    const simulator = await frozen();
    const device = simulator.world.list("device")[3];
    const whole = await selecting(simulator);
    const part = await selecting(simulator, { include: [{ id: device?.id }] });
    await poll(whole, 2);
    await poll(part, 2);
    const selected = selectedIn(simulator.world, [{ id: device?.id ?? "" }], []);
    const expected = [...(await seriesOf(whole, selected))];
    expect(expected.length).toBeGreaterThan(10);
    expect([...(await seriesOf(part))]).toEqual(expected);
  });

  test.each<[string, (world: World) => { include: Rule[]; exclude: Rule[] }]>([
    ["a group by its path", (world) => ({ include: [{ path: pathOf(world, "group", 1) }], exclude: [] })],
    [
      "a device and a sensor by their ids",
      (world) => ({ include: [{ id: idOf(world, "device", 2) }, { id: idOf(world, "sensor", 0) }], exclude: [] }),
    ],
    ["all but a group", (world) => ({ include: [], exclude: [{ id: idOf(world, "group", 1) }] })],
    ["sensors by name in any device", () => ({ include: [{ path: "**/Ping*" }], exclude: [] })],
    ["nothing", () => ({ include: [{ tag: "nobody-has-this" }], exclude: [] })],
  ])("%s", async (_, rulesFor) => {
    const simulator = await frozen();
    const { include, exclude } = rulesFor(simulator.world);
    const exporter = await selecting(simulator, include.length === 0 ? { exclude } : { include, exclude });
    await poll(exporter, 3);
    expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(simulator.world, include, exclude));
  });
});

function idOf(world: World, kind: "group" | "device" | "sensor", index: number): string {
  return nodesOf(world, kind)[index]?.id ?? "";
}

function pathOf(world: World, kind: "group", index: number): string {
  let path = "";
  for (let node = world.list(kind)[index]; node?.parent !== undefined; node = node.parent)
    path = `${node.name}/${path}`;
  return path.slice(0, -1);
}

describe("moves", () => {
  test("out of the selection end an object like a deletion, and moves into it start one", async () => {
    const simulator = await frozen();
    const { world } = simulator;
    const moved = world.list("device").find(({ parent }) => parent?.kind === "group");
    const [mover, inside, outside] = [moved?.id ?? "", moved?.parent?.id ?? "", world.list("probe")[0]?.id ?? ""];
    const exporter = await selecting(simulator, { include: [{ id: inside }] });
    await poll(exporter, 2);
    expect(await shownObjects(exporter)).toContain(mover);
    world.move(mover, outside);
    await poll(exporter);
    expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(world, [{ id: inside }]));
    expect(await shownObjects(exporter)).not.toContain(mover);
    world.move(mover, inside);
    await poll(exporter);
    expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(world, [{ id: inside }]));
  });
});

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

  test("take a fraction of the requests and bytes of whole lists", async () => {
    const at = Date.now();
    const size = { probes: 10, groups: 40, devices: 150, sensors: 1_500, channels: 7_500 };
    const world = createWorld({ seed: 3, size, startedAt: at });
    const include = [{ id: world.list("probe")[0]?.id }];
    const takes = async (faults: readonly string[]) => {
      const simulator = await simulateServer({ world, faults });
      simulator.freezeAt(at);
      const exporter = await selecting(simulator, { include });
      // The first run reads all sensors, the second finds supported filters.
      await poll(exporter, 2);
      simulator.requests.reset();
      await poll(exporter);
      const lists = simulator.requests
        .recent()
        .filter(({ route }) => /^\/experimental\/(sensors|channels)$/.test(route));
      return { requests: lists.length, bytes: lists.reduce((sum, { bytes }) => sum + bytes, 0) };
    };
    const asked = await takes([]);
    const filtered = await takes(["refuses=filter"]);
    // Collectors share their reads. 7,500 channels need three pages.
    expect(asked.requests).toBe(3);
    expect(filtered.requests).toBe(7);
    expect(asked.bytes).toBeLessThan(filtered.bytes / 5);
  });

  test("use another form after a refusal", async () => {
    const simulator = await frozen(["refuses=filter"]);
    const device = simulator.world.list("device")[3]?.id ?? "";
    const exporter = await selecting(simulator, { include: [{ id: device }] });
    await poll(exporter, 2);
    expect([...(await shownObjects(exporter))].toSorted()).toEqual(shown(simulator.world, [{ id: device }]));
    simulator.requests.reset();
    await poll(exporter);
    expect(requests(simulator, "sensors")).toEqual({ all: 1, filtered: 0 });
    expect(requests(simulator, "channels")).toEqual({ all: 2, filtered: 0 });
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

test("the exporter sends a filter of the configuration to the server", async () => {
  const simulator = await frozen();
  const sensor = simulator.world.list("sensor")[5];
  const exporter = await selecting(simulator, { include: [{ filter: `id = "${sensor?.id}"` }] });
  await poll(exporter, 2);
  expect([...(await shownObjects(exporter))]).toEqual(shown(simulator.world, [{ id: sensor?.id ?? "" }]));
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
  ]);
  const { problems } = StatusReport.parse(await exporter.status.status());
  expect(problems.items[0]).toMatchObject({ id: probe.id, status: "disconnected" });
  expect(problems.items[0]?.sensors_by_status).toEqual({ unknown: sensors.length });
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
