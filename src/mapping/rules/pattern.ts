import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { globFlags, globSource } from "../../lib/glob.ts";

/*
 * What a rule compares a text with: that very text, a glob, or a regular expression between slashes. Patterns are
 * executed by RE2, whose time is linear in the length of the text whatever the pattern: names come from the server,
 * and neither they nor a careless expression may stop the daemon.
 */

export interface Pattern {
  readonly kind: "exact" | "glob" | "regex";
  /** As it was written. */
  readonly text: string;
  /** RE2 syntax, to be matched against the whole text. */
  readonly source: string;
  /** A pattern of `path`, where `*` and `?` stay within one name. */
  readonly isPath: boolean;
}

export function parsePattern(text: string, isPath: boolean): Pattern {
  if (text.length >= 2 && text.startsWith("/") && text.endsWith("/")) {
    return { kind: "regex", text, source: text.slice(1, -1), isPath };
  }
  if (!/[*?]/.test(text)) return { kind: "exact", text, source: RE2JS.quote(text), isPath };
  return { kind: "glob", text, source: globSource(text, isPath), isPath };
}

/** A pattern that is ready to match. */
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
