import { readFile } from "node:fs/promises";
import { load } from "js-yaml";

export const FIELD_NAMES_FILE = "src/cli/report/field-names.gen.ts";

/** The contract does not define them. */
const OF_SECTIONS = [
  ...[
    "AccessGroup",
    "comment",
    "coverage",
    "debug",
    "decimaldigits",
    "displayunit",
    "factor",
    "downtimetotal",
    "fixed",
    "kindid",
    "linkobject",
  ],
  ...["limiterrormsg", "limitmaxerror", "limitmaxwarning", "limitminerror", "limitminwarning", "limitmode"],
  ...[
    "limitwarningmsg",
    "lookup",
    "mode",
    "parenttags",
    "performance_impact",
    "unittype",
    "uptimetotal",
    "valuelookup",
  ],
];
/** Likely in newer releases. Latitude and longitude reportedly exist. */
const EXPECTED = ["lat", "latitude", "location", "lon", "longitude", "position"];

/** All member names in the contract, for reports. */
export async function fieldNamesFile(root: URL): Promise<string> {
  const contract: unknown = load(await readFile(new URL("packages/simulator/api/openapi.yaml", root), "utf8"));
  const names = new Set([...OF_SECTIONS, ...EXPECTED]);
  collect(contract, names);
  const lines = [...names].sort().map((name) => `  ${JSON.stringify(name)},\n`);
  return `// Generated from packages/simulator/api/openapi.yaml by \`npm run docs\`.\nexport const FIELD_NAMES: readonly string[] = [\n${lines.join("")}];\n`;
}

function collect(part: unknown, names: Set<string>): void {
  if (Array.isArray(part)) for (const each of part) collect(each, names);
  else if (typeof part === "object" && part !== null) {
    for (const [key, value] of Object.entries(part)) {
      if (key === "properties" && typeof value === "object" && value !== null) {
        for (const name of Object.keys(value)) if (/^[A-Za-z_]\w*$/.test(name)) names.add(name);
      }
      collect(value, names);
    }
  }
}
