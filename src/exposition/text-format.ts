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

/** OpenMetrics 1.0: a counter's family name has no `_total`, and a unit must be the suffix of the name. */
export function formatHeader(
  format: ExpositionFormat,
  { name, type, help }: Pick<MetricFamily, "name" | "type" | "help">,
): string {
  if (format === "text") return `# HELP ${name} ${escapeTextHelp(help)}\n# TYPE ${name} ${type}\n`;
  const bare = type === "counter" ? name.replace(/_total$/, "") : name;
  const unit = /_(seconds|bytes)$/.exec(bare)?.[1];
  const unitLine = unit === undefined ? "" : `# UNIT ${bare} ${unit}\n`;
  return `# TYPE ${bare} ${type}\n${unitLine}# HELP ${bare} ${escapeOpenMetricsHelp(help)}\n`;
}

export function formatEnd(format: ExpositionFormat): string {
  return format === "text" ? "" : "# EOF\n";
}
