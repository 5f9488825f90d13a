import { describe, expect, test } from "vitest";
import type { Selection } from "../../src/scenario/schema.ts";
import { pathOf, SelectionError, selectNodes, sensorsOf } from "../../src/scenario/selection.ts";
import type { SimNode } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { STARTED_AT } from "../world/fixtures.ts";

const world = createWorld({ seed: 1, startedAt: STARTED_AT });
const everything = [
  ...world.list("probe"),
  ...world.list("group"),
  ...world.list("device"),
  ...world.list("sensor"),
] as readonly SimNode[];

function isBelow(node: SimNode, fits: (above: SimNode) => boolean): boolean {
  for (let above = node.parent; above !== undefined; above = above.parent) if (fits(above)) return true;
  return false;
}

describe("selectNodes", () => {
  test.each<[Selection, (node: SimNode) => boolean]>([
    [{ type: "probe" }, ({ kind }) => kind === "probe"],
    [{ kind: "ping" }, ({ type }) => type === "ping"],
    [{ tag: "printer", type: "device" }, ({ kind, tags }) => kind === "device" && tags.includes("printer")],
    [{ path: "Local Probe/*" }, ({ parent }) => parent?.name === "Local Probe"],
    [
      { path: "Local Probe/**", type: "group" },
      (node) => node.kind === "group" && isBelow(node, ({ id }) => id === "1"),
    ],
    [{ path: "**/ups-?/UPS*" }, (node) => /\/ups-.\/UPS[^/]*$/s.test(pathOf(node))],
    [
      { below: { tag: "nue" }, type: "device" },
      (node) => node.kind === "device" && isBelow(node, ({ tags }) => tags.includes("nue")),
    ],
    [
      { below: { below: { tag: "nue" }, tag: "power" } },
      (node) => isBelow(node, ({ tags, parent }) => tags.includes("power") && parent?.tags.includes("nue") === true),
    ],
  ])("takes nodes that match all conditions: %j", (selection, fits) => {
    const ids = selectNodes(world, selection).map(({ id }) => id);
    const expected = everything.filter(fits).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(0);
    expect(ids.toSorted()).toEqual(expected.toSorted());
  });

  test("takes ids in their order, and the first of many", () => {
    const [a, b] = world.list("device").map(({ id }) => id);
    expect(selectNodes(world, { id: [b ?? "", a ?? ""] }).map(({ id }) => id)).toEqual([b, a]);
    expect(selectNodes(world, { kind: "ping", first: 3 })).toEqual(selectNodes(world, { kind: "ping" }).slice(0, 3));
  });

  test("takes sensors with an error limit", () => {
    const found = sensorsOf(selectNodes(world, { kind: "wmidiskspace", limited: true }));
    expect(found.length).toBeGreaterThan(10);
    expect(found.length).toBeLessThan(selectNodes(world, { kind: "wmidiskspace" }).length);
    for (const { channels } of found) expect(channels.some(({ limits }) => limits.minError !== undefined)).toBe(true);
  });

  test.each<[Selection, RegExp, string | undefined]>([
    [{ id: "77" }, /no object with the id 77/, "id"],
    [{ kind: "nothing" }, /no object of the world matches/, undefined],
    [{ type: "probe", first: 4 }, /only 3 objects/, "first"],
    [{ below: { kind: "nothing" } }, /no object of the world matches/, "below"],
  ])("rejects %j", (selection, message, key) => {
    const refused = (): unknown => selectNodes(world, selection);
    expect(refused).toThrow(SelectionError);
    expect(refused).toThrow(message);
    expect(refused).toThrow(expect.objectContaining({ key }));
  });
});

test("sensors below several nodes appear once", () => {
  const [probe] = world.list("probe");
  const [device] = world.list("device");
  if (probe === undefined || device === undefined) throw new Error("no world");
  const all = sensorsOf([probe, device]);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toEqual(sensorsOf([probe]));
});
