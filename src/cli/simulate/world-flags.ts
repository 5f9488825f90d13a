import { fileURLToPath } from "node:url";
import { type Command, Option } from "commander";
import { parseFault } from "../../../packages/simulator/src/faults/grammar.ts";
import { NEWEST_RELEASE, RELEASE_NAMES, type ReleaseName } from "../../../packages/simulator/src/release/release.ts";
import type { Scenario } from "../../../packages/simulator/src/scenario/scenario.ts";
import { ScenarioError } from "../../../packages/simulator/src/scenario/scenario-error.ts";
import { DEFAULT_WORLD_SIZE, type WorldSize } from "../../../packages/simulator/src/world/layout/size.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { readTextFile } from "../../lib/bounded-files.ts";
import { integer, parsed } from "../flags.ts";

/** Three folders up from src/cli/simulate and dist/cli/simulate. */
const SHIPPED = new URL("../../../packages/simulator/scenarios/", import.meta.url);

/** As in packages/simulator/scenarios/. */
export const SHIPPED_SCENARIOS: readonly string[] = ["busy-morning", "datacenter-power", "flapping-link"];

/**
 * A shipped one by name, any other by path.
 * @throws ExporterError SCENARIO_INVALID
 */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  const shipped = SHIPPED_SCENARIOS.includes(nameOrPath);
  const file = shipped ? fileURLToPath(new URL(`${nameOrPath}.yaml`, SHIPPED)) : nameOrPath;
  const { parseScenario } = await import("../../../packages/simulator/src/scenario/scenario.ts");
  try {
    return parseScenario(await readTextFile(file), nameOrPath);
  } catch (error) {
    if (error instanceof ScenarioError) throw scenarioInvalid(error);
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new ExporterError("SCENARIO_INVALID", `cannot read the scenario ${nameOrPath}: ${message}`, {
      cause: error,
      remedy: `Give the path of a YAML file, or one of those that come with the program: ${SHIPPED_SCENARIOS.join(", ")}.`,
    });
  }
}

/** One problem a line. */
export function scenarioInvalid(error: ScenarioError): ExporterError {
  const { length } = error.problems;
  const count = length === 1 ? "the scenario cannot be played" : `${length} faults in the scenario`;
  return new ExporterError("SCENARIO_INVALID", `${count}\n${error.message}`);
}

/** For `simulate` and `demo`. */
export interface WorldFlags extends Partial<WorldSize> {
  readonly seed: number;
  readonly spelling: "live" | "specification";
  readonly release: ReleaseName;
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
      new Option("--release <number>", "release of the product to play: some lack endpoints, or spell things otherwise")
        .choices(RELEASE_NAMES)
        .default(NEWEST_RELEASE),
    )
    .addOption(
      new Option("--fault <fault>", "make something go wrong; may be repeated (see below)")
        .default([], "none")
        .argParser((text, faults: readonly string[]) => [...faults, parsed(() => parseFault(text)).text]),
    )
    .option("--scenario <file>", `story to play (YAML): a file, or one of ${SHIPPED_SCENARIOS.join(", ")}`);
}
