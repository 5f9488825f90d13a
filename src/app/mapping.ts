import { ConfigError, type ConfigProblem } from "../config/config-error.ts";
import type { Config } from "../config/load.ts";
import type { PresetName } from "../config/mapping-schema.ts";
import { type RuleFile, readPresets } from "../config/rule-files.ts";
import { quote } from "../lib/printable-text.ts";
import { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { FamilyOption } from "../mapping/metric-table.ts";
import { type CompileOptions, compileRules } from "../mapping/rules/compile.ts";
import type { RuleProblem } from "../mapping/rules/rule.ts";
import type { RuleSet } from "../mapping/rules/rule-set.ts";
import { SeriesLabels } from "../mapping/series-labels.ts";
import type { Shape } from "../projection/shape.ts";
import { NODE_SECTIONS, type NodeSection, type WantedSections } from "../prtg/node-record.ts";

export interface ConfiguredMapping {
  readonly mapper: ChannelMapper;
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Compiles labels and rules.
 * @throws ConfigError with all problems of the rules, each at its line and column
 */
export function mappingOf({ mapping, labels, ruleFiles }: Config): ConfiguredMapping {
  const seriesLabels = new SeriesLabels(labels);
  const { keepOriginal, byteUnits } = mapping;
  if (ruleFiles.every(({ rules }) => rules.length === 0)) {
    return { mapper: new ChannelMapper({ labels: seriesLabels }), warnings: [] };
  }
  const labelsInUse = new Set([...labels.rename.values(), ...labels.fromTags.map(({ label }) => label)]);
  const { ruleSet, warnings } = compileMapping(ruleFiles, { byteUnits, labelsInUse });
  return { mapper: new ChannelMapper({ labels: seriesLabels, rules: ruleSet, keepOriginal }), warnings };
}

export interface ConfiguredShape extends Shape {
  /** Milliseconds; `undefined`: three scanning intervals, at least five minutes. */
  readonly staleAfterMs: number | undefined;
}

/** Compiles labels and rules: keep the result. */
export function shapeOf(config: Config): ConfiguredShape {
  const { mapper } = mappingOf(config);
  const { sensorStatus, channelInfo } = config.metrics;
  return {
    mapper,
    // `auto`: if other series have no wide labels.
    channelInfo: channelInfo === "always" || (channelInfo === "auto" && !mapper.labels.isWide),
    sections: wantedSections(config.metrics),
    options: wantedOptions(config.metrics),
    sensorStatus,
    staleAfterMs: config.staleAfterMs,
  };
}

/** Keys below `metrics` that ask for an optional family. */
export function wantedOptions(metrics: Pick<Config["metrics"], FamilyOption>): ReadonlySet<string> {
  const wanted = Object.entries(metrics).filter(
    ([, value]) => value === true || (Array.isArray(value) && value.length > 0),
  );
  return new Set(wanted.map(([key]) => key));
}

/** What lists must include for the metrics of the configuration. */
export function wantedSections(metrics: Pick<Config["metrics"], NonNullable<NodeSection["option"]>>): WantedSections {
  return new Map(
    NODE_SECTIONS.map(({ name, kinds, option }) => {
      const needs = option === undefined ? true : metrics[option];
      return [name, new Set(needs === true ? kinds : needs === false ? [] : needs)];
    }),
  );
}

export interface CompiledMapping {
  readonly ruleSet: RuleSet;
  readonly warnings: readonly ConfigProblem[];
}

/** @throws ConfigError with all problems, each at its line and column */
export function compileMapping(files: readonly RuleFile[], options: CompileOptions): CompiledMapping {
  const { ruleSet, problems } = compileRules(files, options);
  const located = problems.map((problem) => ({ severity: problem.severity, problem: locate(problem, files) }));
  const only = (severity: RuleProblem["severity"]) =>
    located.flatMap((one) => (one.severity === severity ? one.problem : []));
  if (ruleSet === undefined) throw new ConfigError(only("error"));
  return { ruleSet, warnings: only("warning") };
}

/** Presets alone, as without a configuration. @throws ConfigError with all problems */
export async function compilePresets(
  names: readonly PresetName[],
  read?: (name: PresetName) => Promise<string>,
): Promise<RuleSet> {
  const problems: ConfigProblem[] = [];
  const files = await readPresets(names, problems, read);
  if (problems.length > 0) throw new ConfigError(problems);
  return compileMapping(files, { byteUnits: "binary" }).ruleSet;
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

/** Text without the value of a variable, which may be a secret. */
function textWithout({ expected }: RuleProblem, variables: readonly string[]): string {
  return `expected ${expected}, but the value of ${variables.join(" and ")} is different`;
}

const MAX_QUOTED = 60;

function textOf({ severity, expected, found, fault }: RuleProblem): string {
  const why = fault === undefined ? "" : `: ${fault}`;
  if (severity === "warning") return `${expected}${why}`;
  if (found === undefined) return `missing, expected ${expected}${why}`;
  if (typeof found === "number") return `expected ${expected}, found ${found}${why}`;
  const text = found.length > MAX_QUOTED ? `${found.slice(0, MAX_QUOTED)}...` : found;
  return `expected ${expected}, found ${quote(text)}${why}`;
}
