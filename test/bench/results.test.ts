import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { RESULTS_FILE, readResults, writeResults } from "../../bench/results/file.ts";
import { limitText, numberText } from "../../bench/results/number-text.ts";
import { peersBlock, readmeBlock, scaleBlock, serversBlock, withBlock } from "../../bench/results/readme.ts";
import {
  type BenchResults,
  brokenBudgets,
  isKept,
  type MeasuredPart,
  ratioBudget,
  withPart,
} from "../../bench/results/result.ts";
import { partText } from "../../bench/results/text-table.ts";

const ONE = { minimum: 1, median: 2, maximum: 3.5 };
const OCCASION = {
  date: "2026-03-12",
  commit: "0123456789",
  node: "v24.0.0",
  processor: "A processor",
  cores: 2,
  calibrationMs: ONE,
};
const POLL: MeasuredPart = {
  part: "poll",
  size: 200_000,
  title: "poll: processor time",
  rows: [
    { name: "bare", unit: "ms", spread: ONE, samples: 9 },
    { name: "ours", unit: "ms", spread: ONE, samples: 9, ratio: { spread: ONE, to: "bare" } },
    { name: "series", unit: "count", spread: { minimum: 1e5, median: 1e5, maximum: 1e5 }, samples: 1 },
  ],
  budgets: [
    { what: "ours to bare", unit: "ratio", value: 2, atMost: 2 },
    { what: "they to us", unit: "ratio", value: 80, atLeast: 100 },
  ],
  notes: ["a note"],
  occasion: OCCASION,
};
const RESULTS: BenchResults = { parts: [POLL] };

test.each([
  [{ value: 2, atMost: 2 }, true],
  [{ value: 2.01, atMost: 2 }, false],
  [{ value: 100, atLeast: 100 }, true],
  [{ value: 99, atLeast: 100 }, false],
  // An unmeasured value meets no budget.
  [{ value: Number.NaN, atMost: 2 }, false],
  [{ value: Number.NaN, atLeast: 100 }, false],
])("budget %j passes: %j", (budget, kept) => {
  expect(isKept({ what: "", unit: "ratio", ...budget })).toBe(kept);
});

test("the report finds exceeded budgets in all parts", () => {
  expect(brokenBudgets([POLL, { ...POLL, budgets: [] }]).map(({ what }) => what)).toEqual(["they to us"]);
});

test("a part replaces only the part with its name and size", () => {
  const at = (size: number, title: string): MeasuredPart => ({ ...POLL, size, title });
  const after = [at(1, "a"), at(2, "b"), at(2, "c"), at(3, "d")].reduce<BenchResults | undefined>(withPart, undefined);
  expect(after?.parts.map(({ size, title }) => [size, title])).toEqual([
    [1, "a"],
    [2, "c"],
    [3, "d"],
  ]);
});

test.each([
  [0.01234, "ms", "0.01 ms"],
  [12.345, "ms", "12.3 ms"],
  [1234.5, "MB", "1,235 MB"],
  [1.2549, "ratio", "1.25 x"],
  [0.00231, "ratio", "0.002 x"],
  [-3.2, "percent", "-3.2 %"],
  [4_194_303, "bytes", "4,194,303"],
  [66, "count", "66"],
] as const)("%d %s appears as %s", (value, unit, text) => {
  expect(numberText(value, unit)).toBe(text);
});

test("limits appear in words", () => {
  expect(POLL.budgets.map(limitText)).toEqual(["at most 2 x", "at least 100 x"]);
});

test("a part appears as a table with budgets and notes", () => {
  expect(partText(POLL)).toMatchInlineSnapshot(`
    "
    poll: processor time (200,000)
             median         spread  runs  ratio  to
    bare       2 ms  1 ms - 3.5 ms     9
    ours       2 ms  1 ms - 3.5 ms     9    2 x  bare
    series  100,000
      kept    ours to bare   2 x  at most 2 x
      BROKEN  they to us    80 x  at least 100 x
      a note
    "
  `);
});

describe("bench/results.json", () => {
  test("keeps its content after a round trip", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-results-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = pathToFileURL(path.join(folder, "results.json"));
    expect(await readResults(file)).toBeUndefined();
    await writeResults(file, RESULTS);
    expect(await readResults(file)).toEqual(RESULTS);
    const broken = {
      parts: [{ ...POLL, occasion: { ...OCCASION, calibrationMs: { ...ONE, median: Number.NaN } } }],
    };
    await expect(writeResults(file, broken)).rejects.toThrow("median is NaN");
  });

  test("names the commit of each part", async () => {
    const parts = (await readResults(RESULTS_FILE))?.parts ?? [];
    expect(parts.length).toBeGreaterThan(8);
    for (const { occasion } of parts) expect(occasion.commit).toMatch(/^[0-9a-f]{10}$/);
  });

  test("matches the tables of the documentation", async () => {
    const results = await readResults(RESULTS_FILE);
    if (results === undefined) throw new Error("there are no results: npm run bench");
    const readme = await readFile("README.md", "utf8");
    expect(withBlock(readme, "bench", readmeBlock(results)), "npm run bench -- --readme").toBe(readme);
    expect(withBlock(readme, "bench-peers", peersBlock(results)), "npm run bench -- --readme").toBe(readme);
    const sizing = await readFile("docs/sizing.md", "utf8");
    expect(withBlock(sizing, "bench-scale", scaleBlock(results)), "npm run bench -- --readme").toBe(sizing);
    expect(withBlock(sizing, "bench-servers", serversBlock(results)), "npm run bench -- --readme").toBe(sizing);
    // Without its markers a block is not compared.
    const markers = [...`${readme}${sizing}`.matchAll(/^<!-- (bench\S*:\w+) -->$/gm)].map(([, marker]) => marker);
    expect(markers).toEqual(
      ["bench-peers", "bench", "bench-scale", "bench-servers"].flatMap((name) => [`${name}:begin`, `${name}:end`]),
    );
  });
});

describe("block of the README", () => {
  test("shows headline budgets and every exceeded budget", () => {
    const push = ratioBudget("Processor time of an OTLP push of measurements, to the serializer", ONE, 1.5);
    const block = readmeBlock({ ...RESULTS, parts: [{ ...POLL, budgets: [...POLL.budgets, push] }] });
    expect(block).toContain(
      "| CPU time of an OTLP push, relative to the SDK's serializer alone, 200,000 channels | at most 1.5 x | **2 x (1 x to 3.5 x)**, broken | 2026-03-12, 0123456789, 2 ms |",
    );
    expect(block).toContain("- they to us, 200,000 channels: **80 x**, broken (at least 100 x)");
    expect(block).not.toContain("ours to bare");
  });

  test("finds all headline budgets in the results of this repository", async () => {
    const results = await readResults(RESULTS_FILE);
    const rows = results === undefined ? [] : readmeBlock(results).match(/^\| .* \| at (?:most|least) /gm);
    expect(rows).toHaveLength(16);
  });

  test("replaces only the text between its markers", () => {
    const text = "a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n";
    expect(withBlock(text, "bench", "new\n")).toBe("a\n<!-- bench:begin -->\nnew\n<!-- bench:end -->\nb\n");
    expect(withBlock("a\n", "bench", "new\n")).toBe("a\n");
  });
});

test("the table of sizes has one row per size, in order", () => {
  const scale = (size: number): MeasuredPart => ({ ...POLL, part: "scale", size });
  expect(scaleBlock({ ...RESULTS, parts: [scale(50_000), POLL, scale(10_000)] })).toBe(
    `| channels | bare | ours | series |
| --- | --- | --- | --- |
| 10,000 | 2 ms | 2 ms | 100,000 |
| 50,000 | 2 ms | 2 ms | 100,000 |

Measured on 2026-03-12 at commit 0123456789 by \`npm run bench\` on 2 cores (A processor), Node v24.0.0. One page of
3,000 channels takes 2 ms to parse there.
`,
  );
  expect(scaleBlock({ ...RESULTS, parts: [POLL] })).toBe("Not measured yet.\n");
});

test("the table of many servers has one row per number of servers", () => {
  const row = (of: string, name: string) => ({ name, of, unit: "ms" as const, spread: ONE, samples: 3 });
  const rows = [row("1 server", "scrape"), row("1 server", "poll"), row("30 servers", "poll")];
  const text = serversBlock({ ...RESULTS, parts: [POLL, { ...POLL, part: "servers", rows }] });
  expect(text).toContain(
    "| 200,000 channels on | scrape | poll |\n| --- | --- | --- |\n| 1 server | 2 ms | 2 ms |\n| 30 servers |  | 2 ms |\n",
  );
  expect(partText({ ...POLL, rows })).toContain("poll, 30 servers");
  expect(serversBlock(RESULTS)).toBe("Not measured yet.\n");
});

test("the table of sizes names its oldest measurement", () => {
  const scale = (size: number, date: string) => ({ ...POLL, part: "scale", size, occasion: { ...OCCASION, date } });
  const parts = [scale(1, "2026-03-14"), scale(2, "2026-03-13"), scale(3, "2026-03-15")];
  expect(scaleBlock({ parts })).toContain("Measured on 2026-03-13");
});
