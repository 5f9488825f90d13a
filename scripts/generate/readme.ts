import { EXPORTER_FAMILIES, type MetricFamily, TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { code, table } from "./markdown.ts";

const BEGIN = "<!-- metrics:begin -->";
const END = "<!-- metrics:end -->";

/** `readme` with its metric table brought up to date; unchanged when it has no place for one. */
export function withMetricTable(readme: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END, begin);
  if (begin === -1 || end === -1) return readme;
  const families: readonly MetricFamily[] = [EXPORTER_FAMILIES.up, ...Object.values(TREE_FAMILIES)];
  const rows = families.map(({ name, labels, help }) => [code(name), labels.map(code).join(" "), help]);
  const metrics = table(["Name", "Labels", "Meaning"], rows);
  return `${readme.slice(0, begin + BEGIN.length)}\n${metrics}${readme.slice(end)}`;
}
