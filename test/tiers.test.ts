import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import config from "../vitest.config.ts";
import { LONG_FILES, longestFirst } from "./longest-first.ts";

const OTHER_TIERS = /^(?:packages\/\w+\/)?test\/(real|containers|cluster|end-to-end|faults)\/|\.integration\.test\.ts$/;
const STARTS_PROCESSES = /from "node:(child_process|cluster)"/;
const IMPORTED_HELPER = / from "(\.[^"]+\.ts)"/g;

/** Itself or by a helper in test/. */
function startsProcesses(file: string, known = new Map<string, boolean>()): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  if (!/^(packages\/\w+\/)?test\//.test(file) || !existsSync(file)) return false;
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
  const files = globSync(["test/**/*.test.ts", "packages/*/test/**/*.test.ts"]);
  const known = new Map<string, boolean>();
  const starters = files.filter((file) => startsProcesses(file, known));
  expect(starters.length).toBeGreaterThan(20);
  expect(starters.filter((file) => !OTHER_TIERS.test(file))).toEqual([]);
});

/**
 * Allowed: caches, the signal handler (unit tests send none), hanging files (not in unit tests), the lookup count (a test waits
 * for it), event-loop work, claims of state folders (one per test).
 */
const STATEFUL = [
  "packages/simulator/src/api/contract/contract.ts",
  "packages/simulator/src/api/contract/document.ts",
  "src/app/reports/server-list.ts",
  "src/app/unnamed-channels.ts",
  "src/cli/signals.ts",
  "src/config/validation.ts",
  "src/lib/bounded-files.ts",
  "src/lib/http/dns-lookup.ts",
  "src/lib/yielding.ts",
  "src/prtg/decode/lookup.ts",
  "src/prtg/decode/values.ts",
  "src/state/state-claims.ts",
];

test("modules keep no state: unit tests share them in one process", () => {
  const keepsState = /^(export )?(let |const \w+(: [^=]+)? = (new (Map|Set)(<.*>)?\(\)|\[\]|\{\});)/m;
  const isConstant = /^(export )?const [A-Z_]+(: (readonly |Readonly|JsonObject).*)? = /;
  const stateful = globSync("{src,packages/*/src}/**/*.ts").filter((file) => {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines.some((line) => keepsState.test(line) && !isConstant.test(line));
  });
  expect(stateful.toSorted()).toEqual(STATEFUL);
});

test("files start with the longest one, and others keep their order", () => {
  const [longest = "", next = ""] = LONG_FILES;
  const names = ["test/b.test.ts", next, "test/a.test.ts", longest].map((name) => ({ name }));
  expect(longestFirst(names, ({ name }) => name).map(({ name }) => name)).toEqual([
    longest,
    next,
    "test/b.test.ts",
    "test/a.test.ts",
  ]);
  expect(LONG_FILES.filter((file) => !existsSync(file))).toEqual([]);
});

test("every test belongs to exactly one project", () => {
  const projects = (config.test?.projects ?? []).map((project) => {
    const {
      name,
      include = [],
      exclude = [],
    } = (typeof project === "object" && "test" in project && project.test) || {};
    const excluded = new Set(globSync(exclude));
    return { name, files: globSync(include).filter((file) => !excluded.has(file)) };
  });
  const count = new Map<string, number>();
  for (const file of projects.flatMap(({ files }) => files)) count.set(file, (count.get(file) ?? 0) + 1);
  const all = globSync(["test/**/*.test.ts", "packages/*/test/**/*.test.ts"]).filter(
    (file) => !file.endsWith(".nightly.test.ts"),
  );
  expect(all.filter((file) => count.get(file) !== 1)).toEqual([]);
  expect(projects.find(({ name }) => name === "real-alone")?.files.length).toBeGreaterThan(0);
});

test("a missing snapshot fails a test instead of being written", () => {
  expect(config.test?.update).toBe("none");
});
