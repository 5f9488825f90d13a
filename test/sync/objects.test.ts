import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServerState } from "../../src/model/server-state.ts";
import { NODE_KINDS, type NodePoll, type TreeNode } from "../../src/model/tree.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import { STATUS_ORDER, type StatusToken } from "../../src/prtg/status.ts";
import { ServerObjects } from "../../src/sync/objects.ts";
import { contextAt } from "../model/build-context.ts";
import { list, ROOT, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { Premise } from "../support/premise.ts";
import { runs } from "../support/runs.ts";

const MINUTE = 60_000;

/** Probe 1, group 10, devices 40 and 41, sensors 50 and 51 on 40, 52 on 41. Probe 2 with device 42 and sensor 53. */
const RECORDS: readonly NodeRecord[] = [
  record("probe", "1", ROOT, { name: "Berlin" }),
  record("group", "10", "1", { name: "Network" }),
  record("device", "40", "10", { name: "sw-1", host: "192.0.2.40" }),
  record("device", "41", "10", { name: "sw-2", host: undefined }),
  record("sensor", "50", "40", { name: "Uplink" }),
  record("sensor", "51", "40", { name: "Ping" }),
  record("sensor", "52", "41", { name: "Ping" }),
  record("probe", "2", ROOT, { name: "Bonn" }),
  record("device", "42", "2", { name: "Probe Device" }),
  record("sensor", "53", "42", { name: "Health" }),
];

type Changes = Readonly<Record<string, Partial<NodeRecord>>>;

function pollOf(records: readonly NodeRecord[], complete = true): NodePoll {
  return Object.fromEntries(
    NODE_KINDS.map((kind) => [
      kind,
      list(
        records.filter((each) => each.kind === kind),
        complete,
      ),
    ]),
  );
}

async function stateOf(records: readonly NodeRecord[], clock = new ManualClock()): Promise<ServerState> {
  const state = new ServerState({ staleAfterMs: 5 * MINUTE });
  await state.applyTree({ nodes: pollOf(records) }, contextAt(clock));
  return state;
}

async function objectsWith(changes: Changes = {}): Promise<ServerObjects> {
  return new ServerObjects("hq", await stateOf(RECORDS.map((each) => ({ ...each, ...changes[each.id] }))));
}

describe("sensorsBelow", () => {
  test.each([
    ["0", ["50", "51", "52", "53"]],
    ["1", ["50", "51", "52"]],
    ["10", ["50", "51", "52"]],
    ["40", ["50", "51"]],
    ["50", ["50"]],
    ["42", ["53"]],
    ["4711", []],
  ])("of %s: %j", async (id, expected) => {
    expect((await objectsWith()).sensorsBelow(id).toSorted()).toEqual(expected);
  });

  test("finds the sensors of a device that the selection excludes or the user does not see", async () => {
    const state = await stateOf(RECORDS.filter(({ id }) => id !== "40"));
    // As with a device that is not selected: labels have its id.
    const nodes = new Map<string, TreeNode>(
      state.tree.nodes
        .entries()
        .map(([id, node]) => [id, node.kind === "sensor" && id < "52" ? { ...node, deviceId: "40" } : node]),
    );
    const objects = new ServerObjects("hq", {
      tree: { ...state.tree, nodes },
      node: (id) => state.node(id),
      statusOf: (node) => state.statusOf(node),
      provenAt: (kind) => state.provenAt(kind),
    });
    expect(objects.sensorsBelow("40")).toEqual(["50", "51"]);
  });
});

describe("labelsOf", () => {
  test("has the labels that series and alerts of the sensor have from the tree", async () => {
    const objects = await objectsWith();
    expect(Object.fromEntries(objects.labelsOf("50") ?? [])).toEqual({
      server: "hq",
      probe: "Berlin",
      group: "Network",
      device: "sw-1",
      device_id: "40",
      sensor: "Uplink",
      sensor_id: "50",
      path: "Berlin/Network/sw-1/Uplink",
      host: "192.0.2.40",
    });
    expect(objects.labelsOf("50")).toBe(objects.labelsOf("50"));
  });

  test("is empty text for a missing group or host", async () => {
    const objects = await objectsWith();
    expect(objects.labelsOf("52")?.get("host")).toBe("");
    expect(objects.labelsOf("53")?.get("group")).toBe("");
  });

  test("has no lone surrogates, as series have none", async () => {
    const objects = await objectsWith({ "50": { name: "Up\uD800link" } });
    expect(objects.labelsOf("50")?.get("sensor")).toBe("Up\uFFFDlink");
  });

  test.each(["40", "4711"])("is undefined for %s, which is no sensor", async (id) => {
    expect((await objectsWith()).labelsOf(id)).toBeUndefined();
  });
});

test("sensors have their facts of the last list", async () => {
  const objects = await objectsWith({ "50": { status: "down", statusSince: 4711, message: "Timeout" } });
  const sensor = { id: "50", name: "Uplink", path: "Berlin/Network/sw-1/Uplink" };
  const facts = { ...sensor, status: "down", statusSince: 4711, message: "Timeout" };
  expect([...objects.sensors()].map(({ id }) => id).toSorted()).toEqual(["50", "51", "52", "53"]);
  expect([...objects.sensors()]).toContainEqual(facts);
  expect(objects.sensor("50")).toEqual(facts);
  expect(objects.sensor("40")).toBeUndefined();
});

describe("pausedObjects", () => {
  const SW_1 = { id: "40", name: "sw-1", host: "192.0.2.40", group: "Network", probe: "Berlin" };
  const SW_2 = { id: "41", name: "sw-2", host: "", group: "Network", probe: "Berlin" };

  test("shows a paused group with its devices and the message of a sensor that it pauses", async () => {
    const objects = await objectsWith({
      "10": { status: "pauseduntil", statusSince: 4711 },
      "50": { status: "pausedbyuser", message: "its own pause" },
      "51": { status: "pausedbydependency", message: "new firmware" },
    });
    const [paused, ...others] = objects.pausedObjects();
    expect(others).toEqual([]);
    expect(paused).toMatchObject({ kind: "group", id: "10", name: "Network", path: "Berlin/Network" });
    expect(paused).toMatchObject({ status: "pauseduntil", statusSince: 4711, message: "new firmware" });
    expect(paused?.devices.toSorted((one, other) => Number(one.id) - Number(other.id))).toEqual([SW_1, SW_2]);
  });

  test("takes the message of any paused sensor if none is paused by the object", async () => {
    const objects = await objectsWith({
      "40": { status: "pausedbyuser" },
      "50": { status: "up", message: "OK" },
      "51": { status: "pausedbyuser", message: "new firmware" },
    });
    expect(objects.pausedObjects()).toMatchObject([{ kind: "device", devices: [SW_1], message: "new firmware" }]);
  });

  test("has no message if no sensor below is paused", async () => {
    const objects = await objectsWith({ "40": { status: "pausedbyschedule" }, "50": { message: "OK" } });
    expect(objects.pausedObjects()).toMatchObject([{ status: "pausedbyschedule", message: undefined }]);
  });

  test("shows only the topmost of several pauses", async () => {
    const objects = await objectsWith({
      "1": { status: "pausedbyschedule" },
      "10": { status: "pausedbydependency" },
      "40": { status: "pausedbyuser" },
      "42": { status: "pausedbyuser" },
    });
    expect(objects.pausedObjects().map(({ id }) => id)).toEqual(["1", "42"]);
  });

  test.each(STATUS_ORDER.filter((status) => !["pausedbyuser", "pauseduntil", "pausedbyschedule"].includes(status)))(
    "shows no device that is %s",
    async (status) => {
      expect((await objectsWith({ "40": { status } })).pausedObjects()).toEqual([]);
    },
  );

  test("shows no paused sensor", async () => {
    expect((await objectsWith({ "50": { status: "pausedbyuser" } })).pausedObjects()).toEqual([]);
  });
});

describe("isComplete", () => {
  const isComplete = (state: ServerState, clock: ManualClock) =>
    new ServerObjects("hq", state).isComplete(2 * MINUTE, clock.monotonic());

  test("is true until the lists are too old", async () => {
    const clock = new ManualClock();
    const state = await stateOf(RECORDS, clock);
    await clock.advance(2 * MINUTE);
    expect(isComplete(state, clock)).toBe(true);
    await clock.advance(1);
    expect(isComplete(state, clock)).toBe(false);
  });

  test("is false before the first lists", () => {
    const clock = new ManualClock();
    expect(isComplete(new ServerState({ staleAfterMs: undefined }), clock)).toBe(false);
  });

  test.each(NODE_KINDS)("is false if only the list of %ss was incomplete", async (kind) => {
    const clock = new ManualClock();
    const state = await stateOf(RECORDS, clock);
    await clock.advance(3 * MINUTE);
    const poll = { ...pollOf(RECORDS), [kind]: pollOf(RECORDS, false)[kind] };
    await state.applyTree({ nodes: poll }, contextAt(clock));
    expect(isComplete(state, clock)).toBe(false);
    await state.applyTree({ nodes: pollOf(RECORDS) }, contextAt(clock));
    expect(isComplete(state, clock)).toBe(true);
  });
});

test("a walk from each object to the root gives the same sensors and the same topmost pauses", async () => {
  const statuses = fc.constantFrom<StatusToken>("up", "pausedbyuser", "pauseduntil", "pausedbydependency");
  const drawn = fc.array(fc.tuple(fc.constantFrom(...NODE_KINDS), fc.nat(), statuses), { maxLength: 40, size: "max" });
  const premise = new Premise();
  await fc.assert(
    fc.asyncProperty(drawn, async (nodes) => {
      const records = nodes.map(([kind, parent, status], index) =>
        record(kind, String(index + 1), parent % (index + 1) === 0 ? ROOT : String(parent % (index + 1)), { status }),
      );
      const state = await stateOf(records);
      const above = (id: string): readonly TreeNode[] => {
        const node = state.tree.nodes.get(id);
        return node === undefined ? [] : [...above(node.parentId), node];
      };
      const objects = new ServerObjects("hq", state);
      const ids = [...state.tree.nodes.keys()];
      for (const id of ids) {
        const below = ids.filter((each) => above(each).some((one) => one.id === id));
        const sensors = below.filter((each) => state.tree.nodes.get(each)?.kind === "sensor");
        expect(objects.sensorsBelow(id).toSorted()).toEqual(sensors.toSorted());
      }
      const isPaused = (node: TreeNode) => /^pause(dbyuser|duntil)$/.test(state.statusOf(node) ?? "");
      const topmost = ids.filter((id) => {
        const [node, ...parents] = above(id).toReversed();
        return node !== undefined && node.kind !== "sensor" && isPaused(node) && !parents.some(isPaused);
      });
      const found = objects.pausedObjects();
      expect(found.map(({ id }) => id).toSorted()).toEqual(topmost.toSorted());
      premise.holds(found.length > 1);
    }),
    { numRuns: runs(200) },
  );
  premise.expectOften();
});

test("walks through the tree once, however many questions follow", async () => {
  const state = await stateOf(RECORDS);
  let walks = 0;
  class CountedNodes extends Map<string, TreeNode> {
    override values(): MapIterator<TreeNode> {
      walks++;
      return super.values();
    }
  }
  const objects = new ServerObjects("hq", {
    tree: { ...state.tree, nodes: new CountedNodes(state.tree.nodes) },
    node: (id) => state.node(id),
    statusOf: (node) => state.statusOf(node),
    provenAt: (kind) => state.provenAt(kind),
  });
  for (const { id } of RECORDS) objects.sensorsBelow(id);
  for (const { id } of RECORDS) objects.labelsOf(id);
  expect(walks).toBe(1);
});
