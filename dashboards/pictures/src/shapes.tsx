import { useTheme2 } from "@grafana/ui";
import type { ReactElement } from "react";

// Grafana keeps these two kinds of panels inside its application, so they are drawn here after its looks.

export interface DonutProps {
  readonly shares: readonly {
    readonly title: string;
    readonly text: string;
    readonly value: number;
    readonly color: string;
  }[];
  readonly width: number;
  readonly height: number;
}

export function Donut({ shares, width, height }: DonutProps): ReactElement {
  const sum = shares.reduce((total, { value }) => total + value, 0);
  const size = Math.min(height, width / 2);
  const radius = size * 0.34;
  const around = 2 * Math.PI * radius;
  let begun = 0;
  return (
    <div style={{ display: "flex", alignItems: "center", height }}>
      <svg width={size} height={size} role="img" aria-label="Shares">
        <title>Shares</title>
        <g transform={`translate(${size / 2} ${size / 2}) rotate(-90)`}>
          {shares.map(({ title, value, color }) => {
            const length = (value / sum) * around;
            const offset = -begun;
            begun += length;
            return (
              <circle
                key={title}
                r={radius}
                fill="none"
                stroke={color}
                strokeWidth={size * 0.17}
                strokeDasharray={`${length} ${around - length}`}
                strokeDashoffset={offset}
              />
            );
          })}
        </g>
      </svg>
      <table style={{ fontSize: 12, flex: 1, marginLeft: 16 }}>
        <thead>
          <tr style={{ textAlign: "right" }}>
            <th />
            <th style={{ paddingLeft: 12 }}>Value</th>
            <th style={{ paddingLeft: 12 }}>Percent</th>
          </tr>
        </thead>
        <tbody>
          {shares.map(({ title, text, value, color }) => (
            <tr key={title} style={{ textAlign: "right" }}>
              <td style={{ textAlign: "left" }}>
                <Swatch color={color} /> {title}
              </td>
              <td>{text}</td>
              <td>{`${Math.round((value / sum) * 100)}%`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Swatch({ color }: { readonly color: string }): ReactElement {
  return (
    <span
      style={{
        display: "inline-block",
        width: 14,
        height: 4,
        borderRadius: 2,
        background: color,
        verticalAlign: "middle",
      }}
    />
  );
}

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
                <text x={x(from) + 6} y={rowHeight / 2} dominantBaseline="middle">
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
