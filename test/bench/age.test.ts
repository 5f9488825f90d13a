import { expect, test } from "vitest";
import { ageWarnings } from "../../bench/results/age.ts";
import type { BenchResults } from "../../bench/results/result.ts";

const SPREAD = { minimum: 1, median: 1, maximum: 1 };
const NOW = Date.parse("2026-06-01T12:00:00Z");

function measured(date: string): BenchResults {
  const occasion = { date, commit: "0123456789", node: "", processor: "", cores: 2, calibrationMs: SPREAD };
  return { parts: [{ part: "poll", size: 2_000, title: "", rows: [], budgets: [], notes: [], occasion }] };
}

test.each([
  ["2026-06-01", 0, undefined],
  ["2026-05-02", 200, undefined],
  ["2026-05-01", 0, "31 days and 0 commits"],
  ["2026-06-01", 201, "0 days and 201 commits"],
])("results of %s and %d commits of src/ before: %s", (date, commits, age) => {
  const warnings = ageWarnings(measured(date), NOW, () => commits);
  const expected = `poll at 2000 channels is ${age} of src/ old: npm run bench -- poll --size 2000`;
  expect(warnings).toEqual(age === undefined ? [] : [expected]);
});

test("without results there is nothing to warn of", () => {
  expect(ageWarnings(undefined, NOW, () => 1_000)).toEqual([]);
});
