import { describe, expect, test } from "vitest";
import { shrinkText } from "./shrink.ts";
import { fuzzWatched, type WatchedOptions } from "./watched.ts";

/** Selects another run. Failures name their seed. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);

/** Longer runs: `npm run fuzz`, docs/fuzz.md. */
test.each([
  ["decoder", 3_000],
  ["filter", 3_000],
  ["state", 2_000],
  ["config", 250],
] as const)("%s answers or refuses any input", async (target, inputs) => {
  const { violations, inputs: done } = await fuzzWatched(target, { seed: SEED, inputs });
  expect(violations).toEqual([]);
  expect(done).toBe(inputs);
});

describe("fuzzer", () => {
  const source = { module: new URL("./planted-target.ts", import.meta.url).href, opener: "openPlanted" };
  const planted = (fault: string, options: Partial<WatchedOptions> = {}) =>
    fuzzWatched(fault, { seed: 1, inputs: 500, source, ...options });

  test("finds nothing without an error", async () => {
    const { inputs, violations } = await planted("none");
    expect({ inputs, violations }).toEqual({ inputs: 500, violations: [] });
  });

  test("finds another kind of error, shrinks its input and reproduces it", async () => {
    const { violations } = await planted("throws");
    const [first] = violations;
    expect(first).toMatchObject({
      seed: 1,
      what: expect.stringMatching(/^TypeError at test\/fuzz\/planted-target\.ts/),
      input: { text: "XY" },
    });
    const again = await planted("throws", { inputs: 1, first: first?.number ?? 0 });
    expect(again.violations).toEqual([first]);
  });

  test.each([
    ["rejects", /^a rejection that nobody handled: Error/, {}],
    ["warns", /^a warning of the process: planted/, {}],
    ["hangs", /^no end after 1500 ms/, { hangMs: 1_500 }],
    ["works", /^\d+ ms of CPU for one input/, { cpuLimitMs: 50, inputs: 40 }],
    ["leaks", /^the heap grew by \d+ MiB/, { inputs: 12_000 }],
    ["dies", /^the thread died: planted/, { inputs: 3_000 }],
  ] as const)("reports an input that %s", async (fault, what, options) => {
    const { violations } = await planted(fault, options);
    expect(violations.map((violation) => violation.what)).toContainEqual(expect.stringMatching(what));
  });

  test("shrinks to the necessary parts", async () => {
    const needs = async (text: string) => text.includes("b") && text.includes("e");
    expect(await shrinkText("abcdefgh".repeat(40), needs)).toHaveLength(2);
    expect(await shrinkText("x", async () => true)).toBe("");
  });
});
