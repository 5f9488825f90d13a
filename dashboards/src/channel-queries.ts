import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { BASE_UNITS } from "../../src/mapping/units/base-units.ts";

/** One channel of one server, however many exporters read it. */
export const CHANNEL = "job, server, sensor_id, channel_id";

/** What has the id of a channel too, and is no metric of a mapping rule: alerts and recording rules among it. */
const OTHERS = [
  ...Object.values(TREE_FAMILIES).flatMap(({ name, labels }) => (labels.some((l) => l === "channel_id") ? name : [])),
  "ALERTS.*",
  ".+:.+",
].join("|");

/** Rules choose the names of their metrics: they are found by the ids of a sensor and its channel, which nothing else in a Prometheus has. */
const MAPPED = `__name__!~"${OTHERS}",sensor_id!="",channel_id!=""`;

const UNITS = Object.values(BASE_UNITS).flatMap(({ suffix }) => suffix || []);

/**
 * The value of each channel that matchers choose, once: as displayed, else by the metric that a mapping rule gives it.
 * Series keep their names, for `withUnit`.
 */
export function channelValues(matchers: string): string {
  return `(prtg_channel_value{${matchers}} or on (${CHANNEL}) {${MAPPED},limit="",${matchers}})`;
}

/** Limits of these channels, in the units of their values. */
export function channelLimits(matchers: string): string {
  return `(prtg_channel_limit{${matchers}} or on (${CHANNEL}, limit) {${MAPPED},limit!="",${matchers}})`;
}

/** The same series; those of mapping rules get as the label `unit` the base unit with which their names end. */
export function withUnit(series: string): string {
  return `label_replace(${series}, "unit", "$1", "__name__", ".*?_(${UNITS.join("|")})")`;
}
