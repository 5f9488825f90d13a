import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const OTHER_TIERS = /^test\/(real|containers|cluster|end-to-end|faults)\/|\.integration\.test\.ts$/;
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

/**
 * Memos, each of what always gives the same; who takes the signals of the process, which no unit test sends; files that
 * hang, which no unit test has; how many names are being looked up, which a test waits for; work that waits for a turn
 * of the one event loop; claims of folders of state, of which each test has one of its own; numbers of compressed parts of pages, which
 * need only differ.
 */
const STATEFUL = [
  "app/reports/server-order.ts",
  "cli/signals.ts",
  "config/validation.ts",
  "exposition/compressed-page.ts",
  "lib/bounded-files.ts",
  "lib/http/dns-lookup.ts",
  "lib/yielding.ts",
  "prtg/decode/values.ts",
  "simulator/api/contract/contract.ts",
  "simulator/api/contract/document.ts",
  "sync/state-claims.ts",
];

test("no module keeps state: unit tests share them, many files to a process", () => {
  const keepsState = /^(export )?(let |const \w+(: [^=]+)? = (new (Map|Set)(<.*>)?\(\)|\[\]|\{\});)/m;
  const isConstant = /^(export )?const [A-Z_]+(: (readonly |Readonly|JsonObject).*)? = /;
  const stateful = globSync("**/*.ts", { cwd: "src" }).filter((file) => {
    const lines = readFileSync(path.join("src", file), "utf8").split("\n");
    return lines.some((line) => keepsState.test(line) && !isConstant.test(line));
  });
  expect(stateful.toSorted()).toEqual(STATEFUL);
});
