import type { Matcher } from "./matchers.ts";
import type { DeviceFacts } from "./objects.ts";

/** What a template may contain, with the value for one device. */
const PLACEHOLDERS = {
  device_id: ({ id }: DeviceFacts) => id,
  device: ({ name }: DeviceFacts) => name,
  host: ({ host }: DeviceFacts) => host,
  group: ({ group }: DeviceFacts) => group,
  probe: ({ probe }: DeviceFacts) => probe,
} as const;

export const PAUSE_PLACEHOLDERS: readonly string[] = ["server", ...Object.keys(PLACEHOLDERS)];

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
  for (const [name, read] of Object.entries(PLACEHOLDERS)) {
    values.set(name, [...new Set(devices.map(read))].filter((value) => value !== "").sort());
  }
  const named = templates.flatMap(({ value }) => placeholdersOf(value));
  if (named.some((name) => (values.get(name) ?? []).length === 0)) return undefined;
  return templates.map((template) => {
    const isPlain = !template.isRegex && placeholdersOf(template.value).every((name) => values.get(name)?.length === 1);
    const parts = template.value.split(PLACEHOLDER).map((part, at) => {
      if (at % 2 === 0) return template.isRegex || isPlain ? part : escaped(part);
      const found = values.get(part) ?? [];
      return isPlain ? found.join("") : alternatives(found);
    });
    return { ...template, value: parts.join(""), isRegex: !isPlain };
  });
}

const PLACEHOLDER = /\{([a-z_]+)\}/;

export function placeholdersOf(text: string): readonly string[] {
  return text.split(PLACEHOLDER).filter((_, at) => at % 2 === 1);
}

function alternatives(values: readonly string[]): string {
  const all = values.map(escaped).join("|");
  return values.length === 1 ? all : `(?:${all})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}
