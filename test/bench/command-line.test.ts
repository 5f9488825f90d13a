import { expect, test } from "vitest";
import { BENCH_HELP, parseBenchArguments } from "../../bench/command-line.ts";
import { LONG_PARTS, PART_NAMES } from "../../bench/parts/table.ts";

function chosen(...args: readonly string[]) {
  const bench = parseBenchArguments(args);
  if (bench === "help") throw new Error("help was asked for");
  return bench;
}

test("the bench measures the short parts at 200,000 channels by default, and keeps the results", () => {
  const { runs, options, keep } = chosen();
  expect(runs).toEqual(
    PART_NAMES.filter((part) => !LONG_PARTS.includes(part)).map((part) => ({ part, size: 200_000 })),
  );
  expect(options).toEqual({ size: 200_000, rounds: 7, quick: false });
  expect(keep).toBe(true);
});

test.each([["--all"], ["--quick"]])("%s measures every part", (...args) => {
  expect(new Set(chosen(...args).runs.map(({ part }) => part))).toEqual(new Set(PART_NAMES));
});

test.each<readonly [string, readonly string[], readonly number[]]>([
  ["asked for by name", ["scale"], [10_000, 50_000, 200_000, 1_000_000]],
  ["with a size", ["scale", "--size", "5000"], [5_000]],
  ["quickly", ["scale", "--quick"], [2_000]],
])("the bench has sizes of scale: %s", (_how, args, sizes) => {
  expect(chosen(...args).runs.map(({ size }) => size)).toEqual(sizes);
});

test("a quick run keeps results only with --output", () => {
  expect(chosen("--quick").keep).toBe(false);
  expect(chosen("--quick", "--output", "/tmp/x.json")).toMatchObject({ keep: true, output: "/tmp/x.json" });
});

test.each([["nothing-like-it"], ["--size", "many"], ["--rounds", "0"], ["--unknown"]])(
  "the bench rejects %s %s",
  (...args) => {
    expect(() => parseBenchArguments(args)).toThrow();
  },
);

test("the help names every part", () => {
  expect(parseBenchArguments(["--help"])).toBe("help");
  for (const part of PART_NAMES) expect(BENCH_HELP).toContain(`  ${part} `);
});
