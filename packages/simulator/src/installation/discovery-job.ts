import type { SimNode } from "../world/model.ts";

/** How often a job runs by itself. */
export const DISCOVERY_SCHEDULES = ["once", "hourly", "daily", "weekly"] as const;
export type DiscoverySchedule = (typeof DISCOVERY_SCHEDULES)[number];

const HOUR_MS = 3_600_000;

/** Undefined: it does not run by itself. */
export const SCHEDULE_INTERVAL_MS: Readonly<Record<DiscoverySchedule, number | undefined>> = {
  once: undefined,
  hourly: HOUR_MS,
  daily: 24 * HOUR_MS,
  weekly: 7 * 24 * HOUR_MS,
};

/** Looks for devices in the network of an object, or for sensors on a device. */
export interface DiscoveryJob {
  readonly id: string;
  /** A probe, group or device. */
  readonly parent: SimNode;
  name: string;
  schedule: DiscoverySchedule;
  /** Ids of device templates; none means that the fitting ones are chosen. */
  templates: readonly string[];
  /** Milliseconds since the epoch, as all times here. */
  readonly createdAt: number;
  /** Since when the schedule is the one it is. */
  scheduledSince: number;
  /** Oldest first. */
  readonly runs: DiscoveryRun[];
}

export interface DiscoveryRun {
  readonly id: string;
  readonly startedAt: number;
  /** When it is over. */
  readonly endsAt: number;
  readonly trigger: "manual" | "schedule";
  /** Devices that it comes across, the new ones included. */
  readonly found: number;
  /** Devices that were not there before, which it adds when it ends. */
  readonly newDevices: number;
  /** Ids of the devices that it has added. */
  readonly added: string[];
  isFinished: boolean;
}

export interface JobDraft {
  readonly name: string;
  readonly schedule: DiscoverySchedule;
  readonly templates: readonly string[];
}

export function lastRun(job: DiscoveryJob): DiscoveryRun | undefined {
  return job.runs.at(-1);
}

export function isRunning(run: DiscoveryRun | undefined, now: number): boolean {
  return run !== undefined && run.endsAt > now;
}

/** Per cent of a run that are done, rounded down. */
export function progressOf({ startedAt, endsAt }: DiscoveryRun, now: number): number {
  if (now >= endsAt) return 100;
  return Math.max(0, Math.floor((100 * (now - startedAt)) / (endsAt - startedAt)));
}

/** When the job runs next by itself; undefined where it does not. */
export function nextRunAt({ schedule, scheduledSince: since }: DiscoveryJob, now: number): number | undefined {
  const every = SCHEDULE_INTERVAL_MS[schedule];
  if (every === undefined) return undefined;
  return since + (Math.floor(Math.max(0, now - since) / every) + 1) * every;
}
