import { useTheme2 } from "@grafana/ui";
import type { ReactElement } from "react";

// Grafana keeps this kind of panel inside its application, so it is drawn here after its looks.

export interface StateTimelineProps {
  readonly rows: readonly {
    readonly name: string;
    readonly spans: readonly {
      readonly from: number;
      readonly to: number;
      readonly text: string;
      readonly color: string;
    }[];
  }[];
  readonly range: { readonly from: number; readonly to: number };
  readonly width: number;
  readonly height: number;
  readonly showValue: boolean;
}

const NAME_WIDTH = 200;
const AXIS_HEIGHT = 20;
const AXIS_LABELS = 6;

export function StateTimeline({ rows, range, width, height, showValue }: StateTimelineProps): ReactElement {
  const theme = useTheme2();
  const plotWidth = width - NAME_WIDTH;
  const rowHeight = (height - AXIS_HEIGHT) / Math.max(rows.length, 1);
  const x = (time: number) =>
    NAME_WIDTH + ((Math.max(time, range.from) - range.from) / (range.to - range.from)) * plotWidth;
  const ticks = Array.from(
    { length: AXIS_LABELS },
    (_, index) => range.from + ((range.to - range.from) * (index + 0.5)) / AXIS_LABELS,
  );
  return (
    <svg
      width={width}
      height={height}
      role="img"
      aria-label="Statuses"
      style={{ fontSize: 12, fill: theme.colors.text.primary }}
    >
      <title>Statuses</title>
      {rows.map(({ name, spans }, index) => (
        <g key={name} transform={`translate(0 ${index * rowHeight})`}>
          <text x={NAME_WIDTH - 8} y={rowHeight / 2} textAnchor="end" dominantBaseline="middle">
            {name.length > 26 ? `${name.slice(0, 25)}…` : name}
          </text>
          {spans.map(({ from, to, text, color }) => (
            <g key={from}>
              <rect
                x={x(from)}
                y={rowHeight * 0.08}
                width={Math.max(x(to) - x(from), 1)}
                height={rowHeight * 0.84}
                fill={color}
                opacity={0.75}
              />
              {showValue && x(to) - x(from) > 60 && (
                <text
                  x={x(from) + 6}
                  y={rowHeight / 2}
                  dominantBaseline="middle"
                  fill={theme.colors.getContrastText(color)}
                >
                  {text}
                </text>
              )}
            </g>
          ))}
        </g>
      ))}
      {ticks.map((time) => (
        <text key={time} x={x(time)} y={height - 4} textAnchor="middle" opacity={0.7}>
          {new Date(time).toISOString().slice(11, 16)}
        </text>
      ))}
    </svg>
  );
}
