import { describe, expect, it } from "vitest";
import { type ChangedObject, groupChanges } from "../../../src/app/reports/change-groups.ts";
import type { NodeChange } from "../../../src/model/change-log.ts";

const MINUTE = 60_000;
const AT = Date.UTC(2026, 10, 28, 15, 18);

/** A probe with two sites. `A` has two devices with 4 sensors each, `B` one device with 4. */
const NODES = new Map<string, ChangedObject>();
for (const [id, kind, parentId] of [
  ["probe", "probe", "0"],
  ["A", "group", "probe"],
  ["B", "group", "probe"],
  ["A1", "device", "A"],
  ["A2", "device", "A"],
  ["B1", "device", "B"],
] as const) {
  NODES.set(id, { id, kind, parentId, name: id, path: id });
}
for (const device of ["A1", "A2", "B1"]) {
  for (const number of [1, 2, 3, 4]) {
    const id = `${device}.${number}`;
    NODES.set(id, { id, kind: "sensor", parentId: device, name: id, path: id });
  }
}
const TREE = { nodes: NODES, sensorsBelow: (id: string) => (id === "probe" ? 12 : 4) };

function change(id: string, more: Partial<NodeChange> = {}): NodeChange {
  const { kind = "sensor", parentId = "0" } = NODES.get(id) ?? {};
  return { at: AT, what: "down", id, kind, name: id, path: id, parentId, ...more };
}

const sensorsOf = (...devices: readonly string[]) =>
  devices.flatMap((device) => [1, 2, 3, 4].map((number) => `${device}.${number}`));

function lines(changes: readonly NodeChange[]) {
  return groupChanges(changes, TREE).map(({ what, count, kind, object }) => `${count} ${kind} ${what} ${object.id}`);
}

describe("groupChanges", () => {
  it("leaves one or two changes alone", () => {
    expect(lines([change("A1.1"), change("A1.2")])).toEqual(["1 sensor down A1.1", "1 sensor down A1.2"]);
  });

  it("names the device, or the group above several devices", () => {
    expect(lines(sensorsOf("A1").map((id) => change(id)))).toEqual(["4 sensor down A1"]);
    expect(lines([...sensorsOf("A1"), "A2.1"].map((id) => change(id)))).toEqual(["5 sensor down A"]);
  });

  it("names the probe only if half of its sensors changed", () => {
    expect(lines(["A1.1", "A1.2", "A2.3", ...sensorsOf("B1").slice(0, 2)].map((id) => change(id)))).toEqual([
      "3 sensor down A",
      "1 sensor down B1.1",
      "1 sensor down B1.2",
    ]);
    expect(lines(sensorsOf("A1", "B1").map((id) => change(id)))).toEqual(["8 sensor down probe"]);
  });

  it("separates minutes, changes and kinds, newest first", () => {
    const all = sensorsOf("A1");
    expect(
      lines([
        ...all.map((id) => change(id, { at: AT - 1 })),
        ...all.map((id) => change(id, { at: AT + MINUTE, what: "recovered" })),
        ...all.map((id) => change(id, { at: AT + MINUTE - 1 })),
        change("A1", { at: AT }),
      ]),
    ).toEqual(["4 sensor recovered A1", "4 sensor down A1", "1 device down A1", "4 sensor down A1"]);
  });

  it("counts an object that flaps within a minute once", () => {
    expect(lines([change("A1.1"), change("A1.1", { at: AT + 1 })])).toEqual(["1 sensor down A1.1"]);
  });

  it("has the time of the first change", () => {
    const [group] = groupChanges([change("A1.1", { at: AT + 9 }), change("A1.2"), change("A1.3")], TREE);
    expect(group?.at).toBe(AT);
  });

  it("names a device that went with its sensors", () => {
    const gone = ["x", "y", "z"].map((id) => change(id, { what: "removed", kind: "sensor", parentId: "D" }));
    const device = change("D", { what: "removed", kind: "device", parentId: "A" });
    expect(lines([device, ...gone])).toEqual(["3 sensor removed D", "1 device removed D"]);
  });

  it("ends with a loop of parents", () => {
    const loop = ["x", "y", "z"].map((id) => change(id, { what: "removed", parentId: "x" }));
    expect(lines(loop)).toHaveLength(1);
  });

  it("has a line for each of 40 outages in one poll", () => {
    const nodes = new Map(NODES);
    const changes = Array.from({ length: 2_000 }, (_, index): NodeChange => {
      const site = `site ${index % 40}`;
      nodes.set(site, { id: site, kind: "group", parentId: "probe", name: site, path: site });
      return change(`s${index}`, { parentId: site });
    });
    const groups = groupChanges(changes, { nodes, sensorsBelow: () => 20_000 });
    expect(groups.map(({ count }) => count)).toEqual(Array(40).fill(50));
  });
});
