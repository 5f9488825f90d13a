import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BEGIN, findOutages, KEEP, OUTAGE_PROBLEMS, outageKey, problemOf } from "../../src/model/outages.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE, type TreeNode } from "../../src/model/tree.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { list, record } from "./build-record.ts";

const UNSLICED = { step: () => undefined };

/** Two probes with groups, devices and sensors. `statuses`: of the sensors of each device. */
function site(statuses: Readonly<Record<string, readonly StatusToken[]>>, since = (id: string) => Number(id)) {
  const devices: NodeRecord[] = [];
  const sensors: NodeRecord[] = [];
  for (const [device, own] of Object.entries(statuses)) {
    devices.push(record("device", device, device.slice(0, 2)));
    for (const [index, status] of own.entries()) {
      const id = `${device}${index}`;
      sensors.push(record("sensor", id, device, { status, statusSince: since(id) }));
    }
  }
  const groups = ["11", "12", "21"].map((id) => record("group", id, id.slice(0, 1)));
  const probes = ["1", "2"].map((id) => record("probe", id, "0"));
  const { tree } = reconcile(EMPTY_TREE, {
    probe: list(probes),
    group: list(groups),
    device: list(devices),
    sensor: list(sensors),
  });
  const states = new Map(sensors.map(({ id, status, statusSince }) => [id, { id, status, statusSince }]));
  const find = (before: ReadonlySet<string> = new Set()) => findOutages(tree, (id) => states.get(id), before, UNSLICED);
  return { tree, states, find };
}

const times = (count: number, status: StatusToken): readonly StatusToken[] => Array<StatusToken>(count).fill(status);

async function objects(statuses: Parameters<typeof site>[0], before: readonly string[] = []) {
  const found = await site(statuses).find(new Set(before));
  return found.map(
    ({ node, problem, below }) => `${node.kind} ${node.id} ${problem} ${below[problem]}/${below.sensors}`,
  );
}

describe("findOutages", () => {
  test.each([
    ["all is well", { "111": times(5, "up"), "211": times(5, "warning") }, []],
    ["three sensors of one device", { "111": times(3, "down"), "112": times(5, "up") }, ["device 111 down 3/3"]],
    ["two sensors are too few", { "111": times(2, "down"), "112": times(5, "up") }, []],
    ["four of five sensors", { "111": [...times(4, "down"), "up"], "112": times(5, "up") }, ["device 111 down 4/5"]],
    ["less than 80 %", { "111": [...times(3, "down"), "up"], "112": times(5, "up") }, []],
    [
      "a site on a probe that has others",
      { "111": times(5, "down"), "112": times(5, "down"), "121": times(9, "up") },
      ["group 11 down 10/10"],
    ],
    [
      "the highest object",
      { "111": times(5, "down"), "121": times(5, "down"), "211": times(5, "up") },
      ["probe 1 down 10/10"],
    ],
    [
      "paused sensors and those without a status do not count",
      { "111": [...times(3, "down"), ...times(20, "pausedbyuser"), ...times(5, "collecting")], "112": times(5, "up") },
      ["device 111 down 3/3"],
    ],
    [
      "acknowledged and partially down are down",
      { "111": ["acknowledged", "partialdown", "down"], "112": times(5, "up") },
      ["device 111 down 3/3"],
    ],
    [
      "blind is another problem than down",
      { "111": times(5, "unknown"), "112": times(5, "down"), "121": times(9, "up") },
      ["device 111 unknown 5/5", "device 112 down 5/5"],
    ],
    [
      "the root is no outage",
      { "111": times(5, "down"), "211": times(5, "down") },
      ["probe 1 down 5/5", "probe 2 down 5/5"],
    ],
  ] as const)("%s", async (_, statuses, expected) => {
    expect(await objects(statuses)).toEqual(expected);
  });

  test("an outage holds until less than half of its sensors have the problem", async () => {
    const half = { "111": [...times(2, "down"), ...times(2, "up")], "112": times(5, "up") } as const;
    expect(await objects(half)).toEqual([]);
    expect(await objects(half, ["down 111"])).toEqual(["device 111 down 2/4"]);
    expect(await objects(half, ["unknown 111"])).toEqual([]);
    const less = { "111": [...times(2, "down"), ...times(3, "up")], "112": times(5, "up") } as const;
    expect(await objects(less, ["down 111"])).toEqual([]);
    expect(await objects({ "111": ["down"], "112": times(5, "up") }, ["down 111"])).toEqual([]);
  });

  test("tells the first sensor, the devices, and what is acknowledged or hidden", async () => {
    const { find } = site(
      {
        "111": ["down", "acknowledged", "pausedbydependency"],
        "112": times(3, "down"),
        "113": times(2, "up"),
        "114": times(5, "down"),
        "121": times(9, "up"),
      },
      (id) => (id === "1121" ? 5 : 1_000 + Number(id)),
    );
    const [outage] = await find();
    expect(outage?.node.id).toBe("11");
    expect(outage?.below).toEqual({ sensors: 12, down: 10, unknown: 0, acknowledged: 1, hidden: 1 });
    expect([...(outage?.devices ?? [])]).toEqual(["111", "112", "114"]);
    expect(outage?.first?.id).toBe("1121");
  });

  test("begins with the first of many sensors, not with one that was down for a week", async () => {
    const [hour, week] = [3_600_000, 7 * 24 * 3_600_000];
    const since: Record<string, number> = { 1110: 0, 1111: week + 2, 1112: week + 1, 1113: week + hour };
    const begun = site({ 111: times(4, "down"), 121: times(9, "up") }, (id) => since[id] ?? 0);
    expect((await begun.find())[0]?.first?.id).toBe("1112");
  });

  test("every outage follows the rule, is the highest, and stays while nothing changes", async () => {
    const status = fc.constantFrom<StatusToken>("up", "down", "unknown", "acknowledged", "pausedbyuser", "none");
    const sensors = fc.array(status, { maxLength: 9 });
    const devices = fc.record({ "111": sensors, "112": sensors, "121": sensors, "211": sensors, "212": sensors });
    const known = fc.subarray(
      ["1", "2", "11", "12", "21", "111", "211"].flatMap((id) => OUTAGE_PROBLEMS.map((each) => outageKey(each, id))),
    );
    await fc.assert(
      fc.asyncProperty(devices, known, async (statuses, before) => {
        const { tree, states, find } = site(statuses);
        const found = await find(new Set(before));
        const isBelow = (node: TreeNode, id: string) => {
          for (let at: TreeNode | undefined = node; at !== undefined; at = tree.nodes.get(at.parentId)) {
            if (at.id === id) return true;
          }
          return false;
        };
        for (const { node, problem } of found) {
          const below = [...states.values()].filter(({ id }) => {
            const sensor = tree.nodes.get(id);
            return sensor !== undefined && isBelow(sensor, node.id);
          });
          const measured = below.filter((each) => !["pausedbyuser", "none"].includes(each.status));
          const affected = measured.filter((each) => problemOf(each.status) === problem);
          const { share, sensors: least } = before.includes(outageKey(problem, node.id)) ? KEEP : BEGIN;
          expect(affected.length).toBeGreaterThanOrEqual(Math.max(least, share * measured.length));
          const others = found.filter((each) => each.problem === problem && each.node !== node);
          expect(others.filter((each) => isBelow(node, each.node.id))).toEqual([]);
        }
        const keys = found.map(({ node, problem }) => outageKey(problem, node.id));
        const again = await find(new Set(keys));
        expect(again.map(({ node, problem }) => outageKey(problem, node.id))).toEqual(keys);
      }),
    );
  });
});
