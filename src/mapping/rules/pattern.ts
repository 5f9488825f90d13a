import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { globFlags, globSource } from "../../lib/glob.ts";
import type { AttributeName, Report, RuleMatch } from "./rule.ts";

/*
 * A text, a text after `~` that ignores case and punctuation, a glob, or a regular expression between slashes. RE2 matches in linear time, so neither names from the
 * server nor a careless expression can block the daemon.
 */

export interface Pattern {
  readonly kind: "exact" | "alike" | "glob" | "regex";
  readonly text: string;
  /** RE2 syntax of a glob or an expression, the text itself, or the key of `alike`. */
  readonly source: string;
  /** For `path`, where `*` and `?` do not match a slash. */
  readonly isPath: boolean;
}

export function parsePattern(text: string, isPath: boolean): Pattern {
  if (text.length >= 2 && text.startsWith("/") && text.endsWith("/")) {
    return { kind: "regex", text, source: text.slice(1, -1), isPath };
  }
  if (text.startsWith("~")) return { kind: "alike", text, source: alikeKey(text), isPath };
  if (!/[*?]/.test(text)) return { kind: "exact", text, source: text, isPath };
  return { kind: "glob", text, source: globSource(text, isPath), isPath };
}

export interface CompiledPattern extends Pattern {
  /** Of globs and regular expressions. */
  readonly expression?: RE2JS;
  readonly groups: number;
  readonly groupNames: ReadonlySet<string>;
}

const NO_NAMES: ReadonlySet<string> = new Set();

export function compilePattern(pattern: Pattern): CompiledPattern | { readonly fault: string } {
  if (pattern.kind === "alike" && pattern.source === "") return { fault: "there is no letter or digit after ~" };
  if (pattern.kind === "exact" || pattern.kind === "alike") return { ...pattern, groups: 0, groupNames: NO_NAMES };
  if (pattern.kind === "regex" && pattern.source === "")
    return { fault: "the expression between the slashes is empty" };
  try {
    const expression = RE2JS.compile(pattern.source, globFlags());
    return {
      ...pattern,
      expression,
      groups: expression.groupCount(),
      groupNames: new Set(Object.keys(expression.namedGroups())),
    };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { fault: error.getDescription() };
    if (error instanceof RE2JSException) return { fault: "it is too large" };
    throw error;
  }
}

export function matches({ kind, text, source, expression }: CompiledPattern, value: string): boolean {
  if (kind === "exact") return value === text;
  if (kind === "alike") return alikeKey(value) === source;
  return expression?.testExact(value) ?? false;
}

/** Letters and digits in lower case, so that `CPU ready (%)` equals `cpu ready percent`. A leading `~` is ignored. */
export function alikeKey(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/%|prozent/g, "percent")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

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
