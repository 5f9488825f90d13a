import { describe, expect, test } from "vitest";
import {
  compareBy,
  compareChildren,
  compareFound,
  compareProblems,
  type FoundNode,
} from "../../../src/app/reports/node-order.ts";
import type { Sort } from "../../../src/http/pages/status/source.ts";
import type { TreeNode } from "../../../src/model/tree.ts";

interface Given extends Partial<Pick<FoundNode, "status" | "sum" | "since" | "measuredAt" | "rank">> {
  readonly kind?: TreeNode["kind"];
  readonly priority?: number;
  readonly name?: string;
}

function found({ kind = "sensor", priority, name = "x", ...more }: Given): FoundNode {
  const node = { kind, priority, name } as TreeNode;
  const nothing = { status: "up", since: undefined, measuredAt: undefined, rank: 1 } as const;
  return { tree: undefined as unknown as FoundNode["tree"], node, ...nothing, ...more };
}

/** The first of each pair comes first, whichever is compared with the other. */
function expectOrder(compare: (a: FoundNode, b: FoundNode) => number, first: Given, second: Given): void {
  expect(Math.sign(compare(found(first), found(second)))).toBe(-1);
  expect(Math.sign(compare(found(second), found(first)))).toBe(1);
}

describe("problems", () => {
  const down = { status: "down", priority: 3, since: 5 } as const;
  test.each<{ what: string; first: Given; second: Given }>([
    { what: "the worse status", first: { ...down, priority: 1 }, second: { status: "warning", priority: 5, since: 9 } },
    {
      what: "what hides sensors",
      first: { ...down, kind: "device", priority: 1 },
      second: { ...down, priority: 5, since: 9 },
    },
    { what: "a probe before a group", first: { ...down, kind: "probe" }, second: { ...down, kind: "group" } },
    { what: "the higher priority", first: { ...down, priority: 4 }, second: { ...down, since: 9 } },
    { what: "a known priority", first: { ...down, priority: 1 }, second: { status: "down", since: 9 } },
    { what: "the newer one", first: { ...down, since: 6 }, second: down },
    { what: "a known time", first: down, second: { ...down, since: undefined } },
    {
      what: "a known status, because unknown objects may be down",
      first: down,
      second: { ...down, status: undefined },
    },
  ])("begin with $what", ({ first, second }) => expectOrder(compareProblems, first, second));

  test.each<{ first: Given; second: Given }>([
    { first: down, second: { ...down, name: "y", rank: 0 } },
    { first: { status: "down" }, second: { status: "down" } },
  ])("can be equal: $first, $second", ({ first, second }) => {
    expect(Math.abs(compareProblems(found(first), found(second)))).toBe(0);
  });
});

describe("children", () => {
  const part = (affected: number, sensors: number) => {
    const status = "down" as const;
    return { kind: "device", status, sum: { status, affected, sensors } } as const;
  };
  test.each<{ what: string; first: Given; second: Given }>([
    { what: "the worse status", first: { ...part(1, 300) }, second: { kind: "device", status: "unknown" } },
    { what: "the larger share", first: part(3, 4), second: { ...part(30, 60), priority: 5 } },
    { what: "more sensors of the same share", first: part(6, 8), second: part(3, 4) },
    { what: "the higher priority", first: { ...part(3, 4), priority: 4 }, second: { ...part(3, 4), since: 9 } },
    { what: "an object that is down itself", first: { kind: "device", status: "down" }, second: part(3, 4) },
    { what: "problems", first: { status: "acknowledged" }, second: { status: "up", priority: 5 } },
  ])("begin with $what", ({ first, second }) => expectOrder(compareChildren, first, second));

  test("keep the order of PRTG without a problem", () => {
    const [up, paused] = [found({ status: "up", priority: 1 }), found({ status: "pausedbyuser", priority: 5 })];
    expect(compareChildren(up, paused)).toBe(0);
    expect(compareChildren(paused, up)).toBe(0);
  });
});

describe("found objects", () => {
  test.each<{ what: string; first: Given; second: Given }>([
    { what: "the better match", first: { rank: 2 }, second: { rank: 4, status: "down" } },
    { what: "problems of equal matches", first: { rank: 3, status: "warning" }, second: { rank: 2 } },
    { what: "the worse problem", first: { rank: 3, status: "down" }, second: { rank: 2, status: "warning" } },
    { what: "the start of a name", first: { rank: 2 }, second: { rank: 3, status: "pausedbyuser", priority: 5 } },
    {
      what: "problems before groups whose status is unknown",
      first: { rank: 3, status: "acknowledged" },
      second: { kind: "group", rank: 2, status: undefined },
    },
  ])("begin with $what", ({ first, second }) => expectOrder(compareFound, first, second));
});

describe("sorted objects", () => {
  const sorted = (key: Sort["key"], isDescending: boolean) => compareBy({ key, isDescending }, compareFound);

  test.each<{ key: Sort["key"]; low: Given; high: Given }>([
    { key: "status", low: { status: "down" }, high: { status: "up" } },
    { key: "priority", low: { priority: 1 }, high: { priority: 5 } },
    { key: "name", low: { name: "Ping 2" }, high: { name: "Ping 10" } },
    { key: "since", low: { since: 1 }, high: { since: 2 } },
    { key: "measured", low: { measuredAt: 1 }, high: { measuredAt: 2 } },
  ])("by $key have both directions", ({ key, low, high }) => {
    expectOrder(sorted(key, false), low, high);
    expectOrder(sorted(key, true), high, low);
  });

  test.each<{ key: Sort["key"]; known: Given }>([
    { key: "priority", known: { priority: 1 } },
    { key: "since", known: { since: 1 } },
    { key: "measured", known: { measuredAt: 1 } },
  ])("by $key end with unknown numbers in both directions", ({ key, known }) => {
    for (const isDescending of [false, true]) expectOrder(sorted(key, isDescending), known, {});
  });

  test("with equal keys are in the order of a search", () => {
    const [problem, match] = [
      { rank: 3, status: "down", priority: 3 },
      { rank: 2, priority: 3 },
    ] as const;
    for (const isDescending of [false, true]) expectOrder(sorted("priority", isDescending), problem, match);
    expectOrder(compareBy(undefined, compareFound), problem, match);
  });
});
