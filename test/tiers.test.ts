import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const OTHER_TIERS = /^test\/(real|end-to-end|faults)\/|\.integration\.test\.ts$/;
const STARTS_PROCESSES = /from "node:(child_process|cluster)"/;
const IMPORTED_HELPER = / from "(\.[^"]+\.ts)"/g;

/** Whether the file of ours, or a helper in test/ that it loads, starts processes. */
function startsProcesses(file: string, known = new Map<string, boolean>()): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  if (!file.startsWith("test/") || !existsSync(file)) return false;
  const source = readFileSync(file, "utf8");
  const starts =
    STARTS_PROCESSES.test(source) ||
    [...source.matchAll(IMPORTED_HELPER)].some(([, helper = ""]) =>
      startsProcesses(path.join(path.dirname(file), helper), known),
    );
  known.set(file, starts);
  return starts;
}

test("unit tests start no process: a file that does is named *.integration.test.ts", () => {
  const files = globSync("test/**/*.test.ts");
  const known = new Map<string, boolean>();
  const starters = files.filter((file) => startsProcesses(file, known));
  expect(starters.length).toBeGreaterThan(20);
  expect(starters.filter((file) => !OTHER_TIERS.test(file))).toEqual([]);
});
