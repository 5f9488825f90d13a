import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failedFiles } from "../../scripts/test-reports.ts";
import { runProgram } from "../real/support/run-program.ts";

const SUMMARY = path.resolve("scripts/test-summary.ts");

/** Statuses of a file's tests. `whole`: failed without a failed test. */
interface TestedFile {
  readonly tests: readonly ("passed" | "failed" | "skipped")[];
  readonly whole?: boolean;
}

type Run = Readonly<Record<string, TestedFile>>;

const GOOD: TestedFile = { tests: ["passed", "passed"] };
const BAD: TestedFile = { tests: ["passed", "failed"] };
const BROKEN: TestedFile = { tests: ["passed", "skipped"], whole: true };

/** Of tier `real`. A number: exit code without a report. */
function reportsOf(runs: {
  readonly first: Run | number;
  readonly again?: Run | number;
  readonly code?: number;
}): string {
  const folder = mkdtempSync(path.join(tmpdir(), "test-reports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, run: Run | number | undefined) => {
    if (run === undefined) return;
    const files = typeof run === "number" ? [] : Object.entries(run);
    const testResults = files.map(([file, { tests, whole = false }]) => ({
      name: path.resolve("test", file),
      status: whole || tests.includes("failed") ? "failed" : "passed",
      assertionResults: tests.map((status) => ({ status })),
    }));
    if (typeof run !== "number") writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ testResults }));
    const isBad = testResults.some(({ status }) => status === "failed");
    const code = typeof run === "number" ? run : (runs.code ?? Number(isBad));
    writeFileSync(path.join(folder, `${name}.exit`), `${code}\n`);
  };
  write("real", runs.first);
  write("real-again", runs.again);
  return folder;
}

test.each<[string, Parameters<typeof reportsOf>[0], { code: number; last: string; says?: string }]>([
  ["all passed", { first: { "a.test.ts": GOOD, "b.test.ts": GOOD } }, { code: 0, last: "4 passed, 0 failed" }],
  ["one failed", { first: { "a.test.ts": GOOD, "b.test.ts": BAD } }, { code: 1, last: "3 passed, 1 failed" }],
  [
    "a hook threw",
    { first: { "a.test.ts": GOOD, "b.test.ts": BROKEN } },
    { code: 1, last: "3 passed, 1 failed, 1 skipped", says: "test/b.test.ts failed as a whole" },
  ],
  [
    "a file that failed passes when it is run again",
    { first: { "a.test.ts": GOOD, "b.test.ts": BROKEN }, again: { "b.test.ts": GOOD } },
    { code: 0, last: "4 passed, 0 failed", says: "test/b.test.ts failed at first, and was run again" },
  ],
  [
    "a file that failed fails when it is run again",
    { first: { "a.test.ts": GOOD, "b.test.ts": BAD }, again: { "b.test.ts": BAD } },
    { code: 1, last: "3 passed, 1 failed", says: "test/b.test.ts failed at first, and was run again" },
  ],
  [
    "the second run left no report",
    { first: { "a.test.ts": BAD }, again: 137 },
    { code: 1, last: "0 passed, 1 failed" },
  ],
  ["the first left none", { first: 2 }, { code: 1, last: "0 passed, 1 failed" }],
  [
    "an error outside of any test",
    { first: { "a.test.ts": GOOD }, code: 1 },
    { code: 1, last: "2 passed, 1 failed", says: "no test failed, but the run ended with code 1" },
  ],
  ["no test at all", { first: {} }, { code: 1, last: "0 passed, 1 failed" }],
])("%s", async (_, runs, expected) => {
  const { code, stdout } = await runProgram(process.execPath, [SUMMARY, reportsOf(runs), "real"], "");
  expect({ code, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({ code: expected.code, last: expected.last });
  expect(stdout).toContain(expected.says ?? "");
});

test("the summary lists files that failed for any reason", () => {
  const folder = reportsOf({ first: { "a.test.ts": GOOD, "b.test.ts": BAD, "c.test.ts": BROKEN } });
  expect(failedFiles(folder, "real")).toEqual(["test/b.test.ts", "test/c.test.ts"]);
});
