import { RE2JS } from "re2js";

/** Longest glob in characters. It bounds the time to match a glob and to search for near names. */
export const MAX_GLOB_LENGTH = 1000;

export interface GlobPattern {
  readonly glob: string;
  test(text: string): boolean;
}

/** Splits a glob. Every other part is a wildcard: `*`, any text, or `{id}`, at least one character without a slash. */
export function globParts(glob: string): readonly string[] {
  return glob.split(/(\*+|\{\w+\})/);
}

/** RE2 needs linear time. Backtracking takes exponential time for globs such as `*a*a*a*b`. */
export function globPattern(glob: string): GlobPattern {
  const source = globParts(glob).map((part, index) => {
    if (index % 2 === 0) return RE2JS.quote(part);
    return part.startsWith("*") ? ".*" : "[^/]+";
  });
  const expression = RE2JS.compile(source.join(""), RE2JS.DOTALL);
  return { glob, test: (text) => expression.matches(text) };
}
