import type { BaseUnitName } from "../units/base-units.ts";
import type { Conversion } from "../units/conversion.ts";
import type { UnitReader } from "../units/unit-reader.ts";
import type { Conditions } from "./conditions.ts";
import type { MetricRule, Report } from "./rule.ts";

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
      const fault = base === undefined ? "it is not recognised: give factor" : `it becomes ${base}`;
      report({ path, expected: `a unit that becomes ${target}`, found: text, fault });
    }
  };
  check("unit", (text) => units.read(text)?.base);
  check("base_unit", (text) => text as BaseUnitName);
}
