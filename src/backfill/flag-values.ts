import { parseDuration } from "../config/quantities.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { parseTimestamp } from "../prtg/decode/values.ts";

const SECOND_MS = 1000;

export type TimeFlag =
  | { readonly text: string; readonly kind: "fixed"; readonly at: number }
  | { readonly text: string; readonly kind: "ago"; readonly ms: number };

/** `2026-03-01T00:00:00Z`, or `30d` for 30 days ago. Throws a RangeError otherwise. */
export function parseTimeFlag(text: string): TimeFlag {
  const ms = parseDuration(text);
  if (ms !== undefined) return { text, kind: "ago", ms };
  const at = isCalendarDay(text) ? parseTimestamp(text) : undefined;
  if (at !== undefined) return { text, kind: "fixed", at };
  throw new RangeError("Give a time such as 2026-03-01T00:00:00Z, or an age such as 30d or 12h.");
}

/** Milliseconds since the epoch, in whole seconds as in file names. */
export function resolveTimeFlag(time: TimeFlag, now: number): number {
  const at = time.kind === "fixed" ? time.at : now - time.ms;
  return Math.floor(at / SECOND_MS) * SECOND_MS;
}

/** `Date.parse` accepts February 31. */
function isCalendarDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** Added to every series. */
export interface ExtraLabel {
  readonly name: string;
  readonly value: string;
}

/** `job=prtg`. Throws a RangeError with the reason. */
export function parseExtraLabel(text: string): ExtraLabel {
  const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith("__")) {
    throw new RangeError("Give a name and a value such as job=prtg. Names have only letters, digits and _.");
  }
  if (value === "") throw new RangeError(`Give ${name} a value: Prometheus drops labels without one.`);
  return { name, value };
}

/** Throws a RangeError for a duplicate name. */
export function addExtraLabel(labels: readonly ExtraLabel[], added: ExtraLabel): readonly ExtraLabel[] {
  if (labels.some(({ name }) => name === added.name)) throw new RangeError(`The label ${added.name} is given twice.`);
  return [...labels, added].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Refuses names of the metric table, the label settings and rules.
 * @throws ExporterError BACKFILL_LABEL_TAKEN
 */
export function refuseTakenNames(labels: readonly ExtraLabel[], families: readonly MetricFamily[]): void {
  for (const { name } of labels) {
    const family = families.find((each) => each.labels.includes(name));
    if (family === undefined) continue;
    throw new ExporterError(
      "BACKFILL_LABEL_TAKEN",
      `--label ${name}: ${family.name} already has a label with that name`,
    );
  }
}
