import type { SimNode } from "../world/model.ts";

/** Names from below the root, joined with `/`: `Berlin Probe/Switches/core-sw-1/Ping`. The root has an empty path. */
export function pathOf(node: SimNode): string {
  const names: string[] = [];
  for (let one: SimNode | undefined = node; one?.parent !== undefined; one = one.parent) names.unshift(one.name);
  return names.join("/");
}

const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ["**", ".*"],
  ["*", "[^/]*"],
  ["?", "[^/]"],
]);

/** `*` stands for any text within one name, `**` for any text, `?` for one character; all else for itself. */
export function pathGlob(pattern: string): (path: string) => boolean {
  const source = pattern.replace(/\*\*|[*?]|[^*?]+/g, (part) => WILDCARDS.get(part) ?? RegExp.escape(part));
  const expression = new RegExp(`^${source}$`, "su");
  return (path) => expression.test(path);
}
