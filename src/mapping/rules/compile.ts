import type { BaseUnitName, Conversion } from "../units/base-units.ts";
import { type ByteUnits, UnitReader } from "../units/unit-reader.ts";
import { readFamilies } from "./families.ts";
import { readLabels } from "./labels.ts";
import { type Conditions, readConditions } from "./pattern.ts";
import { Reach } from "./reach.ts";
import {
  type MappedFamily,
  type MetricRule,
  type Report,
  type RuleProblem,
  type RuleSettings,
  type RuleSource,
  ruleTitle,
} from "./rule.ts";
import { type ReadyRule, RuleSet } from "./rule-set.ts";

export interface CompileOptions {
  readonly byteUnits: ByteUnits;
  /** Labels from other settings. Rules cannot add them. */
  readonly labelsInUse?: ReadonlySet<string> | undefined;
}

export interface Compilation {
  /** `undefined` if there are errors. */
  readonly ruleSet: RuleSet | undefined;
  readonly problems: readonly RuleProblem[];
}

const NO_LABELS: ReadonlySet<string> = new Set();

interface Surroundings {
  readonly families: ReadonlyMap<string, MappedFamily>;
  readonly units: UnitReader;
  readonly labelsInUse: ReadonlySet<string>;
}

interface WrittenRule {
  readonly settings: RuleSettings;
  readonly source: RuleSource;
  readonly ordinal: number;
  readonly title: string;
  readonly report: Report;
}

/** Checks and compiles the rules of all sources in order. Never throws because of their content. */
export function compileRules(
  sources: readonly RuleSource[],
  { byteUnits, labelsInUse = NO_LABELS }: CompileOptions,
): Compilation {
  const problems: RuleProblem[] = [];
  const units = new UnitReader(byteUnits);
  const written = sources.flatMap((source, index) => writtenRules(source, index, problems));
  const families = readFamilies(written.flatMap(asMember));
  const rules = written.map((rule, index) => makeReady(rule, index, { families, units, labelsInUse }));
  if (problems.length === 0) {
    const conditions = rules.map((rule) => rule.conditions);
    warnOfUnreachable(written, conditions, units);
  }
  const isWrong = problems.some(({ severity }) => severity === "error");
  return { ruleSet: isWrong ? undefined : new RuleSet(rules, families.values(), units), problems };
}

function writtenRules(source: RuleSource, index: number, problems: RuleProblem[]): WrittenRule[] {
  return source.rules.map((settings, ordinal) => ({
    settings,
    source,
    ordinal,
    title: ruleTitle(source.label, ordinal),
    report: (problem) => {
      const path = [ordinal, ...problem.path];
      problems.push({ severity: "error", part: "value", ...problem, source: index, path });
    },
  }));
}

function asMember({ settings, source, title, report }: WrittenRule) {
  return settings.kind === "metric" ? [{ rule: settings, isPreset: source.isPreset, title, report }] : [];
}

function makeReady(
  { settings, source, ordinal, report }: WrittenRule,
  index: number,
  { families, units, labelsInUse }: Surroundings,
): ReadyRule {
  const conditions = readConditions(settings.match, report);
  const rule = { index, source: source.label, isPreset: source.isPreset, ordinal, settings, conditions };
  if (settings.kind === "drop") return { ...rule, family: undefined, factor: undefined, labels: [] };
  checkUnits(settings, conditions, units, report);
  return {
    ...rule,
    family: families.get(settings.name),
    factor: readFactor(settings, report),
    labels: readLabels(settings, conditions, labelsInUse, report),
  };
}

function warnOfUnreachable(
  written: readonly WrittenRule[],
  conditions: readonly Conditions[],
  units: UnitReader,
): void {
  const reach = new Reach(conditions, units);
  for (const [index, { source, report }] of written.entries()) {
    // Rules of the user may override presets. Tests check presets.
    if (source.isPreset) continue;
    const missing = reach.missing(index);
    if (missing === undefined) continue;
    const warn = (fault: string) => report({ severity: "warning", path: [], expected: NEVER, fault });
    if (missing.kind === "contradiction") {
      warn("its unit never converts to its base_unit");
      continue;
    }
    const by = missing.by.flatMap((earlier) => written[earlier] ?? []);
    warn(
      `${by.map(({ title }) => title).join(" and ")} ${by.length === 1 ? "already matches" : "already match"} all its channels`,
    );
  }
}

const NEVER = "this rule can never match";

/** The factor and offset of the rule replace the unit conversion. */
export function readFactor({ factor, offset }: MetricRule, report: Report): Conversion | undefined {
  if (factor === undefined && offset === undefined) return undefined;
  if (factor !== undefined && !(Number.isFinite(factor) && factor > 0)) {
    report({ path: ["factor"], expected: "a number above 0", found: factor });
  }
  if (offset !== undefined && !Number.isFinite(offset)) {
    report({ path: ["offset"], expected: "a number", found: offset });
  }
  return { shift: 0, times: factor ?? 1, over: 1, plus: offset ?? 0 };
}

/** Reports display units that do not convert to the rule's unit. */
export function checkUnits(rule: MetricRule, conditions: Conditions, units: UnitReader, report: Report): void {
  const { unit: target, match } = rule;
  if (target === undefined || rule.factor !== undefined || rule.offset !== undefined) return;
  const check = (attribute: "unit" | "base_unit", baseOf: (text: string) => BaseUnitName | undefined) => {
    for (const [index, { kind, text }] of (conditions.get(attribute) ?? []).entries()) {
      const base = baseOf(text);
      if (kind !== "exact" || base === target) continue;
      const path = ["match", attribute, ...(typeof match[attribute] === "string" ? [] : [index])];
      const fault = base === undefined ? "it is unknown: set factor" : `it converts to ${base}`;
      report({ path, expected: `a unit that converts to ${target}`, found: text, fault });
    }
  };
  check("unit", (text) => units.read(text)?.base);
  check("base_unit", (text) => text as BaseUnitName);
}
