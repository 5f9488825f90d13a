import { fileURLToPath } from "node:url";
import { ExporterError } from "../../errors/exporter-error.ts";
import { readTextFile } from "../../lib/bounded-files.ts";
import { parseScenario, type Scenario } from "../../simulator/scenario/scenario.ts";
import { ScenarioError } from "../../simulator/scenario/scenario-error.ts";

/** Three folders up both from src/cli/simulate and from dist/cli/simulate. */
const SHIPPED = new URL("../../../config/scenarios/", import.meta.url);

/** Names of the stories that come with the program, as in config/scenarios/. */
export const SHIPPED_SCENARIOS: readonly string[] = ["busy-morning", "datacenter-power", "flapping-link"];

/**
 * Reads a scenario: one that comes with the program by its name, any other by its path.
 * @throws ExporterError SCENARIO_INVALID
 */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  const shipped = SHIPPED_SCENARIOS.includes(nameOrPath);
  const file = shipped ? fileURLToPath(new URL(`${nameOrPath}.yaml`, SHIPPED)) : nameOrPath;
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

/** Each problem in a line of its own. */
export function scenarioInvalid(error: ScenarioError): ExporterError {
  const { length } = error.problems;
  const count = length === 1 ? "the scenario cannot be played" : `${length} faults in the scenario`;
  return new ExporterError("SCENARIO_INVALID", `${count}\n${error.message}`);
}
