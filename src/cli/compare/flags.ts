import { type Command, Option } from "commander";
import { integer } from "../flags.ts";

/** Subject of the findings. */
export const AGREEMENT = "agreement";

const MAX_SEED = 2 ** 32 - 1;

export interface CompareFlags {
  /** Objects of each server. `undefined`: no comparison. */
  readonly compare?: number;
  readonly "compare.seed"?: number;
  readonly "compare.output"?: string;
}

export function addCompareFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--compare <number>",
        "also compare the metrics of so many random channels and sensors with their own endpoints",
      ).argParser(integer(1, 1_000_000)),
    )
    .addOption(
      new Option(
        "--compare.seed <number>",
        "random seed: the same seed chooses the same objects (default: random)",
      ).argParser(integer(0, MAX_SEED)),
    )
    .option("--compare.output <file>", "also write the summary of the comparison and all differences (JSON)");
}

export function compareFlagsFault(flags: CompareFlags): string | undefined {
  if (flags.compare !== undefined) return undefined;
  const lonely = (["compare.seed", "compare.output"] as const).find((name) => flags[name] !== undefined);
  return lonely === undefined ? undefined : `--${lonely} needs --compare <number>`;
}

export function randomSeed(random: () => number): number {
  return Math.floor(random() * (MAX_SEED + 1));
}
