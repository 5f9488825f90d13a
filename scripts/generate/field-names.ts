import { readFile } from "node:fs/promises";
import { load } from "js-yaml";

export const FIELD_NAMES_FILE = "src/cli/report/field-names.gen.json";

/** Members of sections, which the contract does not define. */
const OF_SECTIONS =
  "AccessGroup comment coverage debug decimaldigits displayunit downtimetotal factor fixed kindid limiterrormsg " +
  "limitmaxerror limitmaxwarning limitminerror limitminwarning limitmode limitwarningmsg linkobject lookup mode " +
  "parenttags performance_impact unittype uptimetotal valuelookup";
/** Likely in newer releases. Latitude and longitude reportedly exist. */
const EXPECTED = "lat latitude location lon longitude position";

/** All member names in the contract, for reports. */
export async function fieldNamesFile(root: URL): Promise<string> {
  const contract: unknown = load(await readFile(new URL("packages/simulator/api/openapi.yaml", root), "utf8"));
  const names = new Set(`${OF_SECTIONS} ${EXPECTED}`.split(" "));
  collect(contract, names);
  const words = [...names].sort().map((name) => JSON.stringify(name));
  const lines = words.join(", ").match(/.{1,117}(?= |$)/g) ?? [];
  return `[\n${lines.map((line) => `  ${line.trim()}\n`).join("")}]\n`;
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
