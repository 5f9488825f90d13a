import { failedFiles, type TestedFile, type TestResult, type TestRun, type TierRuns } from "./report.ts";
import type { TierRules } from "./tiers.ts";

export interface Verdict {
  readonly passed: number;
  /** Tests, and everything else that makes the tier red. */
  readonly failed: number;
  readonly skipped: number;
  /** Each failure that is not a failed test, and each second chance. */
  readonly lines: readonly string[];
}

export interface VerdictOptions {
  /** A second chance is a failure. */
  readonly isStrict: boolean;
}

export function judgeTier({ first, again }: TierRuns, rules: TierRules, { isStrict }: VerdictOptions): Verdict {
  const runs = again === undefined ? [first] : [first, again];
  const files = lastResults(runs);
  const tests = files.flatMap(titledTests);
  const inState = (wanted: string) => tests.filter(({ state }) => state === wanted);
  const skips = files.filter(({ failed }) => !failed).flatMap((file) => forbiddenSkips(file, rules));
  const broken = files.filter(({ failed, tests }) => failed && !tests.some(({ state }) => state === "failed"));
  const faults = [
    ...runs.flatMap(unexplainedEnd),
    ...runs.flatMap(({ report }) => report?.unhandledErrors.map((error) => `unhandled error: ${error}`) ?? []),
    ...broken.map(({ name }) => `${name} failed as a whole`),
    ...(again === undefined ? [] : missingTests(first, again)),
    ...skips.map((title) => `${title} was skipped, which scripts/tests/tiers.ts does not allow`),
    ...(tests.length < rules.atLeast ? [`${tests.length} tests, fewer than ${rules.atLeast}`] : []),
  ];
  const chances = [...retriedTests(runs), ...repeatedFiles(first, again)];
  const failures = inState("failed");
  return {
    passed: inState("passed").length,
    failed: failures.length + faults.length + (isStrict ? chances.length : 0),
    skipped: inState("skipped").length,
    lines: [
      ...failures.map(({ title, error }) => `FAILED ${title}: ${error ?? "without an error"}`),
      ...faults.map((fault) => `FAILED ${fault}`),
      ...chances.map((chance) => `second chance${isStrict ? " (FAILED: none is allowed)" : ""}: ${chance}`),
    ],
  };
}

function lastResults(runs: readonly TestRun[]): TestedFile[] {
  const all = runs.flatMap(({ report }) => report?.files ?? []);
  return [...new Map(all.map((file) => [file.name, file])).values()];
}

/** A run that ends with another code than its report explains has crashed, or Vitest found something that is no test. */
function unexplainedEnd(run: TestRun): string[] {
  const { exitCode, report } = run;
  if (report === undefined) return [`a run ended with code ${exitCode} before it wrote its report`];
  const isExplained = failedFiles(run).length > 0 || report.unhandledErrors.length > 0;
  return exitCode === 0 || isExplained ? [] : [`no test failed, but a run ended with code ${exitCode}`];
}

function missingTests(first: TestRun, again: TestRun): string[] {
  const second = new Map(again.report?.files.map(({ name, tests }) => [name, tests.length]));
  return failedFiles(first).flatMap(({ name, tests }) => {
    const found = second.get(name) ?? 0;
    return found < tests.length ? [`${name} had ${tests.length} tests, and ${found} when run again`] : [];
  });
}

function titledTests({ name, tests }: TestedFile): (TestResult & { readonly title: string })[] {
  return tests.map((test) => ({ ...test, title: `${name} > ${test.name}` }));
}

function forbiddenSkips(file: TestedFile, { allowedSkips }: TierRules): string[] {
  const skipped = titledTests(file).filter(({ state }) => state === "skipped");
  return skipped.map(({ title }) => title).filter((title) => !allowedSkips.some(({ test }) => title.startsWith(test)));
}

function retriedTests(runs: readonly TestRun[]): string[] {
  const tests = runs.flatMap(({ report }) => report?.files ?? []).flatMap(titledTests);
  return tests
    .filter(({ state, retries }) => state === "passed" && retries > 0)
    .map(({ title, error }) => `${title} passed when retried: ${error ?? "without an error"}`);
}

function repeatedFiles(first: TestRun, again: TestRun | undefined): string[] {
  if (again === undefined) return [];
  return failedFiles(first).map(({ name, tests }) => {
    const failure = tests.find(({ state }) => state === "failed");
    const reason = failure === undefined ? "it failed as a whole" : `${failure.name}: ${failure.error ?? ""}`;
    return `${name} was run again: ${reason}`;
  });
}
