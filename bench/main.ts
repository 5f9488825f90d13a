/** `npm run bench [-- PART...]`: measures published claims. Exits with 1 if a budget is broken. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { pathToFileURL } from "node:url";
import { BENCH_HELP, parseBenchArguments } from "./command-line.ts";
import { Calibration } from "./parts/calibration.ts";
import type { PartOptions } from "./parts/part.ts";
import { PARTS } from "./parts/table.ts";
import { startSimulator } from "./processes/simulator.ts";
import { ageWarnings, commitsOfSourceSince } from "./results/age.ts";
import { RESULTS_FILE, readResults, writeResults } from "./results/file.ts";
import { limitText, numberText } from "./results/number-text.ts";
import { peersBlock, readmeBlock, scaleBlock, serversBlock, withBlock } from "./results/readme.ts";
import { brokenBudgets, type Occasion, type PartResult, withPart } from "./results/result.ts";
import { partText } from "./results/text-table.ts";
import type { Spread } from "./statistics.ts";

const README = new URL("../README.md", import.meta.url);
const SIZING = new URL("../docs/sizing.md", import.meta.url);

async function main(): Promise<void> {
  const chosen = parseBenchArguments(process.argv.slice(2));
  if (chosen === "help") {
    process.stdout.write(BENCH_HELP);
    return;
  }
  const file = chosen.output === undefined ? RESULTS_FILE : pathToFileURL(chosen.output);
  if (chosen.readme) {
    await writeTables(file);
    return;
  }
  const results: PartResult[] = [];
  for (const { part, size } of chosen.runs) {
    process.stderr.write(`measuring ${part} at ${size} channels\n`);
    const occasion = occasionNow(await calibrate(chosen.options));
    const started = performance.now();
    const result = await PARTS[part].run({ ...chosen.options, size });
    results.push(result);
    const seconds = (performance.now() - started) / 1_000;
    const speed = `parsing one page of channels takes ${numberText(occasion.calibrationMs.median, "ms")}`;
    process.stdout.write(`${partText(result)}  measured in ${numberText(seconds, "s")}, ${speed}\n`);
    if (chosen.keep) await writeResults(file, withPart(await readResults(file), { ...result, occasion }));
  }
  const broken = brokenBudgets(results);
  for (const budget of broken) {
    const { what, value, unit } = budget;
    process.stderr.write(`\nBUDGET BROKEN: ${what}: ${numberText(value, unit)}, ${limitText(budget)}\n`);
  }
  for (const warning of ageWarnings(await readResults(RESULTS_FILE), Date.now(), commitsOfSourceSince)) {
    process.stderr.write(`OLD FIGURES: ${warning}\n`);
  }
  process.exitCode = broken.length > 0 ? 1 : 0;
}

async function calibrate({ size }: PartOptions): Promise<Spread> {
  await using simulator = await startSimulator(Math.min(size, 10_000));
  const calibration = await Calibration.of(simulator.url);
  calibration.measure();
  return calibration.clockMs;
}

function occasionNow(calibrationMs: Spread): Occasion {
  const processors = cpus();
  const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const isChanged = git("status", "--porcelain", "--", "src", "packages", "bin", "package-lock.json") !== "";
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git("rev-parse", "--short=10", "HEAD")}${isChanged ? "+" : ""}`,
    node: process.version,
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    calibrationMs,
  };
}

async function writeTables(file: URL): Promise<void> {
  const results = await readResults(file);
  if (results === undefined) throw new Error("there are no results: run the bench first");
  await rewrite(README, (text) =>
    withBlock(withBlock(text, "bench-peers", peersBlock(results)), "bench", readmeBlock(results)),
  );
  await rewrite(SIZING, (text) => withBlock(text, "bench-scale", scaleBlock(results)));
  await rewrite(SIZING, (text) => withBlock(text, "bench-servers", serversBlock(results)));
}

async function rewrite(file: URL, change: (text: string) => string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined || change(text) === text) return;
  await writeFile(file, change(text));
  process.stdout.write(`wrote ${file.pathname.split("/").at(-1)}\n`);
}

// A signal alone would leave the child processes behind.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
await main();
