import { BASE_UNITS } from "../units/base-units.ts";
import { mappedLabelNames, textFault } from "./labels.ts";
import { familyNameFault, limitFamilyName, RESERVED_FAMILIES, unitInName } from "./names.ts";
import type { MappedFamily, MetricRule, Report } from "./rule.ts";

const MAX_HELP = 1000;
/** If no rule of the metric has a help. */
const DEFAULT_HELP = "Last measurement of a channel, named by a mapping rule of the configuration.";

export interface FamilyMember {
  readonly rule: MetricRule;
  readonly isPreset: boolean;
  /** Like `rules[3] of preset ping`. */
  readonly title: string;
  readonly report: Report;
}

/** By name, in order of their first rule. Reports conflicts. */
export function readFamilies(members: readonly FamilyMember[]): ReadonlyMap<string, MappedFamily> {
  const families = new Map<string, MappedFamily>();
  for (const [name, group] of Map.groupBy(members, ({ rule }) => rule.name)) {
    for (const member of group) checkAlone(member);
    const [first, ...others] = group;
    if (first === undefined) continue;
    for (const other of others) compare(first, other);
    families.set(name, familyOf(name, group, first));
  }
  for (const [name, { limits }] of families) {
    const isTaken = families.has(limits.name) || RESERVED_FAMILIES.has(limits.name);
    const member = members.find(({ rule }) => rule.name === name);
    if (!isTaken || member === undefined) continue;
    const fault = `the metric of its limits would be ${limits.name}, which already exists`;
    member.report({ path: ["name"], expected: EXPECTED_NAME, found: name, fault });
  }
  return families;
}

const EXPECTED_NAME = "the name of a metric such as prtg_ping_seconds";

function checkAlone({ rule, report }: FamilyMember): void {
  const { name, help, unit } = rule;
  const nameFault = familyNameFault(name);
  if (nameFault !== undefined) {
    report({ path: ["name"], expected: EXPECTED_NAME, found: name, fault: nameFault });
  } else if (unit !== undefined && BASE_UNITS[unit].suffix !== "" && unitInName(name) !== unit) {
    const fault = `a metric in ${unit} ends with _${BASE_UNITS[unit].suffix}`;
    report({ path: ["name"], expected: EXPECTED_NAME, found: name, fault });
  } else if (unit === undefined || BASE_UNITS[unit].suffix === "") {
    const named = unitInName(name);
    if (named !== undefined) {
      report({ path: ["name"], expected: EXPECTED_NAME, found: name, fault: `this suffix belongs to unit: ${named}` });
    }
  }
  if (help === undefined) return;
  const fault = /\p{Cc}/u.test(help) ? "it is not one line of text" : textFault(help, MAX_HELP);
  if (fault !== undefined) report({ path: ["help"], expected: "a sentence about the metric", found: help, fault });
}

/** All rules of a family agree on unit, help and labels. */
function compare(first: FamilyMember, other: FamilyMember): void {
  // A preset is never at fault.
  const [standard, odd] = first.isPreset || !other.isPreset ? [first, other] : [other, first];
  const { name, unit, help } = standard.rule;
  const as = (thing: string) => `${thing}, as in ${standard.title} for ${name}`;
  if (odd.rule.unit !== unit) {
    odd.report({ path: ["unit"], expected: as(unit ?? "no unit"), found: odd.rule.unit });
  }
  if (odd.rule.help !== undefined && help !== undefined && odd.rule.help !== help) {
    odd.report({ path: ["help"], expected: as("the same help, or none"), found: odd.rule.help });
  }
  const labels = labelNames(standard.rule);
  const oddLabels = labelNames(odd.rule);
  if (labels.join() !== oddLabels.join()) {
    const expected = as(labels.length === 0 ? "no labels" : `the labels ${labels.join(", ")}`);
    odd.report({ path: ["labels"], expected, found: oddLabels.join(", ") || undefined });
  }
}

function familyOf(name: string, group: readonly FamilyMember[], first: FamilyMember): MappedFamily {
  const help = group.find(({ rule }) => rule.help !== undefined)?.rule.help ?? DEFAULT_HELP;
  const ruleLabels = labelNames(first.rule);
  const labels = mappedLabelNames(ruleLabels);
  return {
    name,
    type: "gauge",
    help,
    labels,
    baseUnit: first.rule.unit,
    ruleLabels,
    limits: {
      name: limitFamilyName(name),
      type: "gauge",
      help: `Limit that is set on a channel of ${name}, in the same unit.`,
      labels: [...labels, "limit"],
    },
  };
}

function labelNames({ labels }: MetricRule): string[] {
  return Object.keys(labels ?? {}).sort();
}
