import { RE2JS } from "re2js";

/** A dot matches line breaks, too, which names can have. A function, to load the library on demand. */
export const globFlags = (): number => RE2JS.DOTALL;

/**
 * RE2 syntax for a glob: `**` is any text, `*` any text and `?` one character, in a path within one name. Brackets are
 * literal, because names of sensors have many.
 */
export function globSource(glob: string, isPath: boolean): string {
  return glob.replaceAll(/\*\*|[*?]|[^*?]+/g, (part) => wildcard(part, isPath) ?? RE2JS.quote(part));
}

function wildcard(part: string, isPath: boolean): string | undefined {
  if (part === "**") return ".*";
  if (part === "*") return isPath ? "[^/]*" : ".*";
  return part === "?" ? (isPath ? "[^/]" : ".") : undefined;
}

/** A test for paths such as `Berlin/Switches/core 1/Ping`. RE2 needs linear time, because paths come from the server. */
export function pathGlob(glob: string): (path: string) => boolean {
  const expression = RE2JS.compile(globSource(glob, true), globFlags());
  return (path) => expression.matches(path);
}
