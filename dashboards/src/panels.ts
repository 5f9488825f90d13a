import * as common from "@grafana/grafana-foundation-sdk/common";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import * as stat from "@grafana/grafana-foundation-sdk/stat";
import * as statetimeline from "@grafana/grafana-foundation-sdk/statetimeline";
import * as timeseries from "@grafana/grafana-foundation-sdk/timeseries";
import * as units from "@grafana/grafana-foundation-sdk/units";
import { STATUS_CODE_MAPPING } from "./statuses.ts";
import { DATA_SOURCE } from "./variables.ts";

/** Heights in units of the grid, so that panels of a kind line up on all dashboards. */
export const HEIGHT = { stat: 4, graph: 8, table: 10 } as const;

/** The same in all tiles. By default, each tile has the largest size that fits. */
const TILE_TEXT_PIXELS = 26;

export interface Series {
  readonly expr: string;
  readonly legend?: string;
}

export interface PanelText {
  readonly title: string;
  readonly description: string;
  /** What stands where there is nothing. */
  readonly none?: string;
  readonly unit?: string;
  readonly width: number;
}

/** From the value on, the color; the first one for all below. */
export type Steps = readonly (readonly [from: number | null, color: string])[];

const REF_IDS = "ABCDEFGH";

export function refId(index: number): string {
  return REF_IDS.charAt(index);
}

export function rangeQuery({ expr, legend = "" }: Series, index = 0) {
  return new prometheus.DataqueryBuilder()
    .datasource(DATA_SOURCE)
    .refId(refId(index))
    .expr(oneLine(expr))
    .legendFormat(legend)
    .range();
}

export function instantQuery({ expr, legend = "" }: Series, index = 0) {
  return new prometheus.DataqueryBuilder()
    .datasource(DATA_SOURCE)
    .refId(refId(index))
    .expr(oneLine(expr))
    .legendFormat(legend)
    .instant();
}

/** Expressions are written over several lines here, and shown in one line of Grafana's editor. */
export function oneLine(expr: string): string {
  return expr
    .replace(/\s*\n\s*/g, " ")
    .replace(/\( /g, "(")
    .replace(/ \)/g, ")")
    .trim();
}

export function steps(levels: Steps) {
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(levels.map(([value, color]) => ({ value, color })));
}

export interface StatOptions extends PanelText {
  readonly expr: string;
  readonly levels: Steps;
  readonly decimals?: number;
  readonly mappings?: dashboard.ValueMapping[];
}

/** A number on a plain color. A sparkline behind it would make it hard to read. */
export function statPanel(options: StatOptions) {
  const { expr, levels } = options;
  const panel = new stat.PanelBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(DATA_SOURCE)
    .span(options.width)
    .height(HEIGHT.stat)
    .withTarget(instantQuery({ expr }))
    .unit(options.unit ?? units.LocaleFormat)
    .noValue(options.none ?? "No data")
    .thresholds(steps(levels))
    .colorScheme(new dashboard.FieldColorBuilder().mode(dashboard.FieldColorModeId.Thresholds))
    .colorMode(common.BigValueColorMode.BackgroundSolid)
    .graphMode(common.BigValueGraphMode.None)
    .textMode(common.BigValueTextMode.Value)
    .justifyMode(common.BigValueJustifyMode.Center)
    .text(new common.VizTextDisplayOptionsBuilder().valueSize(TILE_TEXT_PIXELS))
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false).fields(""));
  if (options.decimals !== undefined) panel.decimals(options.decimals);
  if (options.mappings !== undefined) panel.mappings(options.mappings);
  return panel;
}

export interface GraphOptions extends PanelText {
  readonly series: readonly Series[];
  readonly height?: number;
  readonly stacked?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly legendRight?: boolean;
  /** Reductions in the legend. */
  readonly calcs?: string[];
}

export function graphPanel(options: GraphOptions) {
  const { series, stacked = false, legendRight = false, calcs = ["lastNotNull", "max"] } = options;
  const panel = new timeseries.PanelBuilder()
    .title(options.title)
    .description(options.description)
    .datasource(DATA_SOURCE)
    .span(options.width)
    .height(options.height ?? HEIGHT.graph)
    .targets(series.map(rangeQuery))
    .unit(options.unit ?? units.LocaleFormat)
    .noValue(options.none ?? "No data")
    .drawStyle(common.GraphDrawStyle.Line)
    .lineWidth(stacked ? 0 : 1)
    .fillOpacity(stacked ? 70 : 8)
    .showPoints(common.VisibilityMode.Never)
    .spanNulls(false)
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.Table)
        .placement(legendRight ? common.LegendPlacement.Right : common.LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(calcs),
    )
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    );
  if (stacked) panel.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group("A"));
  if (options.min !== undefined) panel.min(options.min);
  if (options.max !== undefined) panel.max(options.max);
  return panel;
}

export interface TimelineOptions extends PanelText {
  readonly series: Series;
  readonly height: number;
  readonly mappings?: dashboard.ValueMapping[];
}

/** A bar per series whose color is its state. */
export function timelinePanel({ series, height, mappings = [STATUS_CODE_MAPPING], ...text }: TimelineOptions) {
  return new statetimeline.PanelBuilder()
    .title(text.title)
    .description(text.description)
    .datasource(DATA_SOURCE)
    .span(text.width)
    .height(height)
    .withTarget(rangeQuery(series))
    .unit(units.NoUnit)
    .noValue(text.none ?? "No data")
    .mappings(mappings)
    .thresholds(steps([[null, "text"]]))
    .mergeValues(true)
    .showValue(common.VisibilityMode.Auto)
    .alignValue(common.TimelineValueAlignment.Left)
    .rowHeight(0.8)
    .perPage(20)
    .fillOpacity(80)
    .lineWidth(0)
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    );
}
