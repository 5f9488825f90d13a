import { describe, expect, test } from "vitest";
import { compileFilter } from "../../src/filter/compile.ts";
import { idOf, isChannel, parentOf, type SimObject } from "../../src/world/objects.ts";
import { createWorld } from "../../src/world/world.ts";
import { NOW, StaticWorld } from "../support/static-world.ts";
import { everythingOf, scopeOf } from "../support/tree-filter.ts";

const world = new StaticWorld();

function select(filter: string): string {
  return everythingOf(world)
    .filter(compileFilter(filter, scopeOf(world, "specification")))
    .map(idOf)
    .join(" ");
}

describe("hierarchical prefixes", () => {
  test.each([
    // Nested: descendants of the devices below group 10.
    ['descendants (type = device and descendants id = "11")', "1002 1002.0"],
    ["children children status = down", ""],
    ['children children id = "100"', "1000.0 1000.-4 1001.1 1001.2"],
    ['parents parents id = "1000.0"', "100"],
    ['parents children id = "100"', "100"],
    ['children parents id = "100"', "11 100"],
    ["ancestors (primary = true and parents primary = true)", ""],
    ["ancestors primary = false", "1 10 100 1000 1001"],
    ["parents primary = false", "1000 1001"],
    ["ancestors not primary = true and type = sensor", "1000 1001"],
    ["descendants status = down", "2000.3"],
    ["not ancestors type = channel and type != channel", ""],
    ['type = channel and descendants basic.host = "10.0.0.2"', "1000.0 1000.-4 1001.1 1001.2"],
    ['not (descendants id = "1" or descendants id = "2")', "1 2"],
    // The relation binds as tightly as not.
    ['descendants id = "10" and type = device or id = "2"', "2 100 101"],
    // An object is not its own ancestor or descendant.
    ['ancestors contains "10"', "11 100 101 1000 1001 1002 1000.0 1000.-4 1001.1 1001.2 1002.0"],
    ['descendants contains "1001"', "1 10 100"],
    ['descendants contains "1001.2"', "1 10 100 1001"],
    ['descendants contains "4711"', ""],
    ['ancestors ancestors contains "100"', "1 10 100 1000 1001"],
    // Absent, not empty: channels have no descendants.
    ["descendants = nil and type = channel", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
  ])("%s", (filter, ids) => {
    expect(select(filter)).toBe(ids);
  });
});

test("relations work with thousands of objects in any order", () => {
  const large = createWorld({ seed: 3, size: { sensors: 2000, channels: 6000 }, startedAt: NOW });
  const everything = everythingOf(large);
  const scope = scopeOf(large, "specification");
  const preferred = (subject: SimObject): boolean => !isChannel(subject) && subject.priority === 5;
  const above = (subject: SimObject): SimObject[] => {
    const parent = parentOf(subject);
    return parent === undefined ? [] : [parent, ...above(parent)];
  };
  const below = everything.filter((subject) => above(subject).some(preferred)).map(idOf);
  const ancestors = new Set(everything.filter(preferred).flatMap(above));
  const atop = everything.filter((subject) => ancestors.has(subject)).map(idOf);
  expect(Math.min(below.length, atop.length)).toBeGreaterThan(50);
  for (const order of [everything, [...everything].reverse()]) {
    const found = (filter: string) => new Set(order.filter(compileFilter(filter, scope)).map(idOf));
    expect(found("descendants priority = 5")).toEqual(new Set(below));
    expect(found("ancestors priority = 5")).toEqual(new Set(atop));
  }
});

test("a hundred nested relations over a large tree visit each object once", () => {
  const large = createWorld({ seed: 3, size: { sensors: 1500, channels: 5000 }, startedAt: NOW });
  const everything = everythingOf(large);
  const nested = `${"parents children descendants not ".repeat(24)}status = down`;
  const scope = scopeOf(large, "specification");
  let asked = 0;
  const read = (): undefined => {
    asked++;
  };
  const status = {
    type: "enumeration",
    operators: ["="],
    optional: true,
    tokens: new Map([["down", "down"]]),
    read,
  } as const;
  const counting: typeof scope = { ...scope, properties: new Map([["status", status]]) };
  expect(() => everything.filter(compileFilter(nested, counting))).not.toThrow();
  expect(asked).toBeLessThanOrEqual(2 * everything.length);
});
