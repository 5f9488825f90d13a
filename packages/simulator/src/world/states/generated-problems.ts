import type { SimStatus } from "../model.ts";
import type { ChannelNode, SensorNode, TreeNode } from "../nodes/nodes.ts";
import { lastFailure } from "../nodes/scan-times.ts";
import { between, mix, uniform } from "../noise.ts";
import { RANK, type StatusSpan, statusSpan } from "../scans/status-span.ts";
import { trendSalt } from "../sensors/curves.ts";
import { crossing, DAY_MS, type TrendCycle, trendCycle } from "../sensors/trend.ts";
import { addScannedIncidents } from "./incidents.ts";
import { lastEpisode, nextStart, recurrenceInDays } from "./recurrence.ts";

const WAITING = recurrenceInDays(4, 400, 0.02, 1.1, 0.2);
const CHRONIC = recurrenceInDays(5, 380, 5, 110, 0.1);
const OUTAGE = recurrenceInDays(6, 7, 2 / 1440, 30 / 1440, 1);
/** Some sensors are flakier than others. */
const SHORT_PROBLEMS = [0.6, 1, 1.5, 2.5, 4, 6, 10, 20].map((period) => recurrenceInDays(8, period, 0.4, 0.4, 1));
const MAX_SHORT_PROBLEM_MS = 0.4 * DAY_MS;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Adds the generated problems of a sensor: of each source the last span, whether or not it has ended. */
export function addGeneratedProblems(sensor: SensorNode, at: number, spans: StatusSpan[]): void {
  const { spreadIndex, salt } = sensor;
  if (sensor.neverScanned !== undefined) {
    spans.push(statusSpan({ start: -Infinity, end: Infinity, draw: 0 }, sensor.neverScanned, RANK.never));
  }
  if (sensor.hasRandomHalts)
    spans.push(statusSpan(lastEpisode(WAITING, spreadIndex, salt, at), "unknown", RANK.waiting));
  // What follows a line gets its warnings from there.
  const limited = sensor.spec.trend === undefined && hasLimits(sensor);
  spans.push(shortProblem(sensor, limited, at));
  if (limited) spans.push(statusSpan(lastEpisode(CHRONIC, spreadIndex, salt, at), "warning", RANK.chronic, true));
  const failure = lastFailure(sensor, at);
  if (failure !== undefined) {
    spans.push(statusSpan({ start: failure.at, end: failure.repeatedAt, draw: 0 }, "down", RANK.problem));
  }
  const followed = trendSpan(sensor, at);
  if (followed !== undefined) spans.push(followed);
  addScannedIncidents(sensor, at, spans);
}

/** A device that does not answer takes all its sensors down. */
export function outage(device: TreeNode, at: number): StatusSpan {
  return statusSpan(lastEpisode(OUTAGE, device.spreadIndex, device.salt, at), "down", RANK.outage);
}

export function nextOutage(device: TreeNode, at: number): number {
  return nextStart(OUTAGE, device.spreadIndex, device.salt, at);
}

function hasLimits({ channels }: SensorNode): boolean {
  return channels.some(({ limits }) => limits.maxWarning !== undefined || limits.minWarning !== undefined);
}

/** Shares of the kinds of short problems; the rest has no effect. */
const LIMITED_SHARES = { down: 0.2, downByLimit: 0.16, longDown: 0.006, warning: 0.4, unusual: 0.065 };
const OTHER_SHARES = { down: 0.5, downByLimit: 0, longDown: 0.008, warning: 0.1, unusual: 0.08 };

/** The last short problem of the sensor alone. */
function shortProblem(sensor: SensorNode, limited: boolean, at: number): StatusSpan {
  const recurrence = SHORT_PROBLEMS[sensor.salt % SHORT_PROBLEMS.length] ?? OUTAGE;
  const { start, draw } = lastEpisode(recurrence, sensor.spreadIndex, sensor.salt, at);
  const shares = limited ? LIMITED_SHARES : OTHER_SHARES;
  let rest = uniform(draw, 3);
  const happens = (share: number): boolean => {
    rest -= share;
    return rest < 0;
  };
  // A slow sensor would miss most of it. What has happened stays as it was when the interval changes.
  const minMs = 1200 * sensor.intervals[0].seconds;
  const lasting = (minLength: number, maxLength: number, status: SimStatus, byLimit = false): StatusSpan => {
    const length = Math.max(minMs, minLength + (maxLength - minLength) * uniform(draw, 4) ** 2);
    const end = start + Math.round(Math.min(length, MAX_SHORT_PROBLEM_MS));
    const rank = status === "down" ? RANK.problem : RANK.nuisance;
    return statusSpan({ start, end, draw }, status, rank, byLimit);
  };
  if (happens(shares.down)) return lasting(2 * MINUTE_MS, 40 * MINUTE_MS, "down");
  if (happens(shares.downByLimit)) return lasting(3 * MINUTE_MS, 45 * MINUTE_MS, "down", true);
  if (happens(shares.longDown)) {
    const whole = lasting(2 * HOUR_MS, 9 * HOUR_MS, "down");
    const noticed = start + Math.round(between(draw, 5, 10, 40)) * MINUTE_MS + minMs;
    if (at < noticed || noticed >= whole.end) return { ...whole, end: Math.min(noticed, whole.end) };
    return { ...whole, start: noticed, status: "acknowledged", message: "Working on it" };
  }
  if (happens(shares.warning)) return lasting(5 * MINUTE_MS, 5 * HOUR_MS, "warning", limited);
  // Only what follows a load can be unusually high: a certificate has the days it has.
  const follows = sensor.channels[0]?.template.limits?.maxWarning !== undefined;
  if (happens(shares.unusual) && follows) return lasting(HOUR_MS, 6 * HOUR_MS, "unusual");
  return statusSpan({ start, end: start, draw }, "up", 0);
}

/** A sensor whose main channel sinks below its limits; the states follow from where the line crosses them. */
function trendSpan(sensor: SensorNode, at: number): StatusSpan | undefined {
  const { trend } = sensor.spec;
  const channel = trend === undefined ? undefined : sensor.channels[trend.channel];
  if (trend === undefined || channel === undefined || channel.isDowntime) return undefined;
  const salt = trendSalt(sensor.salt, channel.ordinal);
  const cycle = trendCycle(trend.line, salt, at);
  const own = lastPhase(cycle, channel, at);
  return own ?? lastPhase(trendCycle(trend.line, salt, cycle.start - 1), channel, cycle.start - 1);
}

function lastPhase(cycle: TrendCycle, { limits }: ChannelNode, at: number): StatusSpan | undefined {
  const error = crossing(cycle, limits.minError);
  const warning = Math.min(crossing(cycle, limits.minWarning), error);
  const draw = mix(Math.floor(cycle.start / DAY_MS), 1);
  if (error < cycle.end && error <= at)
    return statusSpan({ start: error, end: cycle.end, draw }, "down", RANK.trend, true);
  if (warning < error && warning <= at)
    return statusSpan({ start: warning, end: error, draw }, "warning", RANK.trend, true);
  return undefined;
}
