import * as units from "@grafana/grafana-foundation-sdk/units";
import { CHANNEL, channelLimits, channelValues, withUnit } from "./channel-queries.ts";
import { ID, linkTo, WEB_COLUMN } from "./links.ts";
import type { PanelText } from "./panels.ts";
import { CHANNEL_KEY, withWeb } from "./sensor-queries.ts";
import { type Column, coloredFromOne, tablePanel } from "./table.ts";

const LABELS = `${CHANNEL}, probe, group, device, sensor, channel, unit`;
const LIMITS = [
  ["max_error", "Error above"],
  ["max_warning", "Warning above"],
  ["min_warning", "Warning below"],
  ["min_error", "Error below"],
] as const;

export interface ChannelTableOptions extends PanelText {
  /** Matchers that choose channels. */
  readonly channels: string;
  /** Whether lines say which device they belong to. */
  readonly severalDevices: boolean;
}

/** A line per channel: value, unit, state, limits, and how many of them it is beyond. */
export function channelTable({ channels, severalDevices, ...panel }: ChannelTableOptions) {
  const values = channelValues(channels);
  const numbers: Partial<Column> = { unit: units.LocaleFormat, pixels: 120 };
  return tablePanel({
    ...panel,
    queries: [
      withWeb(`max by (${LABELS}) (${withUnit(values)})`),
      ...LIMITS.map(([limit]) => `max by (${LABELS}) (${withUnit(channelLimits(`${channels},limit="${limit}"`))})`),
      `sum by (${CHANNEL}) (
        max by (${CHANNEL}, limit) (
          prtg_channel_limit_exceeded{job=~"$job",server=~"$server"} and on (${CHANNEL_KEY}) ${values}
        )
      )`,
      `max by (${CHANNEL}, state) (prtg_channel_state{${channels}})`,
    ],
    columns: [
      ...(severalDevices ? [{ from: "device", title: "Device" }] : []),
      { from: "sensor", title: "Sensor", properties: [linkTo("sensor")] },
      { from: "sensor_id", title: ID, pixels: 80, properties: [linkTo("sensor")] },
      { from: "channel", title: "Channel" },
      { ...numbers, from: "value 0", title: "Value" },
      { from: "unit", title: "Unit", pixels: 90 },
      { from: "state", title: "State" },
      ...LIMITS.map(([, title], index) => ({ ...numbers, from: `value ${index + 1}`, title })),
      {
        from: "value 5",
        title: "Beyond",
        unit: units.LocaleFormat,
        pixels: 85,
        properties: coloredFromOne("unusual"),
      },
      WEB_COLUMN,
    ],
    sortBy: { Sensor: "ascending" },
  });
}
