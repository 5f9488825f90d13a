import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { reportOf } from "../soak/report.ts";
import { Soak } from "../soak/soak.ts";

/*
 * The exporter against a server that is disturbed for as long as wanted:
 *   npm run soak -- --minutes 60 --seed 1 --report docs/soak.md
 * Ends with 1 when anything was seen that must not be.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    sensors: { type: "string", default: "250" },
    report: { type: "string" },
  },
});
const options = {
  minutes: positive("minutes", values.minutes),
  seed: positive("seed", values.seed),
  sensors: positive("sensors", values.sensors),
};
// So that the programs under test end with us.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const soak = await Soak.run(options);
const report = reportOf(soak, options);
if (values.report !== undefined) writeFileSync(values.report, report);
process.stdout.write(report);
process.exitCode = soak.findings.violationCount === 0 ? 0 : 1;

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name}: expected a number above 0, not ${text}`);
  return number;
}
