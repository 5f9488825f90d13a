import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { REPLACED_PARTS } from "../../../scripts/build/unused-parts.ts";

const SOURCES = new URL("../../../src/", import.meta.url);
const sources = globSync("**/*.ts", { cwd: SOURCES }).map((name) => readFileSync(new URL(name, SOURCES), "utf8"));

/** Names imported at run time. */
function importedFrom(name: string): Set<string> {
  const lists = sources.flatMap((source) => [
    ...[...source.matchAll(new RegExp(`^import \\{([^}]*)\\} from "${name}";`, "gm"))].map(([, list = ""]) => list),
    ...[...source.matchAll(new RegExp(`const \\{([^}]*)\\} = await import\\("${name}"\\)`, "g"))].map(
      ([, list = ""]) => list,
    ),
    ...[...source.matchAll(new RegExp(`const (\\w+) = await import\\("${name}"\\)`, "g"))].flatMap(([, as]) =>
      [...source.matchAll(new RegExp(`\\b${as}\\.(\\w+)`, "g"))].map(([, member = ""]) => member),
    ),
  ]);
  const names = lists.flatMap((list) => list.split(",")).map((each) => each.trim());
  return new Set(names.filter((each) => each !== "" && !each.startsWith("type ")));
}

describe.each([
  ["undici", ["Client", "buildConnector"]],
  ["prom-client", ["Registry", "Counter", "Gauge", "Histogram"]],
])("entry of %s in the bundle", (name, known) => {
  test("has everything that the sources import", () => {
    const entry = REPLACED_PARTS[`${name}/index.js`] ?? "";
    const exported = [...entry.matchAll(/exports\.(\w+) =/g)].map(([, each = ""]) => each);
    const imported = importedFrom(name);
    expect([...imported]).toEqual(expect.arrayContaining(known));
    expect([...imported.difference(new Set(exported))]).toEqual([]);
  });
});
