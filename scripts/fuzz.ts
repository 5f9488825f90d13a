import { parseArgs } from "node:util";
import type { FuzzViolation } from "../test/fuzz/engine.ts";
import { runHttpFuzz } from "../test/fuzz/http-requests.ts";
import { startHttpTarget } from "../test/fuzz/http-target.ts";
import { openTarget } from "../test/fuzz/open-target.ts";
import { randomOf } from "../test/fuzz/random.ts";
import { TARGET_NAMES, type TargetName } from "../test/fuzz/target.ts";
import { fuzzWatched } from "../test/fuzz/watched.ts";

/*
 * Fuzzes everything that reads foreign input (docs/fuzz.md). Exits with 1 after a finding.
 * npm run fuzz -- --inputs 100000 --seed 1 (inputs for all targets)
 * npm run fuzz -- --target decoder --inputs 400000 --seed 1
 * npm run fuzz -- --target decoder --seed 1 --replay 4711 (shows one input)
 */

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    target: { type: "string" },
    replay: { type: "string" },
  },
});
const seed = wholeNumber("seed", values.seed);
const inputs = wholeNumber("inputs", values.inputs);
const chosen = TARGET_NAMES.filter((name) => values.target === undefined || values.target === name);
if (chosen.length === 0) throw new Error(`--target: expected one of ${TARGET_NAMES.join(", ")}, not ${values.target}`);

if (values.replay !== undefined) await replay(chosen[0], wholeNumber("replay", values.replay));
else for (const target of chosen) await run(target);
// Aborted connections may linger.
process.exit();

async function run(target: TargetName): Promise<void> {
  const started = performance.now();
  const { count, violations, note } = target === "http" ? await overHttp() : await inThread(target);
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  if (violations.length > 0) process.exitCode = 1;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const verdict = `${violations.length} violations`;
  process.stdout.write(`${target}: ${count} inputs, seed ${seed}, ${verdict}, ${seconds} s${note}\n`);
}

interface Outcome {
  readonly count: number;
  readonly violations: readonly string[];
  readonly note: string;
}

async function inThread(target: TargetName): Promise<Outcome> {
  const report = await fuzzWatched(target, { seed, inputs });
  const { slowestMs, slowest, heapGrowth } = report;
  const note = `, longest ${slowestMs.toFixed(1)} ms of CPU (input ${slowest}), heap ${(heapGrowth / 2 ** 20).toFixed(1)} MiB more`;
  return { count: report.inputs, violations: report.violations.map(describe), note };
}

async function overHttp(): Promise<Outcome> {
  // All requests come from one address.
  const server = await startHttpTarget({ maxConnections: 512 });
  try {
    const { host, port, paths } = server;
    const report = await runHttpFuzz({ host, port, paths, seed, inputs, patienceMs: 60_000 });
    const statuses = [...report.statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    const note = `, ${report.connections} connections, answers ${statuses.join(", ")}`;
    const violations = [...report.violations, ...server.errors];
    // Earlier input must not lock out a client.
    const after = await fetch(`${server.url}/metrics`);
    if (after.status !== 200) violations.push(`seed ${seed}: after it the metrics page answers ${after.status}`);
    return { count: report.inputs, violations, note };
  } finally {
    await server.close();
  }
}

function describe({ target, number, what, input }: FuzzViolation): string {
  const where = number === undefined ? "" : ` --replay ${number}`;
  const shown = input === undefined ? "" : `\n  ${input.variant}: ${JSON.stringify(input.text)}`;
  return `${what}\n  npm run fuzz -- --target ${target} --seed ${seed}${where}${shown}`;
}

async function replay(target: TargetName | undefined, number: number): Promise<void> {
  if (target === undefined || target === "http") throw new Error("--replay needs --target, and not http");
  const opened = await openTarget(target);
  const { variant, text } = opened.draw(randomOf(seed, number));
  process.stdout.write(`${variant}: ${JSON.stringify(text)}\n`);
  await opened.run({ variant, text });
  process.stdout.write("nothing is wrong with it\n");
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name}: expected a whole number, not ${text}`);
  return number;
}
