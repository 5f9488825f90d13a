import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import { GRAFANA_DASHBOARDS, interpolate, shownPanels } from "./grafana-dashboards.ts";
import type { SeriesLabels } from "./promql-answer.ts";

const PRESETS = PRESET_NAMES.join(", ");
/** A name without our prefix, and a label that our own families use. */
const OWN_RULE = "{ match: { channel: Downtime }, name: acme_idle_ratio, unit: ratio, labels: { state: idle } }";

/** Ways to serve the same channels, by scrape job; `plain` as the server displays them. */
export const SERVED = {
  plain: "",
  both: `mapping: { presets: [${PRESETS}], rules: [${OWN_RULE}] }`,
  mapped: `mapping: { presets: [${PRESETS}], rules: [${OWN_RULE}], keep_original: false }`,
} as const;

export type ServedJob = keyof typeof SERVED;

export interface ChannelQuery {
  readonly name: string;
  /** For a scrape job, with everything chosen, and no list cut. */
  exprFor(job: ServedJob, devices: readonly string[]): string;
}

/** All queries of panels about channels. */
export const CHANNEL_QUERIES: readonly ChannelQuery[] = GRAFANA_DASHBOARDS.flatMap(({ title, templating, ...rest }) =>
  shownPanels({ title, templating, ...rest }).flatMap((panel) =>
    panel.targets
      .filter(({ expr }) => /\bchannel_id\b/.test(expr))
      .map(({ refId, expr }) => ({
        name: `${title}: ${panel.id} ${panel.title} ${refId}`,
        exprFor: (job: ServedJob, devices: readonly string[]) => {
          const typed = templating.list.map(({ name, type }) => [name, type === "textbox" ? "" : "all"] as const);
          const chosen = new Map<string, string | readonly string[]>([...typed, ["job", job], ["device", devices]]);
          return interpolate(expr, templating.list, chosen).replace("topk(10,", "topk(1000,");
        },
      })),
  ),
);

/** What a result is about: a channel, and which of its limits or states; empty for numbers of channels. */
export function shownAs({ sensor_id = "", channel_id = "", limit = "", state = "" }: SeriesLabels): string {
  return [sensor_id, channel_id, limit, state].join(" ").trim();
}
