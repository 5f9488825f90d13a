/**
 * A test for paths such as `Berlin/Switches/core 1/Ping`: `*` stands for any text within one name, `**` for any text,
 * `?` for one character; everything else, brackets too, stands for itself, since names of sensors are full of it.
 */
export function pathGlob(pattern: string): (path: string) => boolean {
  const source = pattern.replace(/\*\*|[*?]|[^*?]+/g, (part) => WILDCARDS.get(part) ?? RegExp.escape(part));
  const expression = new RegExp(`^${source}$`, "su");
  return (path) => expression.test(path);
}

const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ["**", ".*"],
  ["*", "[^/]*"],
  ["?", "[^/]"],
]);
