import { expect, test } from "vitest";
import { below, mix, smooth, uniform } from "../../src/world/noise.ts";

const COUNT = 40_000;

test("uniform fills the range evenly for consecutive counters and salts", () => {
  for (const draw of [(index: number) => uniform(7, index), (index: number) => uniform(index, 7)]) {
    const bins = new Array<number>(20).fill(0);
    for (let index = 0; index < COUNT; index++) {
      const bin = Math.floor(draw(index) * 20);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    for (const bin of bins) expect(Math.abs(bin - COUNT / 20)).toBeLessThan(5 * Math.sqrt(COUNT / 20));
  }
});

test("neighbours are independent", () => {
  let sum = 0;
  for (let index = 0; index < COUNT; index++) sum += (uniform(3, index) - 0.5) * (uniform(3, index + 1) - 0.5);
  // Standard deviation: 1/12 over the root of the number.
  expect(Math.abs(sum / COUNT)).toBeLessThan((5 / 12) * (1 / Math.sqrt(COUNT)));
});

test("mix gives unsigned 32-bit integers, also for negative, fractional and huge inputs", () => {
  for (const [a, b] of [
    [0, 0],
    [-1, -5],
    [2 ** 40, 1.5],
    [1, 2 ** 33],
  ] as const) {
    const hash = mix(a, b);
    expect(Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32).toBe(true);
    expect(mix(a, b)).toBe(hash);
  }
});

test("smooth has no jumps", () => {
  for (let x = -5; x < 5; x += 0.001) expect(Math.abs(smooth(9, x + 0.001) - smooth(9, x))).toBeLessThan(0.002);
});

test("below stays in range", () => {
  const found = new Set(Array.from({ length: 200 }, (_, index) => below(1, index, 3)));
  expect(found).toEqual(new Set([0, 1, 2]));
});
