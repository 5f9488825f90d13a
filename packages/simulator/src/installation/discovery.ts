import type { SimDevice, SimNode, World } from "../world/model.ts";
import { below, mix } from "../world/noise.ts";
import { SENSOR_KINDS } from "../world/sensors/sensor-kinds.ts";
import { deviceTemplate } from "./device-catalog.ts";
import {
  type DiscoveryJob,
  type DiscoveryRun,
  isRunning,
  type JobDraft,
  lastRun,
  nextRunAt,
  SCHEDULE_INTERVAL_MS,
} from "./discovery-job.ts";

/** What jobs need of the world. */
export interface DiscoveryWorld {
  readonly seed: number;
  node(id: string): SimNode | undefined;
  addDevice(parentId: string, name: string, at: number): SimDevice;
  addSensor(deviceId: string, name: string, at: number, type?: string): unknown;
}

/** Older runs are forgotten. */
const RUNS_KEPT = 50;
const JOB_IDS = 700;
const MINUTE_MS = 60_000;
const DEVICES_A_MINUTE = 20;
const MAX_MINUTES = 10;
const MAX_NEW_DEVICES = 4;

/** Auto-discovery takes some minutes. Started by hand it adds a few devices; by schedule it adds none. */
export class Discovery {
  readonly #world: DiscoveryWorld;
  readonly #jobs = new Map<string, DiscoveryJob>();
  #lastJobId = JOB_IDS;
  #lastRunId = 0;
  /** Nothing happens before this time. */
  #nextEventAt = Number.POSITIVE_INFINITY;

  constructor(world: DiscoveryWorld) {
    this.#world = world;
  }

  /** Jobs of objects that still exist, by ascending id. */
  jobs(): readonly DiscoveryJob[] {
    return [...this.#jobs.values()].filter((job) => this.#exists(job));
  }

  job(id: string): DiscoveryJob | undefined {
    const job = this.#jobs.get(id);
    return job !== undefined && this.#exists(job) ? job : undefined;
  }

  create(parent: SimNode, draft: JobDraft, at: number): DiscoveryJob {
    const id = String(++this.#lastJobId);
    const job: DiscoveryJob = { ...draft, id, parent, createdAt: at, scheduledSince: at, runs: [] };
    this.#jobs.set(job.id, job);
    this.#nextEventAt = at;
    return job;
  }

  edit(job: DiscoveryJob, changes: Partial<JobDraft>, now: number): void {
    this.advance(now);
    if (changes.schedule !== undefined && changes.schedule !== job.schedule) job.scheduledSince = now;
    Object.assign(job, changes);
    this.#nextEventAt = now;
  }

  /** A run that is under way ends without a result. */
  delete(job: DiscoveryJob): void {
    this.#jobs.delete(job.id);
  }

  /** Begins a run. The caller has made sure that none is under way. */
  start(job: DiscoveryJob, now: number): DiscoveryRun {
    return this.#begin(job, now, "manual");
  }

  /** Does what is due: starts runs by schedule, and adds the devices that ended runs have found. */
  advance(now: number): void {
    if (now < this.#nextEventAt) return;
    for (const job of this.jobs()) {
      this.#runBySchedule(job, now);
      for (const run of job.runs) if (!run.isFinished && run.endsAt <= now) this.#finish(job, run);
    }
    this.#nextEventAt = Math.min(...this.jobs().map((job) => nextEvent(job, now)));
  }

  #runBySchedule(job: DiscoveryJob, now: number): void {
    const every = SCHEDULE_INTERVAL_MS[job.schedule];
    if (every === undefined) return;
    const begin = job.scheduledSince;
    const done = Math.max(begin, lastRun(job)?.startedAt ?? begin);
    const due = Math.floor((now - begin) / every);
    const first = Math.floor((done - begin) / every) + 1;
    for (let turn = Math.max(first, due - RUNS_KEPT + 1); turn <= due; turn++) {
      const at = begin + turn * every;
      if (!isRunning(lastRun(job), at)) this.#begin(job, at, "schedule");
    }
  }

  #begin(job: DiscoveryJob, at: number, trigger: DiscoveryRun["trigger"]): DiscoveryRun {
    const known = countDevices(job.parent);
    const id = ++this.#lastRunId;
    const searches = trigger === "manual" && job.parent.kind !== "device";
    const newDevices = searches ? below(mix(this.#world.seed, Number(job.id)), id, MAX_NEW_DEVICES + 1) : 0;
    const minutes = Math.min(MAX_MINUTES, 2 + Math.floor(known / DEVICES_A_MINUTE));
    const endsAt = at + minutes * MINUTE_MS;
    const run = { startedAt: at, endsAt, trigger, found: known + newDevices, newDevices, added: [], isFinished: false };
    const made: DiscoveryRun = { ...run, id: String(id) };
    job.runs.push(made);
    if (job.runs.length > RUNS_KEPT) job.runs.shift();
    this.#nextEventAt = Math.min(this.#nextEventAt, endsAt);
    return made;
  }

  #finish(job: DiscoveryJob, run: DiscoveryRun): void {
    run.isFinished = true;
    for (let number = 1; number <= run.newDevices; number++) {
      const name = `discovered-${run.id}-${number}`;
      const device = this.#world.addDevice(job.parent.id, name, run.endsAt);
      device.discoveryJobId = job.id;
      for (const type of sensorTypes(job)) {
        this.#world.addSensor(device.id, SENSOR_KINDS.get(type)?.typeName ?? type, run.endsAt, type);
      }
      run.added.push(device.id);
    }
  }

  #exists({ parent }: DiscoveryJob): boolean {
    return this.#world.node(parent.id) === parent;
  }
}

/** What the first template of the job puts on a device; without one, a ping. */
function sensorTypes({ templates: [first] }: DiscoveryJob): readonly string[] {
  const kinds = first === undefined ? undefined : deviceTemplate(first)?.sensorKinds;
  return (kinds ?? ["ping"]).filter((type) => SENSOR_KINDS.has(type));
}

function countDevices(node: SimNode): number {
  if (node.kind === "device") return 1;
  return node.children.reduce((sum, child) => sum + countDevices(child), 0);
}

/** When something next happens to a job by itself. */
function nextEvent(job: DiscoveryJob, now: number): number {
  const ends = job.runs.filter(({ isFinished }) => !isFinished).map(({ endsAt }) => endsAt);
  return Math.min(nextRunAt(job, now) ?? Number.POSITIVE_INFINITY, ...ends);
}

const DAY_MS = 86_400_000;

/** Jobs that have been there for a while: one on a group of each probe, and one on a single device. */
export function seedJobs(discovery: Discovery, world: World, now: number): void {
  const [first, second] = world.list("group").filter(({ children }) => children.some(({ kind }) => kind === "device"));
  const device = world.list("device").at(-1);
  const templates = ["generic-snmp.odt", "generic-ping.odt"];
  if (first !== undefined) {
    const draft = { name: `Weekly sweep of ${first.name}`, schedule: "weekly", templates } as const;
    discovery.create(first, draft, Math.floor(now) - 33 * DAY_MS - 5_400_000);
  }
  if (second !== undefined) {
    const draft = { name: "Nightly search", schedule: "daily", templates: [] } as const;
    discovery.create(second, draft, Math.floor(now) - 4 * DAY_MS - 47_000_000);
  }
  if (device !== undefined) {
    const draft = { name: `New sensors of ${device.name}`, schedule: "once", templates: ["generic-snmp.odt"] } as const;
    discovery.create(device, draft, Math.floor(now) - 12 * DAY_MS);
  }
  discovery.advance(now);
}
