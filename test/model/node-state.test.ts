import { expect, test } from "vitest";
import { NodeState, nodeTimes } from "../../src/model/node-state.ts";
import type { TreeNode } from "../../src/model/tree.ts";
import type { StatusSummary } from "../../src/prtg/records.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { ROOT, record } from "./build-record.ts";

const DEVICE: TreeNode = {
  ...record("device", "40", ROOT),
  ...{ inheritedTags: [], parentId: "0", unseen: [], orphan: false },
  ...{ path: "Root", probe: "", group: "", device: "device 40", deviceId: "40" },
};

function summary(counts: readonly (readonly [StatusToken, number])[], total?: number): StatusSummary {
  return { counts: new Map(counts), total };
}

test("the summary stays while polls confirm it, and expires with the last one", () => {
  const node = new NodeState(nodeTimes(), DEVICE);
  const poll = (told: StatusSummary, expiresAt: number) =>
    node.update(record("device", "40", ROOT, { summary: told }), { state: expiresAt, property: expiresAt });
  const first = summary(
    [
      ["up", 3],
      ["down", 1],
    ],
    4,
  );
  poll(first, 10);
  poll(
    summary(
      [
        ["down", 1],
        ["up", 3],
      ],
      4,
    ),
    20,
  );
  expect(node.facts.summary).toBe(first);
  expect(node.expiryOf("summary").state).toBe(20);
  const others = [
    summary(
      [
        ["up", 4],
        ["down", 0],
      ],
      4,
    ),
    summary([["up", 4]], 4),
    summary([["up", 4]]),
    summary([["down", 4]]),
    summary([]),
  ];
  for (const other of others) {
    poll(other, 30);
    expect(node.facts.summary).toBe(other);
  }
});

test("a fact that a poll lacks stays, and expires with the last poll that had it", () => {
  const node = new NodeState(nodeTimes(), DEVICE);
  const poll = (more: Parameters<typeof record>[3], expiresAt: number) =>
    node.update(record("device", "40", ROOT, more), { state: expiresAt, property: expiresAt + 5 });
  const facts = { intervalSeconds: 60, dependsOn: "41" };
  const all = { statusSince: 1_000, ...facts };
  poll(all, 10);
  poll({ status: "down" }, 20);
  expect(node).toMatchObject({ statusSince: 1_000, facts, status: "down" });
  expect(node.listExpiry).toEqual({ state: 20, property: 25 });
  expect([
    node.statusSinceExpiry.state,
    node.expiryOf("intervalSeconds").property,
    node.expiryOf("dependsOn").property,
  ]).toEqual([10, 15, 15]);
  expect([node.statusSinceAt(9), node.statusSinceAt(10)]).toEqual([1_000, undefined]);
  poll(all, 30);
  expect([
    node.statusSinceExpiry.state,
    node.expiryOf("intervalSeconds").property,
    node.expiryOf("dependsOn").property,
  ]).toEqual([30, 35, 35]);
});

test("the state from before an acknowledgement stays until that ends", () => {
  const node = new NodeState(nodeTimes(), { ...DEVICE, kind: "sensor" });
  const poll = (status: StatusToken, message: string | undefined, statusSince = 1) => {
    node.update(record("sensor", "40", ROOT, { status, message, statusSince }), { state: 10, property: 10 });
    return node.downBefore;
  };
  expect(poll("acknowledged", "On it")).toBeUndefined();
  expect(poll("down", "Timeout", 2)).toBeUndefined();
  expect(poll("acknowledged", "On it", 3)).toEqual({ message: "Timeout", since: 2 });
  expect(poll("acknowledged", "Ticket 4711", 4)).toEqual({ message: "Timeout", since: 2 });
  expect(poll("up", "OK")).toBeUndefined();
  expect(poll("acknowledged", "On it")).toBeUndefined();
  expect(poll("partialdown", undefined, 5)).toBeUndefined();
  expect(poll("acknowledged", "On it")).toEqual({ message: undefined, since: 5 });
});
