import { EXPORTER_FAMILIES } from "../../telemetry/metric-declarations.ts";
import { CHANNEL_LABEL_NAMES, TREE_FAMILIES } from "../metric-table.ts";
import { BASE_UNIT_NAMES, BASE_UNITS, type BaseUnitName } from "../units/base-units.ts";

const LEGAL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const MAX_LENGTH = 200;

/** Names of Prometheus, client libraries and the exporter. */
const RESERVED_PREFIXES = ["prtg_exporter_", "process_", "nodejs_", "go_", "scrape_", "otel_", "__"];
export const RESERVED_FAMILIES: ReadonlySet<string> = new Set<string>([
  ...Object.values(TREE_FAMILIES).map(({ name }) => name),
  ...EXPORTER_FAMILIES.map(({ name }) => name),
  ...["up", "target_info", "ALERTS", "ALERTS_FOR_STATE"],
]);
/** Suffixes of other types than gauges. */
const RESERVED_SUFFIXES = ["_total", "_count", "_sum", "_bucket", "_created", "_gcount", "_gsum"];

export function familyNameFault(name: string): string | undefined {
  const illegal = legalityFault(name);
  if (illegal !== undefined) return illegal;
  if (RESERVED_FAMILIES.has(name)) return "the exporter or Prometheus already has a metric with that name";
  const prefix = RESERVED_PREFIXES.find((reserved) => name.startsWith(reserved));
  if (prefix !== undefined) return `names that begin with ${prefix} are reserved`;
  const suffix = RESERVED_SUFFIXES.find((reserved) => name.endsWith(reserved));
  return suffix === undefined ? undefined : `mapped metrics are gauges, which cannot end in ${suffix}`;
}

const RESERVED_LABELS: ReadonlyMap<string, string> = new Map([
  ...["server", ...CHANNEL_LABEL_NAMES].map(
    (name) => [name, "every channel already has a label with that name"] as const,
  ),
  ...["limit"].map((name) => [name, "the limits of channels already have a label with that name"] as const),
  ...["job", "instance", "le", "quantile"].map((name) => [name, "Prometheus reserves this name"] as const),
]);

export function labelNameFault(name: string): string | undefined {
  return (
    legalityFault(name) ??
    (name.startsWith("__") ? "names that begin with __ are reserved" : undefined) ??
    RESERVED_LABELS.get(name)
  );
}

function legalityFault(name: string): string | undefined {
  if (name.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  return LEGAL.test(name) ? undefined : "it may contain only letters, digits and _, and must not begin with a digit";
}

const SUFFIXES = BASE_UNIT_NAMES.map((unit) => ({ unit, suffix: BASE_UNITS[unit].suffix }))
  .filter(({ suffix }) => suffix !== "")
  .sort((a, b) => b.suffix.length - a.suffix.length);

export function unitInName(name: string): BaseUnitName | undefined {
  return SUFFIXES.find(({ suffix }) => name.endsWith(`_${suffix}`))?.unit;
}

/** Inserts `_limit` before the unit. */
export function limitFamilyName(name: string): string {
  const unit = unitInName(name);
  const suffix = unit === undefined ? "" : `_${BASE_UNITS[unit].suffix}`;
  return `${name.slice(0, name.length - suffix.length)}_limit${suffix}`;
}
