import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import { GRAFANA_DASHBOARDS, interpolate, shownPanels } from "./grafana-dashboards.ts";
import { parsePage } from "./parse-sample.ts";
import type { Sample, SeriesLabels } from "./promql-answer.ts";

/** Without our prefix: one with a label of our families, one for channels with states. */
const OWN_RULES = [
  "{ match: { channel: Downtime }, name: acme_idle_ratio, unit: ratio, labels: { state: idle } }",
  '{ match: { channel: ["* Status", "* Check"] }, name: acme_code }',
].join(", ");
const MAPPING = `presets: [${PRESET_NAMES.join(", ")}], rules: [${OWN_RULES}]`;
/** All families about channels, except values. */
const FAMILIES = "metrics: { channel_info: always }\n";
/** Keeps values of the stopped world, however long several exporters take. */
const LASTING = `stale_after: 24d
collectors:
  tree: { schedule: 24h }
  status: { schedule: 24h }
  channels: { schedule: 24h }
  limits: { schedule: 24h }
  details: { enabled: true, schedule: 24h }
`;
const MORE = `${FAMILIES}${LASTING}`;

/** By job. `plain`: as the server displays them. */
export const SERVED = {
  plain: MORE,
  both: `${MORE}mapping: { ${MAPPING} }`,
  mapped: `${MORE}mapping: { ${MAPPING}, keep_original: false }`,
} as const;

export type ServedJob = keyof typeof SERVED;

export const JOBS = ["plain", "both", "mapped"] as const satisfies readonly ServedJob[];

const SIZE = { probes: 2, devices: 8, sensors: 40, channels: 200 };

/** Stopped time, equal for each run and exporter. Milliseconds since the epoch. */
export const WORLD_TIME = Date.UTC(2026, 0, 15, 12);

/** Warnings also exceed error limits, and every place's name has a line break. */
export function stillWorld(): World {
  const world = createWorld({ seed: 2, size: SIZE, startedAt: WORLD_TIME });
  const firsts = [world.list("probe")[0], world.list("group")[0], world.list("sensor")[0]];
  for (const first of firsts) if (first !== undefined) world.rename(first.id, `${first.name}\nsecond line`);
  for (const { limits } of world.channels()) if (limits.maxWarning !== undefined) limits.maxError = limits.maxWarning;
  return world;
}

/** A page as Prometheus stores it, without empty labels. */
export function samplesOf(page: string, job: ServedJob): Sample[] {
  return [...parsePage(page).values()].map(({ name, labels, value }) => {
    const all = Object.entries({ ...labels, __name__: name, job, instance: `${job}:9705` });
    return { labels: Object.fromEntries(all.filter(([, text]) => text !== "")), value: Number(value) };
  });
}

export interface ChannelQuery {
  readonly name: string;
  /** For a job, with everything selected and no list truncated. */
  exprFor(job: ServedJob, devices: readonly string[]): string;
}

export const CHANNEL_QUERIES: readonly ChannelQuery[] = GRAFANA_DASHBOARDS.flatMap((dashboard) =>
  shownPanels(dashboard).flatMap((panel) =>
    panel.targets
      // Recorded series are not on the page. Tests of rules have them.
      .filter(({ expr }) => /\bchannel_id\b/.test(expr) && !/:prtg_\w+:/.test(expr))
      .map(({ refId, expr }) => ({
        name: `${dashboard.title}: ${panel.id} ${panel.title} ${refId}`,
        exprFor: (job: ServedJob, devices: readonly string[]) => {
          const variables = dashboard.templating.list;
          const typed = variables.map(({ name, type }) => [name, type === "textbox" ? "" : "all"] as const);
          const chosen = new Map<string, string | readonly string[]>([...typed, ["job", job], ["device", devices]]);
          return interpolate(expr, variables, chosen).replace("topk(10,", "topk(1000,");
        },
      })),
  ),
);

/** A result's channel with limit or state. Empty for counts. */
export function shownAs({ sensor_id = "", channel_id = "", limit = "", state = "" }: SeriesLabels): string {
  return [sensor_id, channel_id, limit, state].join(" ").trim();
}

/** Subjects with repeats, or the number of channels if results have none. */
export function subjects(results: readonly Sample[]): string[] | number {
  const found = results.map(({ labels }) => shownAs(labels)).sort();
  return found.every((text) => text === "") ? results.reduce((sum, { value }) => sum + value, 0) : found;
}

/** Sorted results without their job. */
export function shown(results: readonly Sample[]): string[] {
  return results.map(({ labels: { job: _job, ...labels }, value }) => JSON.stringify([sorted(labels), value])).sort();
}

function sorted(labels: SeriesLabels): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}
