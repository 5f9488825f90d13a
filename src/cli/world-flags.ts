import { type Command, Option } from "commander";
import { parseFault } from "../simulator/faults/grammar.ts";
import { DEFAULT_WORLD_SIZE, type WorldSize } from "../simulator/world/layout/size.ts";
import { integer, parsed } from "./flags.ts";
import { SHIPPED_SCENARIOS } from "./simulate/scenario-file.ts";

/** Flags about the simulated world, for `simulate` and `demo`. */
export interface WorldFlags extends Partial<WorldSize> {
  readonly seed: number;
  readonly spelling: "live" | "specification";
  readonly fault: readonly string[];
  readonly scenario?: string;
}

export function addWorldFlags(command: Command): Command {
  for (const kind of ["probes", "groups", "devices", "sensors", "channels"] as const) {
    const text = `how many ${kind} there are (default: ${DEFAULT_WORLD_SIZE[kind]}, or in proportion to what is given)`;
    command.addOption(new Option(`--${kind} <number>`, text).argParser(integer(1)));
  }
  return command
    .addOption(new Option("--seed <number>", "the same seed gives the same world").default(1).argParser(integer(0)))
    .addOption(
      new Option("--spelling <kind>", "spell answers as live servers do, or by the letter of the specification")
        .choices(["live", "specification"])
        .default("live"),
    )
    .addOption(
      new Option("--fault <fault>", "make something go wrong; may be repeated (see below)")
        .default([], "none")
        .argParser((text, faults: readonly string[]) => [...faults, parsed(() => parseFault(text)).text]),
    )
    .option("--scenario <file>", `story to play (YAML): a file, or one of ${SHIPPED_SCENARIOS.join(", ")}`);
}
