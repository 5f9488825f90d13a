import {
  type DataFrame,
  type Field,
  type FieldDisplay,
  FieldType,
  type GrafanaTheme2,
  getDisplayValueAlignmentFactors,
  getFieldDisplayName,
  getFieldDisplayValues,
  type ReduceDataOptions,
  toUtc,
  VizOrientation,
} from "@grafana/data";
import type { BarGaugeDisplayMode, VizLegendOptions, VizTextDisplayOptions } from "@grafana/schema";
import {
  BarGauge,
  BigValue,
  type BigValueColorMode,
  type BigValueGraphMode,
  type BigValueJustifyMode,
  type BigValueTextMode,
  Table,
  TimeSeries,
  useTheme2,
} from "@grafana/ui";
import type { ReactElement } from "react";
import type { Mark, PicturePanel } from "./picture.ts";
import { StateTimeline } from "./shapes.tsx";

export interface PanelProps {
  readonly panel: PicturePanel;
  readonly frames: readonly DataFrame[];
  readonly range: { readonly from: number; readonly to: number };
  readonly marks: readonly Mark[];
  readonly width: number;
  readonly height: number;
}

const MIN_BAR_HEIGHT = 20;

type DrawPanel = (props: PanelProps) => ReactElement;

const PANELS: Readonly<Record<string, DrawPanel>> = {
  stat: Stat,
  timeseries: TimeSeriesPanel,
  table: TablePanel,
  bargauge: Bars,
  "state-timeline": Timeline,
};

/** What is inside of a panel. */
export function PanelContent(props: PanelProps): ReactElement {
  const { panel, frames } = props;
  const Draw = PANELS[panel.type];
  const isEmpty = frames.every(({ length }) => length === 0);
  if (Draw === undefined || isEmpty) return <NoValue text={panel.fieldConfig.defaults.noValue ?? "No data"} />;
  return <Draw {...props} />;
}

function NoValue({ text }: { readonly text: string }): ReactElement {
  return <div style={{ display: "grid", placeItems: "center", height: "100%", opacity: 0.7 }}>{text}</div>;
}

function displayed({ panel, frames }: PanelProps, theme: GrafanaTheme2, sparkline: boolean): FieldDisplay[] {
  return getFieldDisplayValues({
    fieldConfig: panel.fieldConfig,
    reduceOptions: (panel.options.reduceOptions as ReduceDataOptions | undefined) ?? { calcs: ["lastNotNull"] },
    replaceVariables: (text) => text,
    theme,
    data: [...frames],
    sparkline,
    timeZone: "utc",
  });
}

function Stat(props: PanelProps): ReactElement {
  const theme = useTheme2();
  const { panel, width, height } = props;
  const graphMode = panel.options.graphMode as BigValueGraphMode;
  const values = displayed(props, theme, String(graphMode) !== "none");
  return (
    <div style={{ display: "flex" }}>
      {values.map((value) => (
        <BigValue
          key={value.name}
          theme={theme}
          width={width / values.length}
          height={height}
          value={value.display}
          sparkline={value.sparkline}
          count={values.length}
          graphMode={graphMode}
          colorMode={panel.options.colorMode as BigValueColorMode}
          justifyMode={panel.options.justifyMode as BigValueJustifyMode}
          textMode={panel.options.textMode as BigValueTextMode}
          text={panel.options.text as VizTextDisplayOptions}
        />
      ))}
    </div>
  );
}

function TimeSeriesPanel({ panel, frames, range, marks, width, height }: PanelProps): ReactElement {
  const { from, to } = range;
  const shown = { from: toUtc(from), to: toUtc(to) };
  return (
    <TimeSeries
      frames={[...frames]}
      width={width}
      height={height}
      timeRange={{ ...shown, raw: shown }}
      timeZone="utc"
      legend={panel.options.legend as VizLegendOptions}
    >
      {(builder) => {
        builder.addHook("draw", (plot) => {
          const { left, top, width: plotWidth, height: plotHeight } = plot.bbox;
          for (const { time, color } of marks) {
            const x = plot.valToPos(time, "x", true);
            if (x < left || x > left + plotWidth) continue;
            plot.ctx.strokeStyle = color;
            plot.ctx.setLineDash([6, 6]);
            plot.ctx.beginPath();
            plot.ctx.moveTo(x, top);
            plot.ctx.lineTo(x, top + plotHeight);
            plot.ctx.stroke();
            plot.ctx.setLineDash([]);
          }
        });
        return null;
      }}
    </TimeSeries>
  );
}

function TablePanel({ panel, frames, width, height }: PanelProps): ReactElement {
  const [frame] = frames;
  if (frame === undefined) return <NoValue text="No data" />;
  const sortBy = panel.options.sortBy as { displayName: string; desc?: boolean }[] | undefined;
  return <Table data={frame} width={width} height={height} initialSortBy={sortBy} showTypeIcons={false} />;
}

function Bars(props: PanelProps): ReactElement {
  const theme = useTheme2();
  const { panel, width, height } = props;
  const values = displayed(props, theme, false);
  const longest = getDisplayValueAlignmentFactors(values);
  const barHeight = Math.max(height / Math.max(values.length, 1), MIN_BAR_HEIGHT);
  return (
    <div style={{ overflow: "hidden", height }}>
      {values.map(({ display, field, view, colIndex, name }) => (
        <BarGauge
          key={name}
          theme={theme}
          width={width}
          height={barHeight}
          value={display}
          field={field}
          display={view?.getFieldDisplayProcessor(colIndex ?? 0)}
          orientation={VizOrientation.Horizontal}
          displayMode={panel.options.displayMode as BarGaugeDisplayMode}
          showUnfilled={panel.options.showUnfilled === true}
          alignmentFactors={longest}
        />
      ))}
    </div>
  );
}

function Timeline({ panel, frames, range, width, height }: PanelProps): ReactElement {
  const rows = frames.flatMap((frame) =>
    frame.fields
      .filter(({ type }) => type !== FieldType.time)
      .map((field) => ({
        name: getFieldDisplayName(field, frame, [...frames]),
        spans: spansOf(frame, field, range.to),
      })),
  );
  const showValue = panel.options.showValue !== "never";
  return <StateTimeline rows={rows} range={range} width={width} height={height} showValue={showValue} />;
}

/** Times of equal values, one after the other. */
function spansOf(frame: DataFrame, field: Field, end: number) {
  const times = frame.fields.find(({ type }) => type === FieldType.time)?.values ?? [];
  const spans: { from: number; to: number; text: string; color: string }[] = [];
  for (let index = 0; index < frame.length; index += 1) {
    const { text, color = "#888" } = field.display?.(field.values[index]) ?? { text: "" };
    const from = Number(times[index]);
    const last = spans.at(-1);
    if (last !== undefined) last.to = from;
    if (last?.text !== text) spans.push({ from, to: end, text, color });
    else last.to = end;
  }
  return spans;
}
