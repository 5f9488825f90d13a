import type { SimLimits } from "../model.ts";
import type { Curve } from "./curves.ts";
import type { Trend } from "./trend.ts";
import type { Unit } from "./units.ts";

/** One channel of a sensor kind. */
export interface ChannelTemplate {
  /** `{n}` stands for the label of a repeated channel. */
  readonly name: string;
  /** The name on a German server, if it is known. */
  readonly german?: string;
  readonly unit: Unit;
  readonly curve: Curve;
  /** A fixed channel number, where the product has one; otherwise channels are counted up from `firstNumber`. */
  readonly number?: number;
  /** Limits in the display unit, set on the share of sensors that `SensorKind.limited` says. */
  readonly limits?: Readonly<SimLimits>;
  /** What the value can be at all. */
  readonly bounds?: readonly [low: number, high: number];
  /** Whole numbers only. */
  readonly whole?: true;
  /** Channels of one group are multiplied by the same factor when one of them runs out of its limits. */
  readonly group?: string;
}

/** Channels that come once per core, drive, port ... */
export interface RepeatedChannels {
  readonly templates: readonly ChannelTemplate[];
  /** By ordinal; left out: the ordinal itself. */
  readonly labels?: readonly string[];
  readonly max: number;
}

/** A kind of sensor, with everything that the world needs to build one. */
export interface SensorKind {
  readonly type: string;
  readonly typeName: string;
  /** Names of new sensors, in turn; `{n}` stands for the place among the sensors of the kind on the device. */
  readonly names: readonly [string, ...string[]];
  readonly tags: readonly string[];
  readonly firstNumber: 0 | 1;
  /** The first one is the primary channel. */
  readonly channels: readonly [ChannelTemplate, ...ChannelTemplate[]];
  readonly repeated?: RepeatedChannels;
  /** How many channels a sensor of this kind usually has, without Downtime. */
  readonly usual: readonly [number, number];
  /** Set on the sensor itself; without it the sensor inherits 60 s, or scans faster where the world wants it. */
  readonly intervalSeconds?: number;
  /** May scan every 10 s or 30 s. */
  readonly canBeFast?: true;
  /** Share of sensors with limits. */
  readonly limited: number;
  /** Message when the device does not answer. */
  readonly noAnswer: string;
  /** The channel at this index follows this line and takes the sensor's status along when it crosses its limits. */
  readonly trend?: { readonly channel: number; readonly line: Trend };
}

export const DOWNTIME_NUMBER = -4;

/** How many channels a sensor of the kind can have by nature, without Downtime. */
export function maxChannels(kind: SensorKind): number {
  return kind.channels.length + (kind.repeated === undefined ? 0 : kind.repeated.max * kind.repeated.templates.length);
}
