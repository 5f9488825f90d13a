import { RE2JS } from "re2js";

/** A dot matches a line break too: names can have some. A function, so that nothing loads the library before there is a pattern. */
export const globFlags = (): number => RE2JS.DOTALL;

/**
 * RE2 syntax for a glob: `**` stands for any text, `*` for any text and `?` for one character, in a path within one name;
 * everything else, brackets too, stands for itself, since names of sensors are full of it.
 */
export function globSource(glob: string, isPath: boolean): string {
  return glob.replaceAll(/\*\*|[*?]|[^*?]+/g, (part) => wildcard(part, isPath) ?? RE2JS.quote(part));
}

function wildcard(part: string, isPath: boolean): string | undefined {
  if (part === "**") return ".*";
  if (part === "*") return isPath ? "[^/]*" : ".*";
  return part === "?" ? (isPath ? "[^/]" : ".") : undefined;
}

/**
 * A test for paths such as `Berlin/Switches/core 1/Ping`. RE2 takes time linear in the length of the path, whatever the
 * glob: paths come from the server.
 */
export function pathGlob(glob: string): (path: string) => boolean {
  const expression = RE2JS.compile(globSource(glob, true), globFlags());
  return (path) => expression.matches(path);
}
