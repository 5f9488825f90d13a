import { type CompiledPattern, compilePattern, parsePattern } from "./pattern.ts";
import type { AttributeName, Report, RuleMatch } from "./rule.ts";

/** One pattern of each attribute must match. */
export type Conditions = ReadonlyMap<AttributeName, readonly CompiledPattern[]>;

/** In the order of messages. */
export const ATTRIBUTE_NAMES = [
  "kind",
  "kind_name",
  "channel",
  "unit",
  "base_unit",
  "tags",
  "device",
  "path",
] as const satisfies readonly AttributeName[];

const MAX_PATTERN = 1000;

/** Reports and omits invalid patterns. */
export function readConditions(match: RuleMatch, report: Report): Conditions {
  const conditions = new Map<AttributeName, readonly CompiledPattern[]>();
  for (const attribute of ATTRIBUTE_NAMES) {
    const given = match[attribute];
    if (given === undefined) continue;
    const texts = typeof given === "string" ? [given] : given;
    const patterns = texts.flatMap((text, index) => {
      const path = ["match", attribute, ...(typeof given === "string" ? [] : [index])];
      return readPattern(text, attribute, (fault) => {
        report({
          path,
          expected: "a text, a glob such as Disk*, or a regular expression such as /Disk \\d+/",
          found: text,
          fault,
        });
      });
    });
    conditions.set(attribute, patterns);
  }
  if (conditions.size === 0) {
    report({ path: ["match"], expected: `at least one of ${ATTRIBUTE_NAMES.join(", ")}` });
  }
  return conditions;
}

function readPattern(text: string, attribute: AttributeName, refuse: (fault: string) => void): CompiledPattern[] {
  if (text.length > MAX_PATTERN) {
    refuse(`it is longer than ${MAX_PATTERN} characters`);
    return [];
  }
  const compiled = compilePattern(parsePattern(text, attribute === "path"));
  if ("fault" in compiled) {
    refuse(compiled.fault);
    return [];
  }
  return [compiled];
}
