import { ApiError, notFound } from "../../api-errors.ts";
import { propertyTable } from "../../filter/vocabulary.ts";
import { deviceTemplate } from "../../installation/device-catalog.ts";
import {
  type DiscoveryJob,
  type DiscoveryRun,
  isRunning,
  type JobDraft,
  lastRun,
  progressOf,
} from "../../installation/discovery-job.ts";
import { jobHref, renderAutodiscovery, renderJob, renderRun } from "../../records/discovery.ts";
import type { SimNode } from "../../world/model.ts";
import type { RequestBody } from "../contract/types.ts";
import type { Call, Endpoint } from "../endpoint.ts";
import { pageOf, type RecordContext, recordScope, selectRecords } from "../lists.ts";
import { jsonReply, NO_CONTENT, type Reply } from "../reply.ts";
import { conflict } from "../request-objects.ts";

/** Auto-discoveries and their jobs. A user sees those of the objects that he sees. */
export const AUTODISCOVERY: readonly Endpoint[] = [
  { operation: "listAutodiscoveries", access: "bearer", handle: listAutodiscoveries },
  { operation: "listAutodiscoveryJobs", access: "bearer", handle: listJobs },
  { operation: "getAutodiscoveryJob", access: "bearer", handle: (call) => jsonReply(renderJob(jobOf(call), call)) },
  { operation: "editAutodiscoveryJob", access: "bearer", handle: edit },
  { operation: "deleteAutodiscoveryJob", access: "bearer", handle: remove },
  { operation: "listAutodiscoveryJobHistory", access: "bearer", handle: (call) => listRuns(call, [jobOf(call)]) },
  { operation: "listAutodiscoveryHistory", access: "bearer", handle: (call) => listRuns(call, visibleJobs(call)) },
  { operation: "startAutodiscoveryJob", access: "bearer", handle: start },
  { operation: "listAutodiscoveryJobsAsTasks", access: "bearer", handle: listJobs },
  {
    operation: "getAutodiscoveryJobAsTask",
    access: "bearer",
    handle: (call) => jsonReply(renderJob(jobOf(call), call)),
  },
  { operation: "startAutodiscoveryJobAsTask", access: "bearer", handle: start },
  { operation: "startGroupAutodiscovery", access: "bearer", handle: (call) => startOnce(call, "group") },
  { operation: "startDeviceAutodiscovery", access: "bearer", handle: (call) => startOnce(call, "device") },
  { operation: "createProbeAutodiscoveryJobAsTask", access: "bearer", handle: (call) => create(call, "probe") },
  { operation: "createProbeAutodiscoveryJob", access: "bearer", handle: (call) => create(call, "probe") },
  { operation: "createGroupAutodiscoveryJob", access: "bearer", handle: (call) => create(call, "group") },
  { operation: "createDeviceAutodiscoveryJob", access: "bearer", handle: (call) => create(call, "device") },
];

const JOB_PROPERTIES = propertyTable<DiscoveryJob, RecordContext>({
  id: (job) => job.id,
  name: (job) => job.name,
  kind: () => "autodiscoveryjob",
  // The specification's types have no word for a job.
  type: () => undefined,
  parentid: (job) => job.parent.id,
  active: (job, { now }) => isRunning(lastRun(job), now),
  autodiscoveryactive: (job, { now }) => isRunning(lastRun(job), now),
  autodiscoveryprogress: (job, { now }) => {
    const run = lastRun(job);
    return run === undefined ? undefined : progressOf(run, now);
  },
  "autodiscoveryjobgroup.discojobid": (job) => job.id,
});

/** What is under way, and of each job the last that was. */
function listAutodiscoveries(call: Call): Reply {
  const begun = visibleJobs(call).filter(({ runs }) => runs.length > 0);
  const scope = recordScope(call, JOB_PROPERTIES);
  return selectRecords(call, [begun], { scope, sortable: true }, (job) => renderAutodiscovery(job, call));
}

function listJobs(call: Call): Reply {
  const scope = recordScope(call, JOB_PROPERTIES);
  return selectRecords(call, [visibleJobs(call)], { scope, sortable: false }, (job) => renderJob(job, call));
}

/** The latest run first. */
function listRuns(call: Call, jobs: readonly DiscoveryJob[]): Reply {
  const runs = jobs.flatMap((job) => job.runs.map((run): [DiscoveryJob, DiscoveryRun] => [job, run]));
  runs.sort(([, left], [, right]) => right.startedAt - left.startedAt || Number(right.id) - Number(left.id));
  return pageOf(call, [runs], ([job, run]) => renderRun(job, run, call));
}

async function create(call: Call, kind: "probe" | "group" | "device"): Promise<Reply> {
  const parent = parentOf(call, kind);
  const changes = await readDraft(call, notFound);
  const { name = `Auto-discovery of ${parent.name}`, schedule = "once", templates = [] } = changes;
  const job = call.installation.discovery.create(parent, { name, schedule, templates }, call.now);
  return jsonReply(`[${renderJob(job, call)}]`, { status: 201, headers: { Location: jobHref(job) } });
}

/** "409: referenced object in a PATCH request does not exist", the job itself included. */
async function edit(call: Call): Promise<Reply> {
  const job = visibleJobs(call).find(({ id }) => id === call.params.id);
  if (job === undefined) throw conflict(`There is no auto-discovery job ${call.params.id}`);
  call.installation.discovery.edit(job, await readDraft(call, conflict), call.now);
  return NO_CONTENT;
}

function remove(call: Call): Reply {
  call.installation.discovery.delete(jobOf(call));
  return NO_CONTENT;
}

function start(call: Call): Reply {
  const job = jobOf(call);
  if (isRunning(lastRun(job), call.now)) throw wrongStatus("The auto-discovery is running already");
  checkReachable(job.parent, call);
  call.installation.discovery.start(job, call.now);
  return NO_CONTENT;
}

/** Leaves a job behind that shows what came of it: ours. */
function startOnce(call: Call, kind: "group" | "device"): Reply {
  const parent = parentOf(call, kind);
  checkReachable(parent, call);
  const { discovery } = call.installation;
  const draft = { name: `Auto-discovery of ${parent.name}`, schedule: "once", templates: [] } as const;
  discovery.start(discovery.create(parent, draft, call.now), call.now);
  return NO_CONTENT;
}

function checkReachable(node: SimNode, { rendering, now }: Call): void {
  const { status } = rendering.world.state(node, now);
  if (status === "disconnected" || status.startsWith("paused")) throw wrongStatus(`The object is ${status}`);
}

function visibleJobs({ installation, visible }: Call): readonly DiscoveryJob[] {
  return installation.discovery.jobs().filter(({ parent }) => visible.node(parent.id) !== undefined);
}

function jobOf(call: Call): DiscoveryJob {
  const job = visibleJobs(call).find(({ id }) => id === call.params.id);
  if (job === undefined) throw notFound();
  return job;
}

/** The root is a group in every other respect, but belongs to no probe that could look around. */
function parentOf({ visible, params }: Call, kind: "probe" | "group" | "device"): SimNode {
  const node = visible.node(params.id ?? "");
  if (node?.kind !== kind) throw notFound();
  return node;
}

function wrongStatus(message: string): ApiError {
  return new ApiError("WRONG_NODE_STATUS", message);
}

/** @param gone makes the refusal of a template that does not exist */
async function readDraft(call: Call, gone: (message: string) => ApiError): Promise<Partial<JobDraft>> {
  const { basic = {}, autodiscovery = {} } =
    await call.readBody<RequestBody<"createGroupAutodiscoveryJob" | "editAutodiscoveryJob">>();
  const { schedule, devicetemplates: templates } = autodiscovery;
  for (const id of templates ?? []) {
    if (deviceTemplate(id) === undefined) throw gone(`There is no device template ${id}`);
  }
  return {
    ...basic,
    ...(schedule === undefined ? {} : { schedule }),
    ...(templates === undefined ? {} : { templates }),
  };
}
