import { describe, expect, it } from "vitest";
import { type ChangedObject, changedObjects, groupChanges } from "../../../src/app/reports/change-groups.ts";
import type { NodeChange } from "../../../src/model/change-log.ts";
import type { LoggedOutage } from "../../../src/model/outage-log.ts";

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
const TREE = { nodes: NODES, sensorsBelow: async (id: string) => (id === "probe" ? 12 : 4) };

function change(id: string, more: Partial<NodeChange> = {}): NodeChange {
  const { kind = "sensor", parentId = "0" } = NODES.get(id) ?? {};
  return { at: AT, what: "down", id, kind, name: id, path: id, parentId, ...more };
}

const sensorsOf = (...devices: readonly string[]) =>
  devices.flatMap((device) => [1, 2, 3, 4].map((number) => `${device}.${number}`));

async function lines(changes: readonly NodeChange[], outages: readonly LoggedOutage[] = []) {
  return (await groupChanges(changes, TREE, outages)).map(
    ({ what, count, kind, object }) => `${count} ${kind} ${what} ${object.id}`,
  );
}

describe("groupChanges", () => {
  it("leaves one or two changes alone", async () => {
    expect(await lines([change("A1.1"), change("A1.2")])).toEqual(["1 sensor down A1.1", "1 sensor down A1.2"]);
  });

  it("names the device, or the group above several devices", async () => {
    expect(await lines(sensorsOf("A1").map((id) => change(id)))).toEqual(["4 sensor down A1"]);
    expect(await lines([...sensorsOf("A1"), "A2.1"].map((id) => change(id)))).toEqual(["5 sensor down A"]);
  });

  it("names the probe only if half of its sensors changed", async () => {
    expect(await lines(["A1.1", "A1.2", "A2.3", ...sensorsOf("B1").slice(0, 2)].map((id) => change(id)))).toEqual([
      "3 sensor down A",
      "1 sensor down B1.1",
      "1 sensor down B1.2",
    ]);
    expect(await lines(sensorsOf("A1", "B1").map((id) => change(id)))).toEqual(["8 sensor down probe"]);
  });

  it("separates minutes, changes and kinds, newest first", async () => {
    const all = sensorsOf("A1");
    expect(
      await lines([
        ...all.map((id) => change(id, { at: AT - 1 })),
        ...all.map((id) => change(id, { at: AT + MINUTE, what: "recovered" })),
        ...all.map((id) => change(id, { at: AT + MINUTE - 1 })),
        change("A1", { at: AT }),
      ]),
    ).toEqual(["4 sensor recovered A1", "4 sensor down A1", "1 device down A1", "4 sensor down A1"]);
  });

  it("counts an object that flaps within a minute once", async () => {
    expect(await lines([change("A1.1"), change("A1.1", { at: AT + 1 })])).toEqual(["1 sensor down A1.1"]);
  });

  it("has the time of the first change", async () => {
    const [group] = await groupChanges([change("A1.1", { at: AT + 9 }), change("A1.2"), change("A1.3")], TREE);
    expect(group?.at).toBe(AT);
  });

  it("names a device that went with its sensors", async () => {
    const gone = ["x", "y", "z"].map((id) => change(id, { what: "removed", kind: "sensor", parentId: "D" }));
    const device = change("D", { what: "removed", kind: "device", parentId: "A" });
    expect(await lines([device, ...gone])).toEqual(["3 sensor removed D", "1 device removed D"]);
  });

  it("ends with a loop of parents", async () => {
    const loop = ["x", "y", "z"].map((id) => change(id, { what: "removed", parentId: "x" }));
    expect(await lines(loop)).toHaveLength(1);
  });

  it("has a line for each of 40 outages in one poll", async () => {
    const nodes = new Map(NODES);
    const changes = Array.from({ length: 2_000 }, (_, index): NodeChange => {
      const site = `site ${index % 40}`;
      nodes.set(site, { id: site, kind: "group", parentId: "probe", name: site, path: site });
      return change(`s${index}`, { parentId: site });
    });
    const groups = await groupChanges(changes, { nodes, sensorsBelow: async () => 20_000 });
    expect(groups.map(({ count }) => count)).toEqual(Array(40).fill(50));
  });

  describe("with an outage of a site", () => {
    const { id, kind, name, path, parentId } = NODES.get("A") ?? change("A");
    const lasting: LoggedOutage = {
      ...{ problem: "down", object: { id, kind, name, path, parentId }, from: AT, foundAt: AT + MINUTE },
      ...{ affected: 7, sensors: 8, endedAt: undefined, lastSeenAt: undefined },
    };
    const over = { ...lasting, endedAt: AT + 60 * MINUTE, lastSeenAt: AT + 59 * MINUTE };
    const all = sensorsOf("A1", "A2");

    it("has one line for its begin over several minutes, with all affected sensors", async () => {
      const changes = all.slice(0, 6).map((each, index) => change(each, { at: AT + index * MINUTE }));
      const groups = await groupChanges([...changes, change("B1.1", { at: AT + MINUTE })], TREE, [lasting]);
      expect(groups).toMatchObject([
        { at: AT + MINUTE, count: 1, object: { id: "B1.1" }, changes: [{ id: "B1.1" }] },
        { at: AT, what: "down", count: 7, object: { id: "A" }, outage: { part: "begin" }, changes },
      ]);
    });

    it("names the site for three later changes alike, and the sensors of fewer", async () => {
      const later = (what: "down" | "acknowledged", ids: readonly string[]) =>
        ids.map((each) => change(each, { what, at: AT + 20 * MINUTE }));
      expect(
        await lines([...later("acknowledged", sensorsOf("A1")), ...later("down", ["A2.1", "A2.2"])], [lasting]),
      ).toEqual(["4 sensor acknowledged A", "1 sensor down A2.1", "1 sensor down A2.2", "7 sensor down A"]);
    });

    it("has one line for its end, with recoveries some minutes before and after it", async () => {
      const at = [4, 57, 58, 59, 60, 64, 66];
      const changes = at.map((minute, index) =>
        change(all[index] ?? "", { what: "recovered", at: AT + minute * MINUTE }),
      );
      const groups = await groupChanges(changes, TREE, [over]);
      expect(groups.map((group) => [(group.at - AT) / MINUTE, group.count, group.outage?.part])).toEqual([
        ...[
          [66, 1, undefined],
          [60, 5, "end"],
          [4, 1, undefined],
          [1, 7, "begin"],
        ],
      ]);
    });

    it("has the begin and the end without a change of a sensor, unless they are no news", async () => {
      expect(await lines([], [over])).toEqual(["0 sensor recovered A", "7 sensor down A"]);
      expect(await lines([], [{ ...over, foundAt: undefined, lastSeenAt: undefined }])).toEqual([]);
      expect(await groupChanges([], TREE, [over], AT + 2 * MINUTE)).toHaveLength(1);
    });

    it("leaves out changes of devices, of other problems and after it continued as another", async () => {
      const continued = { ...lasting, endedAt: AT + 2 * MINUTE };
      const at = AT + 3 * MINUTE;
      expect(
        await lines([change("A1"), change("A1.1", { what: "unknown" }), change("A1.2", { at })], [continued]),
      ).toEqual(["1 sensor down A1.2", "7 sensor down A", "1 device down A1", "1 sensor unknown A1.1"]);
    });
  });
});

describe("changedObjects", () => {
  it("counts each sensor once per change, and objects of all kinds that were renamed or added", async () => {
    const changes = [
      ...[change("A1.1"), change("A1.1", { at: AT + 2 * MINUTE }), change("A2.1"), change("A1")],
      ...[change("A1.1", { what: "recovered" }), change("B", { what: "renamed" })],
    ];
    expect(Object.fromEntries(changedObjects(changes, await groupChanges(changes, TREE)))).toEqual({
      down: 2,
      recovered: 1,
      renamed: 1,
    });
  });

  it("counts the sensors of an outage whose changes have left the log", async () => {
    const [first] = await groupChanges([change("A1.1")], TREE);
    if (first === undefined) throw new Error("no group");
    const object = { ...change("A"), kind: "group" } as const;
    const times = { from: AT, foundAt: AT, endedAt: undefined, lastSeenAt: undefined };
    const outage: LoggedOutage = { problem: "down", object, affected: 7, sensors: 8, ...times };
    const begin = { ...first, count: 7, object, outage: { part: "begin", outage } } as const;
    expect(changedObjects([change("A1.1")], [begin]).get("down")).toBe(7);
  });
});
