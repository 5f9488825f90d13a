import { RE2JS } from "re2js";
import { PLACEHOLDER, type Placeholder, placeholdersIn } from "../config/sync-schema.ts";
import type { Matcher } from "./matchers.ts";
import type { DeviceFacts } from "./objects.ts";

const VALUES: Readonly<Record<Exclude<Placeholder, "server">, (device: DeviceFacts) => string>> = {
  device_id: ({ id }) => id,
  device: ({ name }) => name,
  host: ({ host }) => host,
  group: ({ group }) => group,
  probe: ({ probe }) => probe,
};

/**
 * The matchers of a silence for paused devices. A placeholder in a regular expression becomes all values of the devices, escaped. In an
 * equality it becomes the value, or the same as a regular expression if there are several. `undefined`: a placeholder has no value.
 */
export function pauseMatchers(
  templates: readonly Matcher[],
  server: string,
  devices: readonly DeviceFacts[],
): readonly Matcher[] | undefined {
  const values = new Map([["server", [server]]]);
  for (const [name, read] of Object.entries(VALUES)) {
    values.set(name, [...new Set(devices.map(read))].filter((value) => value !== "").sort());
  }
  const named = templates.flatMap(placeholdersIn);
  if (named.some((name) => (values.get(name) ?? []).length === 0)) return undefined;
  return templates.map((template) => {
    const isPlain = !template.isRegex && placeholdersIn(template).every((name) => values.get(name)?.length === 1);
    const parts = template.value.split(PLACEHOLDER).map((part, at) => {
      if (at % 2 === 0) return template.isRegex || isPlain ? part : RE2JS.quote(part);
      const found = values.get(part) ?? [];
      return isPlain ? found.join("") : alternatives(found);
    });
    return { ...template, value: parts.join(""), isRegex: !isPlain };
  });
}

function alternatives(values: readonly string[]): string {
  const all = values.map((value) => RE2JS.quote(value)).join("|");
  return values.length === 1 ? all : `(?:${all})`;
}
