import type { MetricFamily } from "../mapping/families/family.ts";

/** The Prometheus text format (0.0.4 and 1.0.0 differ only in their content type) and OpenMetrics 1.0. */
export type ExpositionFormat = "text" | "openmetrics";

const NEEDS_LABEL_ESCAPE = /[\\\n"]/;
const LABEL_ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };

/** Lone surrogates become U+FFFD. */
export function escapeLabelValue(value: string): string {
  const wellFormed = value.isWellFormed() ? value : value.toWellFormed();
  if (!NEEDS_LABEL_ESCAPE.test(wellFormed)) return wellFormed;
  return wellFormed.replace(/[\\\n"]/g, (character) => LABEL_ESCAPES[character] ?? character);
}

export function escapeTextHelp(help: string): string {
  return help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

export function escapeOpenMetricsHelp(help: string): string {
  return escapeLabelValue(help);
}

export function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** `{a="1",b="2"}` or empty. `join`, because `+=` keeps every piece in the heap. */
export function formatLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeLabelValue(values[index] ?? "")}"`).join(",")}}`;
}

export function formatHeader(format: ExpositionFormat, family: Pick<MetricFamily, "name" | "type" | "help">): string {
  return format === "text" ? textHeader(family) : openMetricsHeader(family);
}

export function formatEnd(format: ExpositionFormat): string {
  return format === "text" ? "" : "# EOF\n";
}

function textHeader(family: Pick<MetricFamily, "name" | "type" | "help">): string {
  return `# HELP ${family.name} ${escapeTextHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n`;
}

/** OpenMetrics 1.0: a counter's family name has no `_total`, and a unit must be the suffix of the name. */
function openMetricsHeader(family: Pick<MetricFamily, "name" | "type" | "help">): string {
  const name = family.type === "counter" ? family.name.replace(/_total$/, "") : family.name;
  const unit = /_(seconds|bytes)$/.exec(name)?.[1];
  const unitLine = unit === undefined ? "" : `# UNIT ${name} ${unit}\n`;
  return `# TYPE ${name} ${family.type}\n${unitLine}# HELP ${name} ${escapeOpenMetricsHelp(family.help)}\n`;
}
