import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** One run of Vitest, as scripts/tests/reporter.ts writes it. */
export interface TestReport {
  readonly unhandledErrors: readonly string[];
  readonly files: readonly TestedFile[];
}

export interface TestedFile {
  /** Relative to the project's root. */
  readonly name: string;
  /** Because of a test, a hook, or while it was loaded. */
  readonly failed: boolean;
  readonly tests: readonly TestResult[];
}

export interface TestResult {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly retries: number;
  /** First line of the first error, also of a test that passed when it was retried. */
  readonly error?: string | undefined;
}

export interface TestRun {
  readonly exitCode: number;
  /** Undefined if the run ended early. */
  readonly report: TestReport | undefined;
}

/** A tier's first run, and the second with the files that failed. */
export interface TierRuns {
  readonly first: TestRun;
  readonly again: TestRun | undefined;
}

/** From NAME.exit and NAME.json in the folder, and NAME-again.*. */
export function readTier(folder: string, tier: string): TierRuns {
  const again = `${tier}-again`;
  return {
    first: readRun(folder, tier) ?? { exitCode: 1, report: undefined },
    again: readRun(folder, again),
  };
}

export function failedFiles({ report }: TestRun): TestedFile[] {
  return (report?.files ?? []).filter(({ failed }) => failed);
}

function readRun(folder: string, name: string): TestRun | undefined {
  const exit = path.join(folder, `${name}.exit`);
  if (!existsSync(exit)) return undefined;
  const json = path.join(folder, `${name}.json`);
  const report = existsSync(json) ? (JSON.parse(readFileSync(json, "utf8")) as TestReport) : undefined;
  return { exitCode: Number(readFileSync(exit, "utf8")), report };
}
