import * as common from "@grafana/grafana-foundation-sdk/common";
import * as units from "@grafana/grafana-foundation-sdk/units";
import { channelLimits, channelValues, withUnit } from "./channel-queries.ts";
import { graphPanel, type PanelText } from "./panels.ts";

/** Grafana's names for units as the product spells them, and for base units. Series of different units get axes of their own. */
const UNITS: readonly (readonly [spelled: string, unit: string])[] = [
  ["%", units.Percent],
  ["msec|ms", units.Milliseconds],
  ["µs", units.Microseconds],
  ["s|sec|seconds", units.Seconds],
  ["min", units.Minutes],
  ["h", units.Hours],
  ["d", units.Days],
  ["kbit/s", units.KilobitsPerSecond],
  ["Mbit/s", units.MegabitsPerSecond],
  ["Gbit/s", units.GigabitsPerSecond],
  ["Byte|Bytes|B|bytes", units.BytesIEC],
  ["KByte|KB", units.Kibibytes],
  ["MByte|MB", units.Mebibytes],
  ["GByte|GB", units.Gibibytes],
  ["TByte|TB", units.Tebibytes],
  ["KByte/s|KB/s", units.KibibytesPerSecond],
  ["MByte/s|MB/s", units.MebibytesPerSecond],
  ["bytes_per_second", units.BytesPerSecondIEC],
  ["#/s|per_second", units.CountsPerSecond],
  ["ratio", units.PercentUnit],
  ["°C|celsius", units.Celsius],
  ["V|volts", units.Volt],
  ["A|amperes", units.Ampere],
  ["W|watts", units.Watt],
  ["voltamperes", units.VoltAmpere],
  ["kWh", units.KiloWattHour],
  ["joules", units.Joule],
  ["ohms", units.Ohm],
  ["Hz|hertz", units.Hertz],
  ["rpm|RPM", units.RevolutionsPerMinute],
  ["decibels", units.Decibel],
  ["dBm|dbm", units.DecibelMilliWatt],
  ["lux", units.Lux],
  ["pascals", units.Pascals],
  ["meters", units.Meter],
  ["meters_per_second", units.MetersPerSecond],
  ["grams", units.Gram],
  ["liters", units.Litre],
];

/** Most sensors have a value and shares. On both sides, the two axes are easy to tell apart. */
const SHARES: ReadonlySet<string> = new Set([units.Percent, units.PercentUnit]);

export interface ChannelGraphOptions extends PanelText {
  /** Matchers that choose channels. */
  readonly channels: string;
  readonly height?: number;
  /** Whether series say which sensor they belong to. */
  readonly severalSensors: boolean;
}

/** Values of channels, with the limits that are set on them as dashed lines. */
export function channelGraph({ channels, severalSensors, ...panel }: ChannelGraphOptions) {
  const key = "job, server, sensor_id, channel_id, sensor, channel, unit";
  // Devices and sensors can share names.
  const name = `${severalSensors ? "{{sensor}}: " : ""}{{channel}} ({{sensor_id}})`;
  const graph = graphPanel({
    ...panel,
    series: [
      { expr: `max by (${key}) (${withUnit(channelValues(channels))})`, legend: `${name} [{{unit}}]` },
      {
        expr: `max by (${key}, limit) (${withUnit(channelLimits(channels))})`,
        legend: `${name} {{limit}} [{{unit}}]`,
      },
    ],
    calcs: ["lastNotNull", "min", "mean", "max"],
  });
  for (const [spelled, unit] of UNITS) {
    graph.overrideByRegexp(`/ \\[(${spelled})\\]$/`, [
      { id: "unit", value: unit },
      ...(SHARES.has(unit) ? [{ id: "custom.axisPlacement", value: common.AxisPlacement.Right }] : []),
    ]);
  }
  return graph
    .overrideByQuery("B", [
      { id: "custom.lineStyle", value: { fill: "dash", dash: [8, 6] } },
      { id: "custom.lineWidth", value: 1 },
      { id: "custom.fillOpacity", value: 0 },
      { id: "custom.lineInterpolation", value: common.LineInterpolation.StepAfter },
      { id: "color", value: { mode: "fixed", fixedColor: "red" } },
    ])
    .overrideByRegexp("/ (max|min)_warning \\[.*\\]$/", [
      { id: "color", value: { mode: "fixed", fixedColor: "yellow" } },
    ]);
}
