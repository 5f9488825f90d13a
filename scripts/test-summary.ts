// Adds up what the test tiers of .ci/run left in a folder, and fails if any of them failed.
// Usage: test-summary.ts FOLDER TIER...   with FOLDER/TIER.json (Vitest's JSON report) and FOLDER/TIER.exit
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[];
}

const [folder = ".", ...tiers] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let skipped = 0;

for (const tier of tiers) {
  const exitCode = Number(readFileSync(path.join(folder, `${tier}.exit`), "utf8"));
  const reportFile = path.join(folder, `${tier}.json`);
  if (!existsSync(reportFile)) {
    console.log(`tier ${tier} ended with code ${exitCode} before it ran a test: counted as one failure`);
    failed++;
    continue;
  }
  const report = JSON.parse(readFileSync(reportFile, "utf8")) as Report;
  // A file that cannot be loaded fails without a failed test in it.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  for (const { name } of brokenFiles) console.log(`tier ${tier}: ${path.relative(".", name)} failed as a whole`);
  let tierFailed = report.numFailedTests + brokenFiles.length;
  if (tierFailed === 0 && exitCode !== 0) {
    console.log(`tier ${tier}: no test failed, but the run ended with code ${exitCode}: counted as one failure`);
    tierFailed = 1;
  }
  const tierSkipped = report.numPendingTests + report.numTodoTests;
  console.log(`tier ${tier}: passed ${report.numPassedTests}, failed ${tierFailed}, skipped ${tierSkipped}`);
  passed += report.numPassedTests;
  failed += tierFailed;
  skipped += tierSkipped;
}

if (passed + failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;
