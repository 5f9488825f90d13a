import { familiesOf } from "../../../scripts/generate/preset-families.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { PRESET_NAMES } from "../../../src/config/mapping-schema.ts";
import { CHANNEL_LABEL_NAMES, SENSOR_LABEL_NAMES } from "../../../src/mapping/metric-table.ts";
import { KNOWN_METRICS, TARGET_LABELS } from "../../support/known-metrics.ts";
import { readPage } from "./pages.ts";

/** Made by Prometheus for each scrape. */
const OF_SCRAPES = ["up", "scrape_duration_seconds", "scrape_samples_scraped"];

async function mappedMetrics(): Promise<[name: string, labels: string[]][]> {
  const families = await Promise.all(PRESET_NAMES.map((name) => familiesOf(name)));
  const ofChannels = CHANNEL_LABEL_NAMES.filter((label) => label !== "unit");
  return families.flat().flatMap(({ name, ruleLabels, limits }) => {
    const labels = [...TARGET_LABELS, "server", ...ofChannels, ...ruleLabels];
    return [[name, labels] as const, [limits.name, [...labels, "limit"]] as const];
  });
}

/** Labels by metric, including presets and scrapes. */
export const DOCUMENTED_METRICS: ReadonlyMap<string, readonly string[]> = new Map([
  ...KNOWN_METRICS,
  ...(await mappedMetrics()),
  ...OF_SCRAPES.map((name) => [name, TARGET_LABELS] as const),
  // Names appear here if other series drop them.
  ["prtg_sensor_info", [...(KNOWN_METRICS.get("prtg_sensor_info") ?? []), ...SENSOR_LABEL_NAMES]],
]);

export const KNOWN_LABELS: ReadonlySet<string> = new Set([...DOCUMENTED_METRICS.values()].flat());

/** Full paths such as `servers[].limits.timeout`. */
export const CONFIGURATION_KEYS: ReadonlySet<string> = new Set(configurationKeys());

function configurationKeys(): string[] {
  const keys: string[] = [];
  let section = "";
  for (const line of readPage("docs/configuration.md").prose.split("\n")) {
    const heading = /^### `(.+)`$/.exec(line)?.[1];
    if (heading !== undefined) section = `${heading}.`;
    const key = /^\| (?:\[`(\w+)`\]|`([a-z_]+)` )/.exec(line);
    if (key !== null) keys.push(section + (key[1] ?? key[2]));
  }
  return keys;
}

export const FLAGS: ReadonlySet<string> = new Set(
  createProgram().commands.flatMap(({ options }) => options.flatMap(({ long }) => (long == null ? [] : [long]))),
);
