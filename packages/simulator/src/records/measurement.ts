import type { SimChannel, SimMeasurement } from "../world/model.ts";
import type { ChannelJson } from "./channel-json.ts";
import { channelReference } from "./references.ts";
import type { Rendering, Rounding } from "./rendering.ts";

/**
 * The member `last_measurement` of a channel with the comma before it, or nothing.
 * A channel that was never measured has `null` on live servers; nothing says that it is not left out, so the
 * specification's spelling leaves it out.
 */
export function renderMeasurement(text: ChannelJson, rendering: Rendering): string {
  const members = measurementMembers(text, rendering);
  if (members !== undefined) return `,"last_measurement":{${members}}`;
  return rendering.spelling.name === "live" ? ',"last_measurement":null' : "";
}

/** Undefined where never measured. The specification's spelling omits `display_value` of an empty scan. */
function measurementMembers(text: ChannelJson, rendering: Rendering): string | undefined {
  const { world, now, spelling, rounding } = rendering;
  const { channel } = text;
  const live = spelling.name === "live";
  const exact = world.lastMeasurement(channel, now);
  if (exact === undefined) return undefined;
  const { at, displayValue, value } = rounding === undefined ? exact : rounded(exact, rounding, channel.rawFactor);
  const timestamp = rendering.timestamp(rounding === undefined ? at : at + skew(channel.sensor.id));
  if (displayValue === null || value === null) {
    return live
      ? `"timestamp":${timestamp},"value":null,"display_value":null,"minimum":null,"maximum":null,"average":null`
      : `"timestamp":${timestamp},"value":null`;
  }
  const display = String(displayValue);
  const raw = value === displayValue ? display : String(value);
  // Live servers send a JSON number; clients that took it for a text broke, and the specification does not say.
  const shown = !live && channel.number % 2 === 1 ? `"${display}"` : display;
  const statistics = text.statistics.include(value);
  return `"timestamp":${timestamp},"value":${raw},"display_value":${shown},${statistics}${volume(text, displayValue)}`;
}

/** Channels that measure a rate also carry how much it came to; null was seen on channels that do not. */
function volume({ channel }: ChannelJson, displayValue: number): string {
  const rate = channel.unitType === "BYTES_BANDWIDTH";
  return rate ? `,"display_volume":${displayValue * channel.sensor.intervalSeconds}` : ',"display_volume":null';
}

function rounded(measurement: SimMeasurement, { digits }: Rounding, rawFactor: number): SimMeasurement {
  const { at, displayValue } = measurement;
  if (displayValue === null) return measurement;
  const shown = Number(displayValue.toFixed(digits));
  return { at, displayValue: shown, value: shown * rawFactor };
}

/** One second early or late, always the same for one sensor. */
function skew(sensorId: string): number {
  return Number(sensorId) % 2 === 0 ? 1000 : -1000;
}

/**
 * A channel measurement, JSON. The specification shows no fields, and says that "references to the corresponding channels" are
 * there. A client of live servers reads `last_measurement`, and `type` of `unit`, beside the
 * channel. Ours, by the specification: the reference, and beside it the fields of `last_measurement`, none of them where nothing
 * was measured yet.
 */
export function renderChannelData(channel: SimChannel, rendering: Rendering): string {
  const text = rendering.cache.ofChannel(channel);
  const reference = `"channel":${channelReference(channel, rendering.spelling.name)}`;
  if (rendering.spelling.name === "live") {
    return `{${reference}${renderMeasurement(text, rendering)},"unit":{"type":"${channel.unitType}"}}`;
  }
  const members = measurementMembers(text, rendering);
  return `{${reference}${members === undefined ? "" : `,${members}`}}`;
}
