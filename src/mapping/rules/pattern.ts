import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { globFlags, globSource } from "../../lib/glob.ts";

/*
 * A text, a glob, or a regular expression between slashes. RE2 matches in linear time, so neither names from the
 * server nor a careless expression can block the daemon.
 */

export interface Pattern {
  readonly kind: "exact" | "glob" | "regex";
  readonly text: string;
  /** RE2 syntax for the whole text. */
  readonly source: string;
  /** For `path`, where `*` and `?` do not match a slash. */
  readonly isPath: boolean;
}

export function parsePattern(text: string, isPath: boolean): Pattern {
  if (text.length >= 2 && text.startsWith("/") && text.endsWith("/")) {
    return { kind: "regex", text, source: text.slice(1, -1), isPath };
  }
  if (!/[*?]/.test(text)) return { kind: "exact", text, source: RE2JS.quote(text), isPath };
  return { kind: "glob", text, source: globSource(text, isPath), isPath };
}

export interface CompiledPattern extends Pattern {
  readonly expression: RE2JS;
  readonly groups: number;
  readonly groupNames: ReadonlySet<string>;
}

export function compilePattern(pattern: Pattern): CompiledPattern | { readonly fault: string } {
  if (pattern.kind === "regex" && pattern.source === "") return { fault: "there is nothing between the slashes" };
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
