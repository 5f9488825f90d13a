import { z } from "zod";
import type { Answer, Mark, PanelFieldConfig, Picture, PicturePanel } from "../../dashboards/pictures/src/picture.ts";
import {
  annotationsFrom,
  type Chosen,
  type GrafanaDashboard,
  type GrafanaPanel,
  type GrafanaTarget,
  interpolate,
} from "../../test/support/grafana-dashboards.ts";
import type { PrometheusQueries } from "./queries.ts";

type Values = ReadonlyMap<string, Chosen>;
type Fill = (expr: string, more?: Values) => string;

/**
 * The device with most sensors among those with a down sensor, as a click in the overview selects. Not one of several devices with
 * the same name, which a dashboard shows together.
 */
const PLACE = ["server", "probe", "group", "device"] as const;
const DOWN = 'prtg_sensor_status{status="down"} == 1';
const NAMES = `count by (${PLACE}) (count by (${PLACE}, sensor) (prtg_sensor_status_code))`;
const DEVICE = `topk(1, count by (${PLACE}) (prtg_sensor_status_code) == ${NAMES} and on (${PLACE}) (${DOWN}))`;
const MAX_SENSORS = 4;

/** The tests' schema lacks these. */
const looks = z.looseObject({
  options: z.record(z.string(), z.unknown()).default({}),
  fieldConfig: z.custom<PanelFieldConfig>((value) => value !== undefined).default({ defaults: {}, overrides: [] }),
  collapsed: z.boolean().default(false),
});

export async function pictureOf(dashboard: GrafanaDashboard, queries: PrometheusQueries): Promise<Picture> {
  const { templating, title } = dashboard;
  const chosen = await choose(dashboard, queries);
  const fill: Fill = (expr, more) => interpolate(expr, templating.list, new Map([...chosen, ...(more ?? [])]));
  const raw = z.object({ panels: z.array(looks) }).parse(JSON.parse(dashboard.text)).panels;
  const panels = await Promise.all(
    dashboard.panels.map((panel, index) => drawnPanels(panel, raw[index], { queries, fill, chosen })),
  );
  return {
    title,
    theme: "dark",
    range: queries.range,
    panels: panels.flat(),
    variables: templating.list
      .filter(({ type }) => type === "query")
      .map(({ name, label }) => ({ label, value: shownChoice(chosen.get(name) ?? "") })),
    marks: await marksOf(dashboard, queries, fill),
  };
}

/** Everything, except for dashboards of one device: some sensors, down ones first. */
async function choose({ templating, panels }: GrafanaDashboard, queries: PrometheusQueries): Promise<Values> {
  const { stepSeconds, range } = queries;
  const chosen = new Map<string, Chosen>([
    ["__rate_interval", `${Math.max(4 * stepSeconds, 60)}s`],
    ["__range", `${Math.round((range.to - range.from) / 1000)}s`],
    ["__interval_ms", String(stepSeconds * 1000)],
  ]);
  for (const { name, type } of templating.list)
    if (type !== "datasource") chosen.set(name, type === "textbox" ? "" : "all");
  if (!chosen.has("device")) return chosen;
  const [device] = await queries.instant(DEVICE);
  if (device === undefined) throw new Error("no sensor is down there: wait until one is, or ask another Prometheus");
  for (const label of PLACE) chosen.set(label, [device.labels[label] ?? ""]);
  const selector = PLACE.map((label) => `${label}=${JSON.stringify(device.labels[label])}`).join(",");
  const sensors = await queries.instant(`topk(${MAX_SENSORS}, prtg_sensor_status_code{${selector}} == bool 5)`);
  const names = sensors.map(({ labels }) => labels.sensor ?? "");
  // One graph is clearest with one sensor.
  return chosen.set("sensor", panels.some(({ repeat }) => repeat === "sensor") ? names : names.slice(-1));
}

function shownChoice(choice: Chosen): string {
  if (choice === "all") return "All";
  return typeof choice === "string" ? choice : choice.join(" + ");
}

interface Drawing {
  readonly queries: PrometheusQueries;
  readonly fill: Fill;
  readonly chosen: Values;
}

/** Once per value, like Grafana. */
async function drawnPanels(
  panel: GrafanaPanel,
  raw: z.infer<typeof looks> | undefined,
  { queries, fill, chosen }: Drawing,
): Promise<PicturePanel[]> {
  const choice = panel.repeat === undefined ? undefined : chosen.get(panel.repeat);
  const copies: readonly Values[] =
    panel.repeat === undefined || choice === undefined || typeof choice === "string"
      ? [new Map()]
      : choice.map((value) => new Map([[panel.repeat ?? "", value]]));
  return Promise.all(
    copies.map(async (values, index) => {
      const { type, description, gridPos, transformations } = panel;
      const { options, fieldConfig, collapsed } = raw ?? looks.parse({});
      const column = index % Math.floor(24 / gridPos.w);
      const line = Math.floor(index / Math.floor(24 / gridPos.w));
      const title = [...values].reduce(
        (text, [name, value]) => text.replaceAll(`$${name}`, String(value)),
        panel.title,
      );
      const answers = await Promise.all(
        panel.targets
          .filter(({ datasource }) => datasource.type === "prometheus")
          .map((target) => answer(target, queries, fill(target.expr, values))),
      );
      return {
        ...{ type, title, description, options, transformations, collapsed, answers },
        fieldConfig,
        gridPos: { ...gridPos, x: gridPos.x + column * gridPos.w, y: gridPos.y + line * gridPos.h },
      };
    }),
  );
}

async function answer(target: GrafanaTarget, queries: PrometheusQueries, expr: string): Promise<Answer> {
  const { refId, instant, format, legendFormat = "" } = target;
  const series = await (instant ? queries.instant(expr) : queries.over(expr));
  return { refId, legendFormat, asTable: format === "table", series };
}

async function marksOf(dashboard: GrafanaDashboard, queries: PrometheusQueries, fill: Fill): Promise<Mark[]> {
  const shown = annotationsFrom("prometheus", dashboard).filter(({ enable }) => enable);
  const found = await Promise.all(shown.map(({ expr }) => queries.over(fill(expr))));
  const times = found.flat().flatMap(({ points }) => points.map(({ value }) => value));
  return [...new Set(times)].map((time) => ({ time, color: "#f2495c" }));
}
