import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** The part of Vitest's JSON report that is needed. */
interface Report {
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

/** How the tests of one tier went; files are relative to the working directory. */
export interface TierResult {
  readonly passed: number;
  /** Tests, and files that failed without a failed test in them: a hook threw, or they cannot be loaded. */
  readonly failed: number;
  readonly skipped: number;
  readonly brokenFiles: readonly string[];
  /** Those that failed at first and were run again, whatever came of it. */
  readonly repeatedFiles: readonly string[];
  /** Code with which the last run ended. */
  readonly exitCode: number;
}

/** Files of TIER's first run that failed. @throws when there is no readable report */
export function failedFiles(folder: string, tier: string): string[] {
  return failedIn(readReport(folder, tier).testResults);
}

/** Result of a tier from TIER.json and TIER.exit, or from TIER-again.*; undefined if a run ended without a report. */
export function readTier(folder: string, tier: string): TierResult | undefined {
  const again = `${tier}-again`;
  const isRepeated = existsSync(path.join(folder, `${again}.exit`));
  const last = isRepeated ? again : tier;
  if (!existsSync(path.join(folder, `${tier}.json`)) || !existsSync(path.join(folder, `${last}.json`)))
    return undefined;
  const first = readReport(folder, tier).testResults;
  const repeated = isRepeated ? readReport(folder, again).testResults : [];
  const byFile = new Map([...first, ...repeated].map((file) => [file.name, file]));
  const files = [...byFile.values()];
  const broken = files.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length;
  return {
    passed: count("passed"),
    failed: count("failed") + broken.length,
    skipped: statuses.length - count("passed") - count("failed"),
    brokenFiles: broken.map(({ name }) => path.relative(".", name)),
    repeatedFiles: isRepeated ? failedIn(first) : [],
    exitCode: Number(readFileSync(path.join(folder, `${last}.exit`), "utf8")),
  };
}

function failedIn(files: readonly FileResult[]): string[] {
  return files.filter(({ status }) => status === "failed").map(({ name }) => path.relative(".", name));
}

function readReport(folder: string, name: string): Report {
  return JSON.parse(readFileSync(path.join(folder, `${name}.json`), "utf8")) as Report;
}
