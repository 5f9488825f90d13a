import { MAPPED_CHANNEL_LABELS } from "../families/labels.ts";
import { labelNameFault } from "./names.ts";
import type { CompiledPattern, Conditions } from "./pattern.ts";
import type { AttributeName, MetricRule, Report } from "./rule.ts";

const MAX_VALUE = 1000;

export type LabelPart =
  | Extract<TemplatePart, { kind: "text" }>
  | {
      readonly kind: "group";
      readonly group: number | string;
      readonly attribute: AttributeName;
      readonly patterns: readonly CompiledPattern[];
    };

export interface RuleLabel {
  readonly name: string;
  readonly parts: readonly LabelPart[];
}

/** Sorted by name. Reports faults. */
export function readLabels(
  rule: MetricRule,
  conditions: Conditions,
  inUse: ReadonlySet<string>,
  report: Report,
): RuleLabel[] {
  const entries = Object.entries(rule.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, template]) => {
    const path = ["labels", name];
    const nameFault =
      labelNameFault(name) ?? (inUse.has(name) ? "the section labels already adds this label" : undefined);
    if (nameFault !== undefined) {
      report({ path, part: "key", expected: "an unused label name", found: name, fault: nameFault });
    }
    const expected = "a text, in which $1 or $<name> inserts the match of a group";
    const valueFault = textFault(template);
    if (valueFault !== undefined) report({ path, expected, found: template, fault: valueFault });
    const parts = parseTemplate(template).map((part) => {
      if (part.kind === "text") return part;
      const origin = originOf(part.group, conditions);
      if ("fault" in origin) report({ path, expected, found: template, fault: `${part.written}: ${origin.fault}` });
      return "fault" in origin ? { kind: "text" as const, text: "" } : { ...part, ...origin };
    });
    return { name, parts };
  });
}

/** `undefined` if the text is valid. */
export function textFault(text: string, longest: number = MAX_VALUE): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (text.length > longest) return `it is longer than ${longest} characters`;
  return text.isWellFormed() ? undefined : "it contains half a character (a lone surrogate)";
}

interface GroupOrigin {
  readonly attribute: AttributeName;
  readonly patterns: readonly CompiledPattern[];
}

/** The only attribute whose patterns all have the group. */
function originOf(group: number | string, conditions: Conditions): GroupOrigin | { readonly fault: string } {
  const origins: GroupOrigin[] = [];
  const partial: AttributeName[] = [];
  for (const [attribute, patterns] of conditions) {
    const having = patterns.filter((pattern) => hasGroup(pattern, group));
    if (having.length === 0) continue;
    if (having.length === patterns.length) origins.push({ attribute, patterns });
    else partial.push(attribute);
  }
  const [first, second] = origins;
  if (first !== undefined && second === undefined && partial.length === 0) return first;
  if (first === undefined && partial.length === 0) return { fault: "no pattern of the rule has this group" };
  if (partial.length > 0) return { fault: `not every pattern of ${partial.join(" and ")} has this group` };
  return {
    fault: `${origins.map(({ attribute }) => attribute).join(" and ")} each have this group: rename one of them`,
  };
}

function hasGroup({ groups, groupNames }: CompiledPattern, group: number | string): boolean {
  return typeof group === "string" ? groupNames.has(group) : group >= 1 && group <= groups;
}

/** The group in the first match, else empty. */
export function captured(part: Extract<LabelPart, { kind: "group" }>, values: readonly string[]): string {
  for (const pattern of part.patterns) {
    for (const value of values) {
      const matcher = pattern.expression?.matcher(value);
      if (matcher?.matches()) return (matcher.group(part.group) ?? "").toWellFormed();
    }
  }
  return "";
}

export function mappedLabelNames(ruleLabels: readonly string[]): readonly string[] {
  return ["server", ...Object.keys(MAPPED_CHANNEL_LABELS.values), ...ruleLabels];
}

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "group"; readonly group: number | string; readonly written: string };

const GROUP = /\$(?:(\d{1,2})|<([^<>]*)>)/g;

/** `$1` and `$<name>` are groups, as in JavaScript replacements. Other dollars are literal. */
export function parseTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  const text = (until: number) => {
    if (until > from) parts.push({ kind: "text", text: template.slice(from, until) });
  };
  for (const match of template.matchAll(GROUP)) {
    const [written, number, name = ""] = match;
    text(match.index);
    parts.push({ kind: "group", group: number === undefined ? name : Number(number), written });
    from = match.index + written.length;
  }
  text(template.length);
  return parts;
}
