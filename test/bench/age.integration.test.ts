import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { commitsOfSourceSince } from "../../bench/results/age.ts";

const head = execFileSync("git", ["rev-parse", "--short=10", "HEAD"], { encoding: "utf8" }).trim();
// No commit has this name.
const UNKNOWN = "0000000000";

test.each([
  ["the last commit", { commit: head, date: "2000-01-01" }],
  ["the last commit with changed files", { commit: `${head}+`, date: "2000-01-01" }],
  ["a later date, if the commit is unknown", { commit: UNKNOWN, date: "2090-01-01" }],
])("counts no commits since %s", (_since, measured) => {
  expect(commitsOfSourceSince(measured)).toBe(0);
});

test("counts the commits since a date, if the commit is unknown", () => {
  expect(commitsOfSourceSince({ commit: UNKNOWN, date: "2000-01-01" })).toBeGreaterThan(0);
});
