/**
 * npm run rehearse: runs the release workflow of the last commit with local registries that are empty, then the install
 * commands of the pages. Prints each step with its time and exits with 1 at the first that fails. Needs root and the programs
 * of scripts/install-test-programs.sh. Names at the end what it cannot rehearse, and published figures that are old.
 */
import { ageWarnings, commitsOfSourceSince } from "../bench/results/age.ts";
import { RESULTS_FILE, readResults } from "../bench/results/file.ts";
import { rehearse } from "./rehearsal/rehearsal.ts";
import { Steps } from "./rehearsal/steps.ts";

if (process.getuid?.() !== 0) {
  process.stderr.write("Run it as root: it starts a container engine of its own.\n");
  process.exitCode = 1;
} else {
  // Programs in the background end with this process.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  const steps = new Steps((text) => process.stdout.write(text), Date.now);
  try {
    steps.end(await rehearse(steps));
    const old = ageWarnings(await readResults(RESULTS_FILE), Date.now(), commitsOfSourceSince);
    if (old.length > 0) process.stdout.write(`\nOld figures:\n${old.map((warning) => `- ${warning}\n`).join("")}`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
