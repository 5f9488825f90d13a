// Sums up the results of .ci/run and fails if a tier failed. With --strict a second chance is a failure.
// Usage: test-summary.ts [--strict] FOLDER TIER..., with FOLDER/TIER.json and FOLDER/TIER.exit (see scripts/tests/report.ts)
import { parseArgs } from "node:util";
import { readTier } from "./tests/report.ts";
import { TIERS } from "./tests/tiers.ts";
import { judgeTier } from "./tests/verdict.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { strict: { type: "boolean" } } });
const [folder = ".", ...tiers] = positionals;
const total = { passed: 0, failed: 0, skipped: 0 };

for (const tier of tiers) {
  const rules = TIERS[tier];
  if (rules === undefined) throw new RangeError(`scripts/tests/tiers.ts has no tier ${tier}`);
  const { passed, failed, skipped, lines } = judgeTier(readTier(folder, tier), rules, {
    isStrict: values.strict === true,
  });
  for (const line of lines) console.log(`tier ${tier}: ${line}`);
  console.log(`tier ${tier}: passed ${passed}, failed ${failed}, skipped ${skipped}`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

if (total.passed === 0) total.failed++;
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exitCode = total.failed > 0 ? 1 : 0;
