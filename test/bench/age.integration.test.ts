import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { RESULTS_FILE, readResults } from "../../bench/results/file.ts";

const MAX_DAYS = 30;
const MAX_COMMITS = 200;
const DAY_MS = 86_400_000;

const results = await readResults(RESULTS_FILE);
const parts = results?.parts ?? [];

const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();

describe.each(parts.map(({ part, size, occasion }) => ({ part, size, ...occasion })))(
  "the results of $part at $size channels",
  ({ date, commit }) => {
    test("are younger than 30 days", () => {
      expect(Date.now() - Date.parse(date)).toBeLessThan(MAX_DAYS * DAY_MS);
    });

    test("are younger than 200 commits of src/", () => {
      expect(commit).toMatch(/^[0-9a-f]{10}$/);
      const isKnown = spawnSync("git", ["cat-file", "-e", commit]).status === 0;
      // A rebase or a shallow clone can lack the commit, but not the date.
      const range = isKnown ? [`${commit}..HEAD`] : [`--since=${date}T00:00:00Z`, "HEAD"];
      expect(Number(git("rev-list", "--count", ...range, "--", "src"))).toBeLessThan(MAX_COMMITS);
    });
  },
);

test("all parts of the README are there", () => {
  expect(parts.length).toBeGreaterThan(8);
});
