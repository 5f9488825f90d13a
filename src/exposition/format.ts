import type { MetricFamily } from "../mapping/metric-table.ts";
import { escapeOpenMetricsHelp, escapeTextHelp } from "./text.ts";

/** The two bodies there are; text 0.0.4 and 1.0.0 differ only in their content type. */
export type BodyFormat = "text" | "openmetrics";

/** What is written before the samples of a family. */
export function formatHeader(format: BodyFormat, family: Pick<MetricFamily, "name" | "type" | "help">): string {
  return format === "text" ? textHeader(family) : openMetricsHeader(family);
}

/** What ends a page. */
export function formatEnd(format: BodyFormat): string {
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
