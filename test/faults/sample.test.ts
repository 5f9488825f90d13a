import { expect, test } from "vitest";
import { ENDPOINTS } from "./support/fault-catalogue.ts";
import { KINDS } from "./support/fault-matrix.ts";
import { somewhere } from "./support/sample.ts";

const pairs = (seed: number, isWhole: boolean) =>
  new Set(KINDS.flatMap((kind) => somewhere(kind, seed, isWhole)).flatMap(({ kinds }) => kinds));

test("the sample has every kind of fault, and every endpoint several times", () => {
  const sample = [...pairs(1, false)];
  expect(new Set(sample.map((pair) => pair.split(" at ")[0]))).toEqual(new Set(KINDS.map(({ name }) => name)));
  const places = Map.groupBy(sample, (pair) => pair.split(" at ")[1]);
  expect([...places.keys()].toSorted()).toEqual(ENDPOINTS.map(({ glob }) => glob).toSorted());
  expect(Math.min(...[...places.values()].map(({ length }) => length))).toBeGreaterThan(3);
});

test("the sample depends only on its seed, and all samples together have everything", () => {
  expect(pairs(2, false)).toEqual(pairs(2, false));
  const whole = pairs(1, true);
  expect(pairs(1, false).size).toBeLessThan(whole.size / 2);
  let seen = new Set<string>();
  for (let seed = 1; seed <= 40; seed++) seen = seen.union(pairs(seed, false));
  expect(seen).toEqual(whole);
});
