import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

interface Report {
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

/** Relative to the working directory. */
export interface TierResult {
  readonly passed: number;
  /** Includes files that failed without a test (hook or load error). */
  readonly failed: number;
  readonly skipped: number;
  readonly brokenFiles: readonly string[];
  /** Failed first and ran again, with any result. */
  readonly repeatedFiles: readonly string[];
  /** Of the last run. */
  readonly exitCode: number;
}

/** In the first run. @throws without a readable report */
export function failedFiles(folder: string, tier: string): string[] {
  return failedIn(readReport(folder, tier).testResults);
}

/** From TIER.json and TIER.exit, or TIER-again.*. Undefined without a report. */
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
