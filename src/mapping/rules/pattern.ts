import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { globFlags, globSource } from "../../lib/glob.ts";

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
