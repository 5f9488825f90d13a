import { expect, test } from "vitest";
import type { TestedFile, TestResult, TestRun } from "../../../scripts/tests/report.ts";
import { judgeTier } from "../../../scripts/tests/verdict.ts";

const PASSED: TestResult = { name: "works", state: "passed", retries: 0 };
const FAILED: TestResult = { name: "fails", state: "failed", retries: 1, error: "expected 1 to be 2" };
const RETRIED: TestResult = { name: "wobbles", state: "passed", retries: 1, error: "timed out" };
const SKIPPED: TestResult = { name: "waits for Windows", state: "skipped", retries: 0 };

const RULES = { atLeast: 2, allowedSkips: [] };

function file(name: string, tests: readonly TestResult[], failed = tests.includes(FAILED)): TestedFile {
  return { name, failed, tests };
}

function run(files: readonly TestedFile[], changes: Partial<TestRun> = {}): TestRun {
  const exitCode = files.some(({ failed }) => failed) ? 1 : 0;
  return { exitCode, report: { unhandledErrors: [], files }, ...changes };
}

const GOOD = file("a.test.ts", [PASSED, PASSED]);
const BAD = file("b.test.ts", [PASSED, FAILED]);
const BROKEN = file("b.test.ts", [PASSED, SKIPPED], true);
const MENDED = file("b.test.ts", [PASSED, PASSED]);

interface Case {
  readonly first: TestRun;
  readonly again?: TestRun;
  readonly rules?: Partial<Parameters<typeof judgeTier>[1]>;
  readonly isStrict?: boolean;
  readonly failed: number;
  readonly says?: string;
}

test.each<[string, Case]>([
  ["all tests passed", { first: run([GOOD]), failed: 0 }],
  ["a test failed", { first: run([GOOD, BAD]), failed: 1, says: "FAILED b.test.ts > fails: expected 1 to be 2" }],
  ["a hook threw", { first: run([GOOD, BROKEN]), failed: 1, says: "FAILED b.test.ts failed as a whole" }],
  [
    "a test passed when retried",
    {
      ...{ first: run([GOOD, file("c.test.ts", [RETRIED])]), failed: 0 },
      says: "second chance: c.test.ts > wobbles passed when retried: timed out",
    },
  ],
  [
    "a test passed when retried, which is not allowed",
    { first: run([GOOD, file("c.test.ts", [RETRIED])]), isStrict: true, failed: 1, says: "none is allowed" },
  ],
  [
    "a failed file passed in the second run",
    {
      ...{ first: run([GOOD, BAD]), again: run([MENDED]), failed: 0 },
      says: "second chance: b.test.ts was run again: fails: expected 1 to be 2",
    },
  ],
  [
    "a failed file passed in the second run, which is not allowed",
    { first: run([GOOD, BAD]), again: run([MENDED]), isStrict: true, failed: 1 },
  ],
  ["a failed file failed in the second run", { first: run([GOOD, BAD]), again: run([BAD]), failed: 1 }],
  [
    "the second run has fewer tests than the first",
    {
      ...{ first: run([GOOD, BAD]), again: run([file("b.test.ts", [PASSED])]), failed: 1 },
      says: "b.test.ts had 2 tests, and 1 when run again",
    },
  ],
  ["the second run lacks the file", { first: run([GOOD, BAD]), again: run([]), failed: 2 }],
  [
    "the second run left no report",
    {
      ...{ first: run([GOOD, BAD]), again: run([], { exitCode: 137, report: undefined }), failed: 3 },
      says: "a run ended with code 137 before it wrote its report",
    },
  ],
  ["the first run left no report", { first: run([], { exitCode: 2, report: undefined }), failed: 2 }],
  [
    "a rejection was not handled",
    {
      ...{ first: run([GOOD], { exitCode: 1, report: { unhandledErrors: ["lost"], files: [GOOD] } }), failed: 1 },
      says: "unhandled error: lost",
    },
  ],
  [
    "a rejection was not handled in a run of which a file was run again",
    {
      first: run([], { exitCode: 1, report: { unhandledErrors: ["lost"], files: [GOOD, BAD] } }),
      ...{ again: run([MENDED]), failed: 1, says: "unhandled error: lost" },
    },
  ],
  [
    "a run ended with a code that its report does not explain",
    { first: run([GOOD], { exitCode: 1 }), failed: 1, says: "no test failed, but a run ended with code 1" },
  ],
  [
    "a run of which a file was run again ended with such a code",
    { first: run([GOOD, BAD]), again: run([MENDED], { exitCode: 134 }), failed: 1, says: "code 134" },
  ],
  [
    "a test was skipped",
    {
      ...{ first: run([GOOD, file("d.test.ts", [SKIPPED])]), failed: 1 },
      says: "d.test.ts > waits for Windows was skipped",
    },
  ],
  [
    "a test was skipped for an allowed reason",
    {
      first: run([GOOD, file("d.test.ts", [SKIPPED])]),
      ...{ rules: { allowedSkips: [{ test: "d.test.ts > waits", reason: "Windows only" }] }, failed: 0 },
    },
  ],
  ["there were fewer tests than the floor", { first: run([GOOD]), rules: { atLeast: 3 }, failed: 1, says: "2 tests" }],
])("counts the failures if %s", (_, { first, again, rules, isStrict = false, failed, says }) => {
  const verdict = judgeTier({ first, again }, { ...RULES, ...rules }, { isStrict });
  expect({ failed: verdict.failed, lines: verdict.lines.join("\n") }).toEqual({
    failed,
    lines: expect.stringContaining(says ?? ""),
  });
});
