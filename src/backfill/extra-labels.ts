import { TREE_FAMILIES } from "../mapping/metric-table.ts";

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
  const own: readonly string[] = TREE_FAMILIES.channelValue.labels;
  if (own.includes(name)) throw new RangeError(`Every series has a label ${name} of its own already.`);
  return { name, value };
}

/** With one more. Throws a RangeError when the name is given twice. */
export function addExtraLabel(labels: readonly ExtraLabel[], added: ExtraLabel): readonly ExtraLabel[] {
  if (labels.some(({ name }) => name === added.name)) throw new RangeError(`The label ${added.name} is given twice.`);
  return [...labels, added].sort((a, b) => (a.name < b.name ? -1 : 1));
}
