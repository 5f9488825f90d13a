import { describe, expect, test } from "vitest";
import { findCycles, placeBelow, tagsBelow } from "../../src/model/placement.ts";
import type { TreeNode } from "../../src/model/tree.ts";
import { reference } from "./build-record.ts";

test("placement yields after a number of objects", () => {
  let looks = 0;
  const steps = findCycles(
    Array.from({ length: 1_000 }, (_, index) => String(index + 1)),
    () => {
      looks++;
      return "0";
    },
    10,
  );
  let most = 0;
  for (let before = 0; steps.next().done !== true; before = looks) most = Math.max(most, looks - before);
  expect(looks).toBe(1_000);
  expect(most).toBe(10);
});

describe("cycles", () => {
  const cyclesOf = (parents: Readonly<Record<string, string>>) => {
    const steps = findCycles(Object.keys(parents), (id) => parents[id] ?? "0", 1_000);
    const { value, done } = steps.next();
    return done === true ? value : undefined;
  };

  test.each<{ what: string; parents: Readonly<Record<string, string>>; detached: readonly string[] }>([
    { what: "a tree", parents: { 1: "0", 2: "1", 3: "2" }, detached: [] },
    { what: "an object below itself", parents: { 1: "0", 7: "7" }, detached: ["7"] },
    { what: "two objects", parents: { 12: "9", 9: "12", 5: "0" }, detached: ["9"] },
    { what: "three objects with others below", parents: { 30: "20", 20: "100", 100: "30", 4: "20" }, detached: ["20"] },
    { what: "two cycles", parents: { 1: "2", 2: "1", 8: "9", 9: "8" }, detached: ["1", "8"] },
    { what: "ids that are no numbers", parents: { b: "a", a: "b" }, detached: ["a"] },
  ])("of $what lose $detached", ({ parents, detached }) => {
    expect(cyclesOf(parents)).toEqual(detached);
  });
});

describe("place of an object", () => {
  const PROBE = placeBelow({ id: "1", kind: "probe", name: "Berlin" });
  const DEVICE = placeBelow({ id: "40", kind: "device", name: "sw-1" }, PROBE);
  const sensor = { id: "50", kind: "sensor", name: "Ping" } as const;

  test("has the names above it, and the nearest of each kind", () => {
    const inner = placeBelow(
      { id: "11", kind: "group", name: "b" },
      placeBelow({ id: "10", kind: "group", name: "a" }, PROBE),
    );
    expect(placeBelow(sensor, placeBelow({ id: "41", kind: "device", name: "sw-2" }, inner))).toEqual({
      path: "Berlin/a/b/sw-2/Ping",
      ...{ probe: "Berlin", group: "b", device: "sw-2", deviceId: "41" },
    });
  });

  test("takes the direct parent of a sensor for its device if nothing else is known", () => {
    expect(placeBelow(sensor, PROBE, [reference("40", "sw-1")])).toMatchObject({ device: "sw-1", deviceId: "40" });
    expect(placeBelow(sensor, PROBE, [reference("10", "a"), reference("40", "sw-1")])).toMatchObject({
      ...{ path: "Berlin/a/sw-1/Ping", group: "", device: "sw-1", deviceId: "40" },
    });
    expect(placeBelow(sensor, PROBE, [reference("10", "a", "group")])).toMatchObject({ group: "a", device: "" });
    const group = { id: "12", kind: "group", name: "c" } as const;
    expect(placeBelow(group, PROBE, [reference("10", "a")])).toMatchObject({ group: "c", device: "" });
  });

  test("leaves out unknown names, and cuts paths", () => {
    expect(placeBelow(sensor, DEVICE, [reference("45")]).path).toBe("Berlin/sw-1/Ping");
    const long = placeBelow({ id: "2", kind: "group", name: "x".repeat(5_000) }, PROBE);
    expect(long.path).toHaveLength(4_096);
    expect(placeBelow(sensor, long).path).toBe(long.path);
  });
});

describe("tags that an object inherits", () => {
  const node = (inheritedTags: readonly string[], tags: readonly string[]) => ({ inheritedTags, tags }) as TreeNode;

  test.each([
    { inherited: [], own: [], expected: [] },
    { inherited: ["a"], own: [], expected: ["a"] },
    { inherited: ["a", "b"], own: ["c", "a"], expected: ["a", "b", "c"] },
  ])("are $inherited and $own of its parent, once each", ({ inherited, own, expected }) => {
    expect(tagsBelow(node(inherited, own))).toEqual(expected);
  });

  test("are none at the root", () => expect(tagsBelow(undefined)).toEqual([]));

  test("are the last hundred, in one list for all objects below", () => {
    const parent = node(
      Array.from({ length: 100 }, (_, index) => `a${index}`),
      ["b"],
    );
    expect(tagsBelow(parent)).toHaveLength(100);
    expect([tagsBelow(parent).at(0), tagsBelow(parent).at(-1)]).toEqual(["a1", "b"]);
    expect(tagsBelow(parent)).toBe(tagsBelow(parent));
  });
});
