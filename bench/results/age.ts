import { execFileSync, spawnSync } from "node:child_process";
import type { BenchResults, Occasion } from "./result.ts";

const MAX_DAYS = 30;
const MAX_COMMITS = 200;
const DAY_MS = 86_400_000;

type Measured = Pick<Occasion, "date" | "commit">;

/** One line for each part whose figures are old. @param commitsSince number of later commits that change src/ */
export function ageWarnings(
  results: BenchResults | undefined,
  now: number,
  commitsSince: (measured: Measured) => number,
): string[] {
  return (results?.parts ?? []).flatMap(({ part, size, occasion }) => {
    const days = Math.floor((now - Date.parse(occasion.date)) / DAY_MS);
    const commits = commitsSince(occasion);
    if (days <= MAX_DAYS && commits <= MAX_COMMITS) return [];
    const age = `${days} days and ${commits} commits of src/ old`;
    return [`${part} at ${size} channels is ${age}: npm run bench -- ${part} --size ${size}`];
  });
}

/** Asks Git. A rebase or a shallow clone can lack the commit, but not the date. */
export function commitsOfSourceSince({ date, commit }: Measured): number {
  const known = commit.replace("+", "");
  const isKnown = spawnSync("git", ["cat-file", "-e", known]).status === 0;
  const range = isKnown ? [`${known}..HEAD`] : [`--since=${date}T00:00:00Z`, "HEAD"];
  return Number(execFileSync("git", ["rev-list", "--count", ...range, "--", "src"], { encoding: "utf8" }));
}
