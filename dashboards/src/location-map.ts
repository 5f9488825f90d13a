import * as common from "@grafana/grafana-foundation-sdk/common";
import type { DynamicConfigValue } from "@grafana/grafana-foundation-sdk/dashboard";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import * as geomap from "@grafana/grafana-foundation-sdk/geomap";
import * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import * as units from "@grafana/grafana-foundation-sdk/units";
import { ID, linkToPage, PAGE_COLUMN, WEB_COLUMN, withPage } from "./links.ts";
import { instantQuery, type Steps, steps } from "./panels.ts";
import { SENSOR_KEY, withWeb } from "./sensor-queries.ts";
import { colorOf } from "./statuses.ts";
import type { Column } from "./table.ts";
import { DATA_SOURCE, nameMatch, SERVERS } from "./variables.ts";

/** The same statuses as in the outages of both kinds. */
const AFFECTED = "down|partialdown|acknowledged|disconnected|unknown";
const COUNTED = `up|warning|unusual|${AFFECTED}`;
const OBJECT = "job, server, id";

/** A renamed object has two paths for some minutes. */
const PLACES = `max by (${OBJECT}, kind, latitude, longitude) (prtg_node_location_info{${SERVERS}})
  * on (${OBJECT}) group_left (path) topk by (${OBJECT}) (1, 0 * max by (${OBJECT}, path) (
    prtg_node_status_code{${SERVERS},path=~${nameMatch("probe", "(/.*)?")}}
  ) + 1)`;
const DEVICES = `label_replace(prtg_node_location_info{${SERVERS},kind="device"}, "device_id", "$1", "id", "(.+)")`;

/** Sensors below each object. Devices have no `prtg_node_sensors` by default, so their sensors are counted. */
function sensorsBelow(statuses: string): string {
  return `(
    sum by (${OBJECT}) (max by (${OBJECT}, status) (prtg_node_sensors{${SERVERS},status=~"${statuses}"}))
    or on (${OBJECT}) label_replace(
      count by (job, server, device_id) (max by (job, server, sensor_id, device_id) (
        (prtg_sensor_status{${SERVERS},status=~"${statuses}"} == 1)
        * on (${SENSOR_KEY}) group_left (device_id) (
          prtg_sensor_info{${SERVERS}} and on (job, server, device_id) ${DEVICES}
        )
      )),
      "id", "$1", "device_id", "(.+)"
    )
  )`;
}

const ALL = `(${sensorsBelow(COUNTED)} > 0)`;
const COUNT = `(${sensorsBelow(AFFECTED)} or on (${OBJECT}) 0 * ${ALL})`;

function placed(expr: string): string {
  return `(${PLACES}) * on (${OBJECT}) group_left () ${expr}`;
}

const LEVELS: Steps = [
  [null, colorOf("up")],
  [0.001, colorOf("warning")],
  [0.2, colorOf("unusual")],
  // As an outage.
  [0.8, colorOf("down")],
];

const SHARE = "Down or unknown";
const UNSEEN: DynamicConfigValue = { id: "custom.hideFrom", value: { tooltip: true, viz: false, legend: true } };
const WHOLE: DynamicConfigValue = { id: "unit", value: units.LocaleFormat };

const COLUMNS: readonly Column[] = [
  { from: "path", title: "Object", properties: [linkToPage()] },
  { from: "Value #A", title: SHARE },
  { from: "Value #B", title: "Affected", properties: [WHOLE] },
  { from: "Value #C", title: "Sensors", properties: [WHOLE] },
  { from: "kind", title: "Kind" },
  { from: "id", title: ID },
  { from: "server", title: "Server" },
  { from: WEB_COLUMN.from, title: WEB_COLUMN.title, properties: [UNSEEN] },
  { from: PAGE_COLUMN.from, title: PAGE_COLUMN.title, properties: [UNSEEN] },
  { from: "latitude", title: "latitude", properties: [UNSEEN] },
  { from: "longitude", title: "longitude", properties: [UNSEEN] },
];

const markers = new common.MapLayerOptionsBuilder()
  .type("markers")
  .name("Objects")
  .tooltip(true)
  .location(
    new common.FrameGeometrySourceBuilder()
      .mode(common.FrameGeometrySourceMode.Coords)
      .latitude("latitude")
      .longitude("longitude"),
  )
  .config({
    showLegend: true,
    style: {
      color: { field: SHARE, fixed: colorOf("up") },
      opacity: 0.9,
      size: { fixed: 8, min: 2, max: 15 },
      symbol: { mode: "fixed", fixed: "img/icons/marker/circle.svg" },
    },
  });

export function locationMap() {
  const panel = new geomap.PanelBuilder()
    .title("Map")
    .description(
      "Probes, groups and devices with a tag such as geo:50.11_8.68, in the color of the share of their sensors that is down or unknown. Paused sensors do not count. The browser loads the map from the internet.",
    )
    .datasource(DATA_SOURCE)
    .span(24)
    .height(14)
    .targets(
      [withWeb(withPage(placed(`(${COUNT} / on (${OBJECT}) ${ALL})`))), placed(COUNT), placed(ALL)].map((expr, index) =>
        instantQuery({ expr }, index).format(prometheus.PromQueryFormat.Table),
      ),
    )
    .unit(units.PercentUnit)
    .decimals(0)
    .noValue("No object has a tag such as geo:50.11_8.68")
    .thresholds(steps(LEVELS))
    .colorScheme(new dashboard.FieldColorBuilder().mode(dashboard.FieldColorModeId.Thresholds))
    .transformations([
      { id: "merge", options: {} },
      // Labels are texts.
      {
        id: "convertFieldType",
        options: {
          fields: {},
          conversions: ["latitude", "longitude"].map((targetField) => ({ targetField, destinationType: "number" })),
        },
      },
      { id: "filterFieldsByName", options: { include: { names: COLUMNS.map(({ from }) => from) } } },
      {
        id: "organize",
        options: {
          excludeByName: {},
          includeByName: {},
          indexByName: Object.fromEntries(COLUMNS.map(({ from }, index) => [from, index])),
          renameByName: Object.fromEntries(COLUMNS.map(({ from, title }) => [from, title])),
        },
      },
    ])
    .view(
      new geomap.MapViewConfigBuilder().id(geomap.MapCenterID.Fit).allLayers(true).lat(0).lon(0).zoom(12).padding(10),
    )
    .controls(new geomap.ControlsOptionsBuilder().showZoom(true).mouseWheelZoom(false).showAttribution(true))
    .basemap(new common.MapLayerOptionsBuilder().type("default").name("Basemap").config({}))
    .layers([markers])
    .tooltip(new geomap.TooltipOptionsBuilder().mode(geomap.TooltipMode.Details));
  for (const { title, properties } of COLUMNS)
    if (properties !== undefined) panel.overrideByName(title, [...properties]);
  return panel;
}
