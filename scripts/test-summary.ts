// Sums up the results of .ci/run and fails if a tier failed.
// Usage: test-summary.ts FOLDER TIER..., reads FOLDER/TIER.json and FOLDER/TIER.exit (see scripts/test-reports.ts)
import { readTier } from "./test-reports.ts";

const [folder = ".", ...tiers] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let skipped = 0;

for (const tier of tiers) {
  const result = readTier(folder, tier);
  if (result === undefined) {
    console.log(`tier ${tier} ended before it ran a test: counted as one failure`);
    failed++;
    continue;
  }
  for (const file of result.repeatedFiles) console.log(`tier ${tier}: ${file} failed at first, and was run again`);
  for (const file of result.brokenFiles) console.log(`tier ${tier}: ${file} failed as a whole`);
  let tierFailed = result.failed;
  if (tierFailed === 0 && result.exitCode !== 0) {
    console.log(`tier ${tier}: no test failed, but the run ended with code ${result.exitCode}: counted as one failure`);
    tierFailed = 1;
  }
  console.log(`tier ${tier}: passed ${result.passed}, failed ${tierFailed}, skipped ${result.skipped}`);
  passed += result.passed;
  failed += tierFailed;
  skipped += result.skipped;
}

if (passed + failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;
