import type { SimStatus } from "../model.ts";
import type { ChannelNode, SensorNode } from "../nodes/nodes.ts";
import { mix, smooth, uniform } from "../noise.ts";
import { type LimitName, limitOfZone, statusOfZone, zoneOf } from "./limits.ts";
import type { StatusSpan, ValueOverride } from "./status-span.ts";

/** The result of a scan: the status of the sensor, and which channel is the reason. */
export interface ScanResult {
  readonly status: SimStatus;
  readonly message: string | undefined;
  /** Nothing answered: channels measure null. */
  readonly empty: boolean;
  /** The channel that measures something of its own, mostly out of a limit, and its value. */
  readonly abnormalChannel: ChannelNode | undefined;
  readonly limit: LimitName | undefined;
  readonly value: number;
  /** Channels that move together with the abnormalChannel, or with the primary channel of an unusual sensor, are multiplied. */
  readonly group: string | undefined;
  readonly factor: number;
}

export const NORMAL_RESULT: ScanResult = {
  status: "up",
  message: undefined,
  empty: false,
  abnormalChannel: undefined,
  limit: undefined,
  value: 0,
  group: undefined,
  factor: 1,
};

const UNUSUAL_FACTOR = 1.6;

/** The result of a scan, made from the span of the highest rank at its time. */
export function scanResultOf(sensor: SensorNode, found: StatusSpan | undefined, at: number): ScanResult {
  if (found === undefined) return NORMAL_RESULT;
  const { status, message, byLimit, draw, valueOverride } = found;
  if (valueOverride !== undefined) return resultOfOverride(valueOverride, at);
  switch (status) {
    case "down":
    case "acknowledged":
    case "warning": {
      const names: readonly LimitName[] =
        status === "warning" ? ["maxWarning", "minWarning"] : ["maxError", "minError"];
      const breach = byLimit ? breachOf(sensor, names, draw, at) : undefined;
      if (breach !== undefined) return { ...NORMAL_RESULT, status, message, ...breach };
      return { ...NORMAL_RESULT, status, message, empty: status !== "warning" };
    }
    case "unusual": {
      const primary = sensor.channels[0];
      return {
        ...NORMAL_RESULT,
        status,
        message,
        group: primary?.template.group ?? primary?.name,
        factor: UNUSUAL_FACTOR,
      };
    }
    default:
      return { ...NORMAL_RESULT, status, message };
  }
}

/** The status of a value that an incident set follows from the limits. */
function resultOfOverride({ channel, valueAt }: ValueOverride, at: number): ScanResult {
  const value = valueAt(at);
  const zone = zoneOf(channel.limits, value);
  return {
    ...NORMAL_RESULT,
    status: statusOfZone(zone),
    abnormalChannel: channel,
    limit: limitOfZone(zone),
    value,
    ...movement(channel, channel.template.curve(channel.scan(at)), value),
  };
}

function breachOf(
  sensor: SensorNode,
  names: readonly LimitName[],
  draw: number,
  at: number,
): Pick<ScanResult, "abnormalChannel" | "limit" | "value" | "group" | "factor"> | undefined {
  const candidates = sensor.channels.flatMap((channel) =>
    names.filter((name) => channel.limits[name] !== undefined).map((limit) => ({ channel, limit })),
  );
  const chosen = candidates[mix(draw, 0xc) % Math.max(1, candidates.length)];
  if (chosen === undefined) return undefined;
  const { channel, limit } = chosen;
  const natural = channel.template.curve(channel.scan(at));
  const value = valueBeyond(natural, channel, limit, excess(mix(sensor.salt, draw), at));
  return { abnormalChannel: channel, limit, value, ...movement(channel, natural, value) };
}

const EXCESS_SWELL_MS = 70 * 60_000;

/** How far a value goes beyond its limit, 0 to 1: rising and sinking over an hour or so, with a little jitter. */
function excess(salt: number, at: number): number {
  return 0.85 * smooth(salt, at / EXCESS_SWELL_MS) + 0.15 * uniform(salt, Math.floor(at / 1000));
}

/** How the channels that belong together with the abnormalChannel follow it. */
function movement({ template }: ChannelNode, natural: number, value: number): Pick<ScanResult, "group" | "factor"> {
  // A factor says nothing where values can be zero or below.
  return { group: template.group, factor: natural > 0 && value > 0 ? value / natural : 1 };
}

/** Moves a value beyond a limit, but not beyond the next one; `part` says how far, 0 to 1. A value that is there stays. */
function valueBeyond(natural: number, { limits, template }: ChannelNode, limit: LimitName, part: number): number {
  const bound = limits[limit] ?? 0;
  const upper = limit.startsWith("max");
  const next = limit === "maxWarning" ? limits.maxError : limit === "minWarning" ? limits.minError : undefined;
  const physical = upper ? template.bounds?.[1] : template.bounds?.[0];
  const usual = upper ? bound + 0.4 * Math.max(1, Math.abs(bound)) : bound - 0.5 * Math.max(1, Math.abs(bound));
  const far = next ?? (physical === undefined ? usual : upper ? Math.min(physical, usual) : Math.max(physical, usual));
  const beyond = upper ? natural > bound : natural < bound;
  const tooFar = next !== undefined && (upper ? natural > next : natural < next);
  const value = beyond && !tooFar ? natural : bound + (far - bound) * (0.15 + 0.7 * part);
  if (!template.whole) return value;
  // Rounding must not bring it back within the limit.
  return upper ? Math.max(Math.floor(bound) + 1, Math.round(value)) : Math.min(Math.ceil(bound) - 1, Math.round(value));
}
