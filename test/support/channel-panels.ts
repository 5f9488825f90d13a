import type { World } from "../../packages/simulator/src/world/model.ts";
import { createWorld } from "../../packages/simulator/src/world/world.ts";
import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import { GRAFANA_DASHBOARDS, interpolate, shownPanels } from "./grafana-dashboards.ts";
import { parsePage } from "./parse-sample.ts";
import type { Sample, SeriesLabels } from "./promql-answer.ts";

/** Names without our prefix, one with a label that our own families use, the other for channels that have states. */
const OWN_RULES = [
  "{ match: { channel: Downtime }, name: acme_idle_ratio, unit: ratio, labels: { state: idle } }",
  '{ match: { channel: ["* Status", "* Check"] }, name: acme_code }',
].join(", ");
const MAPPING = `presets: [${PRESET_NAMES.join(", ")}], rules: [${OWN_RULES}]`;
/** All families about channels that are no values. */
const FAMILIES = "metrics: { channel_info: always }\n";
/** Of a world that stands still nothing is withdrawn for its age, however long one exporter is polled after another, and asked. */
const LASTING = `stale_after: 24d
collectors:
  tree: { schedule: 24h }
  status: { schedule: 24h }
  channels: { schedule: 24h }
  limits: { schedule: 24h }
  details: { enabled: true, schedule: 24h }
`;
const MORE = `${FAMILIES}${LASTING}`;

/** Ways to serve the same channels, by scrape job; `plain` as the server displays them. */
export const SERVED = {
  plain: MORE,
  both: `${MORE}mapping: { ${MAPPING} }`,
  mapped: `${MORE}mapping: { ${MAPPING}, keep_original: false }`,
} as const;

export type ServedJob = keyof typeof SERVED;

export const JOBS = ["plain", "both", "mapped"] as const satisfies readonly ServedJob[];

const SIZE = { probes: 2, devices: 12, sensors: 80, channels: 600 };

/** The time at which the world stands still, milliseconds since the epoch: it is the same in each run, and for each exporter. */
export const WORLD_TIME = Date.UTC(2026, 0, 15, 12);

/** Channels that are beyond a warning limit there are beyond an error limit, too, and each place has a name with a line break. */
export function stillWorld(): World {
  const world = createWorld({ seed: 2, size: SIZE, startedAt: WORLD_TIME });
  const firsts = [world.list("probe")[0], world.list("group")[0], world.list("sensor")[0]];
  for (const first of firsts) if (first !== undefined) world.rename(first.id, `${first.name}\nsecond line`);
  for (const { limits } of world.channels()) if (limits.maxWarning !== undefined) limits.maxError = limits.maxWarning;
  return world;
}

/** A page as a Prometheus has it, which takes labels without a value for none. */
export function samplesOf(page: string, job: ServedJob): Sample[] {
  return [...parsePage(page).values()].map(({ name, labels, value }) => {
    const all = Object.entries({ ...labels, __name__: name, job, instance: `${job}:9705` });
    return { labels: Object.fromEntries(all.filter(([, text]) => text !== "")), value: Number(value) };
  });
}

export interface ChannelQuery {
  readonly name: string;
  /** For a scrape job, with everything chosen, and no list cut. */
  exprFor(job: ServedJob, devices: readonly string[]): string;
}

/** All queries of panels about channels. */
export const CHANNEL_QUERIES: readonly ChannelQuery[] = GRAFANA_DASHBOARDS.flatMap((dashboard) =>
  shownPanels(dashboard).flatMap((panel) =>
    panel.targets
      .filter(({ expr }) => /\bchannel_id\b/.test(expr))
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

/** What a result is about: a channel, and which of its limits or states; empty for numbers of channels. */
export function shownAs({ sensor_id = "", channel_id = "", limit = "", state = "" }: SeriesLabels): string {
  return [sensor_id, channel_id, limit, state].join(" ").trim();
}

/** What results are about, each as often as it is there; how many channels were counted where they are about none. */
export function subjects(results: readonly Sample[]): string[] | number {
  const found = results.map(({ labels }) => shownAs(labels)).sort();
  return found.every((text) => text === "") ? results.reduce((sum, { value }) => sum + value, 0) : found;
}

/** Results without their job, in an order of their own. */
export function shown(results: readonly Sample[]): string[] {
  return results.map(({ labels: { job: _job, ...labels }, value }) => JSON.stringify([sorted(labels), value])).sort();
}

function sorted(labels: SeriesLabels): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}
