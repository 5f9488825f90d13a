import { below, between, mix, smooth, uniform } from "../noise.ts";
import { load, type Rhythm } from "./activity.ts";
import { DAY_MS, type Trend, trendLevel } from "./trend.ts";

/** One scan of one channel, as a curve sees it. */
export interface Scan {
  /** Milliseconds since the epoch. */
  at: number;
  /** The sensor's own; curves of one sensor that name the same driver move together. */
  salt: number;
  /** Offset of the sensor's local time in milliseconds. */
  zone: number;
  intervalSeconds: number;
  /** 0 for a channel that exists once; 1, 2 ... for cores, drives, ports. */
  ordinal: number;
}

/** Display value of a channel at a scan; a pure function of the scan. */
export type Curve = (scan: Scan) => number;

type Range = readonly [number, number];

export interface RangeOptions {
  /** Idle level, drawn once per sensor. */
  readonly low: Range;
  /** Level at full load, drawn once per sensor. */
  readonly high: Range;
  readonly rhythm?: Rhythm;
  /** Curves with the same number move together; each repeated channel has drivers of its own. */
  readonly driver?: number;
}

function driverSalt(scan: Scan, driver: number): number {
  return mix(scan.salt, driver + 64 * scan.ordinal);
}

/** Follows the load in a straight line between the two levels. */
export function range({ low, high, rhythm = "office", driver = 0 }: RangeOptions): Curve {
  return (scan) => {
    const salt = driverSalt(scan, driver);
    const from = between(salt, 1, low[0], low[1]);
    const to = between(salt, 2, high[0], high[1]);
    return from + (to - from) * load(rhythm, salt, scan.at, scan.zone);
  };
}

/** Follows the load over orders of magnitude: traffic, disk rates. Levels are above zero. */
export function rate({ low, high, rhythm = "office", driver = 0 }: RangeOptions): Curve {
  return (scan) => {
    const salt = driverSalt(scan, driver);
    const from = low[0] * (low[1] / low[0]) ** uniform(salt, 1);
    const to = high[0] * (high[1] / high[0]) ** uniform(salt, 2);
    return from * (to / from) ** load(rhythm, salt, scan.at, scan.zone);
  };
}

/** Mbit/s as a byte counter gives it: whole bytes per interval. One link in seven is idle but for keep-alive frames. */
export function octets(link: Curve, driver = 0): Curve {
  return (scan) => {
    const seconds = scan.intervalSeconds;
    const idle = uniform(mix(scan.salt, driver), 7) < 1 / 7;
    const bytes = idle ? 64 * Math.ceil(seconds / 6) : Math.round((link(scan) * 1e6 * seconds) / 8);
    return (bytes * 8) / 1e6 / seconds;
  };
}

/** Drawn once per sensor and driver. */
export function fixed(low: number, high: number, driver = 0): Curve {
  return (scan) => between(driverSalt(scan, driver), 3, low, high);
}

/** One of the values, drawn once per sensor and driver. */
export function oneOf(values: readonly [number, ...number[]], driver = 0): Curve {
  return (scan) => values[below(driverSalt(scan, driver), 4, values.length)] ?? values[0];
}

const BURST_MS = 20 * 60_000;

/** A count that is 0 but for bursts: in a share of all 20-minute windows some scans bring 1 to `max`. */
export function bursts(share: number, max: number, driver = 0): Curve {
  return (scan) => {
    const salt = driverSalt(scan, driver);
    const window = Math.floor(scan.at / BURST_MS);
    if (uniform(salt ^ 0xb0057, window) >= share) return 0;
    const second = Math.floor(scan.at / 1000);
    return uniform(salt, second) < 0.4 ? 0 : 1 + below(~salt, second, Math.max(1, max * uniform(salt, window)));
  };
}

/** Nearly always the first code, now and then for hours another one. None may be a reason for an alarm. */
export function mostly(usual: number, others: readonly number[], share: number, driver = 0): Curve {
  return (scan) => {
    const salt = driverSalt(scan, driver);
    const window = Math.floor(scan.at / (6 * 3_600_000));
    if (uniform(salt ^ 0x57a7e, window) >= share) return usual;
    return others[below(salt, window, others.length)] ?? usual;
  };
}

/** Swings evenly around zero within `width`, over some hours: clock offsets. */
export function drift(width: number, driver = 0): Curve {
  return (scan) => {
    const salt = driverSalt(scan, driver);
    const jitter = uniform(~salt, Math.floor(scan.at / 1000)) - 0.5;
    return width * (smooth(salt, scan.at / (5 * 3_600_000)) - 0.5 + 0.1 * jitter);
  };
}

/** Days since the last restart; restarts come every `low` to `high` days. */
export function uptimeDays(low: number, high: number, driver = 0): Curve {
  return (scan) => {
    const salt = driverSalt(scan, driver);
    const cycle = between(salt, 5, low, high) * DAY_MS;
    const phase = uniform(salt, 6) * cycle;
    return ((((scan.at - phase) % cycle) + cycle) % cycle) / DAY_MS;
  };
}

/** Hours since a job that runs once a night, between midnight and 05:00 local time. */
export function hoursSinceNightlyJob(driver = 0): Curve {
  return (scan) => {
    const ranAt = uniform(driverSalt(scan, driver), 7) * 5;
    const hours = ((scan.at + scan.zone) % DAY_MS) / 3_600_000 - ranAt;
    return (hours + 24) % 24;
  };
}

/** A counter that grows by `perDay` a day, drawn once per sensor, and faster when busy: pages, kilowatt hours. */
export function meter(perDay: Range, driver = 0): Curve {
  return (scan) => {
    const salt = driverSalt(scan, driver);
    const day = Math.floor(scan.at / DAY_MS);
    const part = scan.at / DAY_MS - day;
    // Half of a day's sum falls into its middle third, and nothing is lost at midnight.
    const shaped =
      part < 1 / 3 ? part * 0.75 : part < 2 / 3 ? 0.25 + (part - 1 / 3) * 1.5 : 0.75 + (part - 2 / 3) * 0.75;
    return between(salt, 5, perDay[0], perDay[1]) * (day - 18_000 - below(salt, 6, 800) + shaped);
  };
}

/** Falls until it is reset, see Trend; `salt` is the sensor's, so that states can follow the same line. */
export function falling(trend: Trend): Curve {
  return (scan) => trendLevel(trend, trendSalt(scan.salt, scan.ordinal), scan.at);
}

export function trendSalt(sensorSalt: number, ordinal: number): number {
  return mix(sensorSalt, 0x7e4d + ordinal);
}

export function whole(curve: Curve): Curve {
  return (scan) => Math.round(curve(scan));
}

/** Down to the last whole number, as counters of days are. */
export function floored(curve: Curve): Curve {
  return (scan) => Math.floor(curve(scan));
}

export function plus(left: Curve, right: Curve): Curve {
  return (scan) => left(scan) + right(scan);
}

export function product(left: Curve, right: Curve): Curve {
  return (scan) => left(scan) * right(scan);
}

export function times(curve: Curve, factor: number): Curve {
  return (scan) => curve(scan) * factor;
}

/** `share` percent of `total`. */
export function percentOf(total: Curve, share: Curve): Curve {
  return (scan) => (total(scan) * share(scan)) / 100;
}

/** `part` in percent of `total`. */
export function asPercent(part: Curve, total: Curve): Curve {
  return (scan) => (100 * part(scan)) / total(scan);
}

/** The curve of the sensor itself, whatever repeated channel asks. */
export function shared(curve: Curve): Curve {
  return asOrdinal(curve, 0);
}

/** The curve as the repeated channel with this ordinal would have it. */
export function asOrdinal(curve: Curve, ordinal: number): Curve {
  return (scan) => {
    const own = scan.ordinal;
    scan.ordinal = ordinal;
    const value = curve(scan);
    scan.ordinal = own;
    return value;
  };
}

const HOUR_MS = 3_600_000;
const STEP_MS = HOUR_MS / 2;

/** Changes every half hour by day and stays from 18:00 to 06:00 local time, as the free space of a disk does. */
export function held(curve: Curve): Curve {
  return (scan) => {
    const { at, zone } = scan;
    const evening = Math.floor((at + zone - 6 * HOUR_MS) / DAY_MS) * DAY_MS + 18 * HOUR_MS;
    scan.at = Math.min(evening, Math.floor((at + zone) / STEP_MS) * STEP_MS) - zone;
    const value = curve(scan);
    scan.at = at;
    return value;
  };
}

/** Four decimals, as servers store them: not always the nearest number, so that 4.1149 can be 4.1149000000000004. */
export function decimals(curve: Curve): Curve {
  return (scan) => Math.round(curve(scan) * 1e4) * 1e-4;
}

const PAGE_BYTES = 4096;

/** Whole pages of memory; `factor` is the size of the unit in bytes. */
export function pages(curve: Curve, factor: number): Curve {
  return (scan) => (Math.round((curve(scan) * factor) / PAGE_BYTES) * PAGE_BYTES) / factor;
}
