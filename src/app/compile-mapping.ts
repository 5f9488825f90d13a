import { ConfigError, type ConfigProblem } from "../config/config-error.ts";
import type { RuleFile } from "../config/rule-files.ts";
import { quote } from "../lib/printable-text.ts";
import { type CompileOptions, compileRules } from "../mapping/rules/compile.ts";
import type { RuleProblem } from "../mapping/rules/rule.ts";
import type { RuleSet } from "../mapping/rules/rule-set.ts";

export interface CompiledMapping {
  readonly ruleSet: RuleSet;
  /** Rules that have no effect. */
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Checks all rules as a whole and makes them ready.
 * @throws ConfigError with every problem that was found, at its line and column
 */
export function compileMapping(files: readonly RuleFile[], options: CompileOptions): CompiledMapping {
  const { ruleSet, problems } = compileRules(files, options);
  const located = problems.map((problem) => ({ severity: problem.severity, problem: locate(problem, files) }));
  const only = (severity: RuleProblem["severity"]) =>
    located.flatMap((one) => (one.severity === severity ? one.problem : []));
  if (ruleSet === undefined) throw new ConfigError(only("error"));
  return { ruleSet, warnings: only("warning") };
}

function locate(problem: RuleProblem, files: readonly RuleFile[]): ConfigProblem[] {
  const file = files[problem.source];
  if (file === undefined) return [];
  const path = [...file.path, ...problem.path];
  const variables = file.origin.reference(path)?.variables;
  const text =
    variables === undefined || problem.severity === "warning" ? textOf(problem) : textWithout(problem, variables);
  return [{ code: "CONFIG_INVALID", ...file.origin.place(path, problem.part), text }];
}

/** What a variable holds is not repeated: it may be a secret in the wrong place. What is wrong with it may quote it. */
function textWithout({ expected }: RuleProblem, variables: readonly string[]): string {
  return `expected ${expected}, which the value of ${variables.join(" and ")} is not`;
}

const MAX_SHOWN = 60;

function textOf({ severity, expected, found, fault }: RuleProblem): string {
  const why = fault === undefined ? "" : `: ${fault}`;
  if (severity === "warning") return `${expected}${why}`;
  if (found === undefined) return `missing, expected ${expected}${why}`;
  if (typeof found === "number") return `expected ${expected}, found ${found}${why}`;
  const shown = found.length > MAX_SHOWN ? `${found.slice(0, MAX_SHOWN)}...` : found;
  return `expected ${expected}, found ${quote(shown)}${why}`;
}
