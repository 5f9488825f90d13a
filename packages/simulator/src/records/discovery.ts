import {
  type DiscoveryJob,
  type DiscoveryRun,
  isRunning,
  lastRun,
  nextRunAt,
  progressOf,
} from "../installation/discovery-job.ts";
import type { Rendering } from "./rendering.ts";
import { section, timestampOrNull } from "./values.ts";

/** A request that is answered with jobs. */
interface JobCall {
  readonly rendering: Rendering;
  /** Simulated time, milliseconds since the epoch. */
  readonly now: number;
}

/** Fields of the job family are not shown: ours, in the form of a tree node. */
export function renderJob(job: DiscoveryJob, { rendering, now }: JobCall): string {
  const run = lastRun(job);
  return JSON.stringify({
    id: job.id,
    name: job.name,
    href: jobHref(job),
    kind: "autodiscoveryjob",
    parent: JSON.parse(rendering.cache.of(job.parent).reference),
    status: isRunning(run, now) ? "running" : "idle",
    basic: section(rendering, { name: job.name }),
    autodiscovery: section(rendering, { schedule: job.schedule, devicetemplates: job.templates }),
    created_at: timestampOrNull(rendering, job.createdAt),
    next_run_at: timestampOrNull(rendering, nextRunAt(job, now)),
    last_run: run === undefined ? null : runRecord(job, run, { rendering, now }),
  });
}

export function renderRun(job: DiscoveryJob, run: DiscoveryRun, call: JobCall): string {
  return JSON.stringify(runRecord(job, run, call));
}

/** The auto-discovery of an object: the run under way, or the last one. */
export function renderAutodiscovery(job: DiscoveryJob, { rendering, now }: JobCall): string {
  const run = lastRun(job);
  return JSON.stringify({
    id: job.id,
    name: job.name,
    object: JSON.parse(rendering.cache.of(job.parent).reference),
    active: isRunning(run, now),
    progress: run === undefined ? 0 : progressOf(run, now),
    started_at: timestampOrNull(rendering, run?.startedAt),
    devices_found: run === undefined ? 0 : foundSoFar(run, now),
  });
}

export function jobHref(job: DiscoveryJob): string {
  return `/api/v2/experimental/autodiscoveryjobs/${job.id}`;
}

function runRecord(job: DiscoveryJob, run: DiscoveryRun, { rendering, now }: JobCall): object {
  const running = isRunning(run, now);
  return {
    id: run.id,
    job: { id: job.id, name: job.name, href: jobHref(job) },
    trigger: run.trigger,
    status: running ? "running" : "finished",
    progress: progressOf(run, now),
    started_at: timestampOrNull(rendering, run.startedAt),
    finished_at: running ? null : timestampOrNull(rendering, run.endsAt),
    devices_found: foundSoFar(run, now),
    devices_added: run.added.length,
  };
}

function foundSoFar(run: DiscoveryRun, now: number): number {
  return Math.floor((run.found * progressOf(run, now)) / 100);
}
