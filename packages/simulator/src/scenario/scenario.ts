import type { z } from "zod";
import { ScenarioError, type ScenarioProblem } from "./scenario-error.ts";
import { type ScenarioSpec, scenarioSchema } from "./schema.ts";
import { YamlSource } from "./yaml-source.ts";

/** A scenario as it is written: not yet checked against the objects of a world. */
export interface Scenario {
  readonly source: YamlSource;
  readonly spec: ScenarioSpec;
}

/** YAML or JSON. @throws ScenarioError that names everything that is wrong with its place */
export function parseScenario(text: string, file: string): Scenario {
  const source = new YamlSource(text, file);
  const { data, error } = scenarioSchema.safeParse(source.value, { reportInput: true });
  if (data !== undefined) return { source, spec: data };
  throw new ScenarioError(
    file,
    error.issues.flatMap((issue) => problemsOf(issue, source)),
  );
}

function problemsOf(issue: z.core.$ZodIssue, source: YamlSource): ScenarioProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => source.problem([...issue.path, key], "unknown key"));
  }
  return [source.problem(issue.path, isMissing(issue) ? `missing: ${issue.message}` : issue.message)];
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  return "input" in issue && issue.input === undefined;
}
