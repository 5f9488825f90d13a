import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { RESULTS_FILE, readResults, writeResults } from "../../bench/results/file.ts";
import { limitText, numberText } from "../../bench/results/number-text.ts";
import { FIRST_PAGE, readmeBlock, scaleBlock, serversBlock, withBlock } from "../../bench/results/readme.ts";
import {
  type BenchResults,
  brokenBudgets,
  isKept,
  type PartResult,
  ratioBudget,
  withParts,
} from "../../bench/results/result.ts";
import { partText } from "../../bench/results/text-table.ts";

const ONE = { minimum: 1, median: 2, maximum: 3.5 };
const POLL: PartResult = {
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
};
const RESULTS: BenchResults = {
  takenOn: "2026-03-12",
  node: "v24.0.0",
  processor: "A processor",
  cores: 2,
  calibrationMs: ONE,
  parts: [POLL],
};

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
  const at = (size: number, title: string): PartResult => ({ ...POLL, size, title });
  const { parts: _, ...machine } = RESULTS;
  const before = withParts(undefined, machine, [at(1, "a"), at(2, "b")]);
  const after = withParts(before, { ...machine, takenOn: "2026-03-13" }, [at(2, "c"), at(3, "d")]);
  expect(after.takenOn).toBe("2026-03-13");
  expect(after.parts.map(({ size, title }) => [size, title])).toEqual([
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
    const broken = { ...RESULTS, calibrationMs: { ...ONE, median: Number.NaN } };
    await expect(writeResults(file, broken)).rejects.toThrow("median is NaN");
  });

  test("matches the tables of the documentation", async () => {
    const results = await readResults(RESULTS_FILE);
    if (results === undefined) throw new Error("there are no results: npm run bench");
    const readme = await readFile("README.md", "utf8");
    expect(withBlock(readme, "bench", readmeBlock(results)), "npm run bench -- --readme").toBe(readme);
    const sizing = await readFile("docs/sizing.md", "utf8");
    expect(withBlock(sizing, "bench-scale", scaleBlock(results)), "npm run bench -- --readme").toBe(sizing);
    expect(withBlock(sizing, "bench-servers", serversBlock(results)), "npm run bench -- --readme").toBe(sizing);
    // Without its markers a block is not compared.
    const markers = [...`${readme}${sizing}`.matchAll(/^<!-- (bench\S*:\w+) -->$/gm)].map(([, marker]) => marker);
    expect(markers).toEqual(
      ["bench", "bench-scale", "bench-servers"].flatMap((name) => [`${name}:begin`, `${name}:end`]),
    );
  });
});

describe("block of the README", () => {
  test("shows headline budgets and every exceeded budget", () => {
    const push = ratioBudget("Processor time of an OTLP push of measurements, to the bare serializer", 0.7, 1.5);
    const block = readmeBlock({ ...RESULTS, parts: [{ ...POLL, budgets: [...POLL.budgets, push] }] });
    expect(block).toContain(
      "| CPU time of an OTLP push, relative to the bare serializer, 200,000 channels | at most 1.5 x | 0.7 x |",
    );
    expect(block).toContain("| they to us, 200,000 channels | at least 100 x | **80 x**, broken |");
    expect(block).not.toContain("ours to bare");
    expect(block).toContain("2026-03-12");
  });

  test("finds twelve headline budgets in the results of this repository", async () => {
    const results = await readResults(RESULTS_FILE);
    const rows = results === undefined ? [] : readmeBlock(results).match(/^\| .* \| at (?:most|least) /gm);
    expect(rows).toHaveLength(12);
  });

  test("finds the time of the first page in any row", () => {
    const row = (name: string, median: number) => ({
      name,
      unit: "s" as const,
      spread: { ...ONE, median },
      samples: 3,
    });
    const startup = {
      ...POLL,
      part: "startup",
      rows: [row("an empty process", 0.04), row(FIRST_PAGE, 9), row("of this", 1)],
    };
    expect(readmeBlock({ ...RESULTS, parts: [startup] })).toContain("The first complete page came after 9 s.");
  });

  test("replaces only the text between its markers", () => {
    const text = "a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n";
    expect(withBlock(text, "bench", "new\n")).toBe("a\n<!-- bench:begin -->\nnew\n<!-- bench:end -->\nb\n");
    expect(withBlock("a\n", "bench", "new\n")).toBe("a\n");
  });
});

test("the table of sizes has one row per size, in order", () => {
  const scale = (size: number): PartResult => ({ ...POLL, part: "scale", size });
  expect(scaleBlock({ ...RESULTS, parts: [scale(50_000), POLL, scale(10_000)] })).toBe(
    `| channels | bare | ours | series |
| --- | --- | --- | --- |
| 10,000 | 2 ms | 2 ms | 100,000 |
| 50,000 | 2 ms | 2 ms | 100,000 |

Measured on 2026-03-12 by \`npm run bench\` on 2 cores (A processor), Node v24.0.0; one page of
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

test("a table names the speed of its machine if known", () => {
  const part = { ...POLL, part: "servers" };
  const parseTime = (measured: PartResult) =>
    / takes .+ to parse/.exec(serversBlock({ ...RESULTS, parts: [measured] }))?.[0];
  expect(parseTime({ ...part, calibrationMs: { minimum: 6, median: 7, maximum: 8 } })).toBe(" takes 7 ms to parse");
  expect(parseTime(part)).toBe(" takes 2 ms to parse");
});
