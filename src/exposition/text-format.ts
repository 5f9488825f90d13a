import type { MetricFamily } from "../mapping/families/family.ts";

/** The Prometheus text format (0.0.4 and 1.0.0 differ only in their content type) and OpenMetrics 1.0. */
export type ExpositionFormat = "text" | "openmetrics";

const NEEDS_LABEL_ESCAPE = /[\\\n"]/;
const LABEL_ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };

/** Escapes a label value; all formats agree on backslash, newline and quote. Lone surrogates become U+FFFD. */
export function escapeLabelValue(value: string): string {
  const wellFormed = value.isWellFormed() ? value : value.toWellFormed();
  if (!NEEDS_LABEL_ESCAPE.test(wellFormed)) return wellFormed;
  return wellFormed.replace(/[\\\n"]/g, (character) => LABEL_ESCAPES[character] ?? character);
}

/** HELP of the text format: quotes stay as they are. */
export function escapeTextHelp(help: string): string {
  return help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** HELP of OpenMetrics: quotes are escaped too. */
export function escapeOpenMetricsHelp(help: string): string {
  return escapeLabelValue(help);
}

/** A sample value as both formats spell it. */
export function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** `{a="1",b="2"}`; empty where there are no labels. Joined, as `+=` would keep every piece alive in the heap. */
export function formatLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeLabelValue(values[index] ?? "")}"`).join(",")}}`;
}

/** What is written before the samples of a family. */
export function formatHeader(format: ExpositionFormat, family: Pick<MetricFamily, "name" | "type" | "help">): string {
  return format === "text" ? textHeader(family) : openMetricsHeader(family);
}

/** What ends a page. */
export function formatEnd(format: ExpositionFormat): string {
  return format === "text" ? "" : "# EOF\n";
}

function textHeader(family: Pick<MetricFamily, "name" | "type" | "help">): string {
  return `# HELP ${family.name} ${escapeTextHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n`;
}

/** OpenMetrics 1.0: a counter's family lacks the `_total` of its sample; a unit is stated only where it ends the name. */
function openMetricsHeader(family: Pick<MetricFamily, "name" | "type" | "help">): string {
  const name = family.type === "counter" ? family.name.replace(/_total$/, "") : family.name;
  const unit = /_(seconds|bytes)$/.exec(name)?.[1];
  const unitLine = unit === undefined ? "" : `# UNIT ${name} ${unit}\n`;
  return `# TYPE ${name} ${family.type}\n${unitLine}# HELP ${name} ${escapeOpenMetricsHelp(family.help)}\n`;
}
