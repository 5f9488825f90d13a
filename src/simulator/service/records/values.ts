import type { Rendering } from "./rendering.ts";

/** A moment as a value that becomes JSON later on; null for none. */
export function timestampOrNull({ spelling }: Pick<Rendering, "spelling">, at: number | undefined): string | null {
  return at === undefined ? null : (JSON.parse(spelling.timestamp(at)) as string);
}

/** The values of a section, spelled as settings are. */
export function section(
  { spelling }: Pick<Rendering, "spelling">,
  values: Readonly<Record<string, string | number | boolean | readonly string[]>>,
): Record<string, unknown> {
  const spelled = Object.entries(values).map(([name, value]): [string, unknown] => {
    const isList = typeof value === "object";
    return [name, isList ? value : JSON.parse(spelling.setting(value))];
  });
  return Object.fromEntries(spelled);
}

/** The word for a kind of records, as `type` has it. */
export function typeWord({ spelling }: Pick<Rendering, "spelling">, kind: string): string {
  return spelling.name === "live" ? kind.toUpperCase() : kind;
}
