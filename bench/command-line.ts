import { parseArgs } from "node:util";
import { FULL_SIZE, type PartOptions } from "./parts/part.ts";
import { LONG_PARTS, PART_NAMES, PARTS, type PartName } from "./parts/table.ts";

export interface Run {
  readonly part: PartName;
  readonly size: number;
}

export interface ChosenBench {
  readonly runs: readonly Run[];
  readonly options: PartOptions;
  readonly keep: boolean;
  readonly readme: boolean;
  /** Default: the repository's. */
  readonly output: string | undefined;
}

const QUICK_SIZE = 2_000;
const ROUNDS = 7;
const QUICK_ROUNDS = 2;
export const SCALE_SIZES = [10_000, 50_000, 200_000, 1_000_000] as const;
/** The largest size takes minutes: on request only. */
const USUAL_SCALE_SIZES = SCALE_SIZES.filter((size) => size < FULL_SIZE);

export const BENCH_HELP = `Usage: npm run bench [-- PART...] [--all] [--size N] [--rounds N] [--quick] [--output FILE]

Parts. Without names: those that take less than ten minutes together.
${Object.entries(PARTS)
  .map(([name, { does }]) => `  ${name.padEnd(10)}${does}${isLong(name) ? " (long)" : ""}`)
  .join("\n")}

  --all          long parts, too
  --size N       channels of the simulated server (default: ${FULL_SIZE}; scale: ${SCALE_SIZES.join(", ")})
  --rounds N     how often what is compared runs in turn (default: ${ROUNDS})
  --quick        small and short, to see that everything runs; nothing is written but to --output
  --output FILE  where results go (default: bench/results.json)
  --readme       measures nothing, brings the tables of README.md and docs/sizing.md up to date with the results

Exits with 1 when a budget is broken. Budgets are for ${FULL_SIZE} channels and more.
Warns of published figures that are old.
`;

function isLong(name: string): boolean {
  return LONG_PARTS.some((long) => long === name);
}

/** @throws TypeError, RangeError */
export function parseBenchArguments(args: readonly string[]): ChosenBench | "help" {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      size: { type: "string" },
      rounds: { type: "string" },
      all: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      readme: { type: "boolean", default: false },
      output: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const { all, quick, readme, output } = values;
  const given = values.size === undefined ? undefined : wholeNumber("--size", values.size);
  const size = given ?? (quick ? QUICK_SIZE : FULL_SIZE);
  const rounds = values.rounds === undefined ? (quick ? QUICK_ROUNDS : ROUNDS) : wholeNumber("--rounds", values.rounds);
  const usual = all || quick ? PART_NAMES : PART_NAMES.filter((name) => !isLong(name));
  const parts = positionals.length === 0 ? usual : positionals.map(partName);
  const runs = parts.flatMap((part): Run[] => {
    if (part !== "scale" || given !== undefined || quick) return [{ part, size }];
    const sizes = positionals.length === 0 ? USUAL_SCALE_SIZES : SCALE_SIZES;
    return sizes.map((each) => ({ part, size: each }));
  });
  return { runs, options: { size, rounds, quick }, keep: !quick || output !== undefined, readme, output };
}

function partName(text: string): PartName {
  const name = PART_NAMES.find((candidate) => candidate === text);
  if (name === undefined) throw new RangeError(`there is no part ${text}; there are ${PART_NAMES.join(", ")}`);
  return name;
}

function wholeNumber(flag: string, text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new RangeError(`${flag} ${text}: expected a whole number from 1`);
  return number;
}
