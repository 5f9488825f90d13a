import { ExporterError } from "../errors/exporter-error.ts";
import type { MetricFamily } from "../mapping/metric-table.ts";

/** A label that every series gets besides those that a scrape gives it. */
export interface ExtraLabel {
  readonly name: string;
  readonly value: string;
}

/** Reads `job=prtg`. Throws a RangeError that says what is wrong. */
export function parseExtraLabel(text: string): ExtraLabel {
  const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith("__")) {
    throw new RangeError("Give a name and a value, as in job=prtg; names have letters, digits and _.");
  }
  if (value === "") throw new RangeError(`Give ${name} a value: Prometheus drops labels without one.`);
  return { name, value };
}

/** With one more. Throws a RangeError when the name is given twice. */
export function addExtraLabel(labels: readonly ExtraLabel[], added: ExtraLabel): readonly ExtraLabel[] {
  if (labels.some(({ name }) => name === added.name)) throw new RangeError(`The label ${added.name} is given twice.`);
  return [...labels, added].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * A name that some series has already, by the metric table, the settings of labels or a rule, cannot be given.
 * @throws ExporterError BACKFILL_LABEL_TAKEN
 */
export function refuseTakenNames(labels: readonly ExtraLabel[], families: readonly MetricFamily[]): void {
  for (const { name } of labels) {
    const family = families.find((each) => each.labels.includes(name));
    if (family === undefined) continue;
    throw new ExporterError("BACKFILL_LABEL_TAKEN", `--label ${name}: ${family.name} has a label of that name already`);
  }
}
