import type { Redactor } from "../../errors/redactor.ts";
import type { Steps } from "../../lib/yielding.ts";

/** Time as ISO 8601. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

export function instantOrNull(ms: number | undefined): string | null {
  return ms === undefined || !Number.isFinite(ms) ? null : instant(ms);
}

/** URL without credentials before the host, and without keys behind the path. */
export function withoutSecrets(text: string): string {
  const url = URL.parse(text);
  return url === null ? "" : `${url.origin}${url.pathname === "/" ? "" : url.pathname}`;
}

/** Redacts every text in `value`, keys too. */
export async function redactStrings(value: unknown, redactor: Redactor, slices: Steps): Promise<unknown> {
  if (typeof value === "string") return redactor.redact(value);
  if (typeof value !== "object" || value === null) return value;
  const turn = slices.step();
  if (turn !== undefined) await turn;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await redactStrings(item, redactor, slices));
    return items;
  }
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    entries.push([redactor.redact(key), await redactStrings(item, redactor, slices)]);
  }
  return Object.fromEntries(entries);
}
