import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import {
  disconnect,
  does,
  earlierLocation,
  finds,
  gets,
  ids,
  newLocation,
  pass,
  pause,
  type Row,
  row,
  sees,
} from "../row.ts";
import { ID } from "../specified-world.ts";

const JOBS = "/experimental/autodiscoveryjobs";
const CREATIONS: readonly (readonly [OperationId, path: string, parent: string])[] = [
  ["createProbeAutodiscoveryJob", `/experimental/probes/${ID.probe}/autodiscoveryjob`, ID.probe],
  ["createGroupAutodiscoveryJob", `/experimental/groups/${ID.group}/autodiscoveryjob`, ID.group],
  ["createDeviceAutodiscoveryJob", `/experimental/devices/${ID.device}/autodiscoveryjob`, ID.device],
];

const NEW_JOB = does("POST", `/experimental/groups/${ID.group}/autodiscoveryjob`, {});
const { restrictedApiKey } = CREDENTIALS;

export const AUTODISCOVERY: readonly Row[] = [
  row("listAutodiscoveries", "auto-discovery info", "/autodiscoveries", 200, { shows: expect.any(Array) }),
  row("listAutodiscoveryJobs", "the jobs", JOBS, 200, { shows: ids("701", "702", "703") }),
  row("getAutodiscoveryJob", "one job", `${JOBS}/701`, 200, { shows: { id: "701" } }),
  row("getAutodiscoveryJob", "a job of the initial installation with its last run", `${JOBS}/701`, 200, {
    spelling: "live",
    shows: {
      ...{ name: expect.stringMatching(/^Weekly sweep of /), kind: "autodiscoveryjob", status: "idle" },
      ...{ href: `/api/v2${JOBS}/701`, parent: { type: "REFERENCED_GROUP" } },
      autodiscovery: { schedule: "weekly", devicetemplates: ["generic-snmp.odt", "generic-ping.odt"] },
      ...{ created_at: "2026-02-07T16:25:10Z", next_run_at: "2026-03-14T16:25:10Z" },
      last_run: {
        ...{ trigger: "schedule", status: "finished", progress: 100, devices_added: 0 },
        ...{ started_at: "2026-03-07T16:25:10Z", finished_at: "2026-03-07T16:27:10Z" },
      },
    },
  }),
  ...(
    [
      ['name = "Nightly search"', "702"],
      ["autodiscoveryactive = true", ""],
      ["autodiscoveryprogress = 100", "701 702"],
      ["autodiscoveryprogress = nil", "703"],
    ] as const
  ).map(([filter, found]) => finds("listAutodiscoveryJobs", JOBS, { filter }, found)),
  row("listAutodiscoveryJobs", "only jobs of visible objects", JOBS, 200, {
    before: [NEW_JOB, does("POST", `/experimental/devices/${ID.elsewhere}/autodiscoveryjob`, {})],
    bearer: restrictedApiKey,
    shows: ids("705"),
  }),
  row("getAutodiscoveryJob", "a job of an object that is not visible", earlierLocation, "404 NOT_FOUND", {
    before: [NEW_JOB],
    bearer: restrictedApiKey,
  }),
  row("deleteAutodiscoveryJob", "a job of an object that is not visible", earlierLocation, "404 NOT_FOUND", {
    before: [NEW_JOB],
    bearer: restrictedApiKey,
  }),
  row(
    "startAutodiscoveryJob",
    "a job of an object that is not visible",
    (it) => `${earlierLocation(it)}/start`,
    "404 NOT_FOUND",
    { before: [NEW_JOB], bearer: restrictedApiKey },
  ),
  row("listAutodiscoveryHistory", "only runs of visible objects", `${JOBS}/history`, 200, {
    bearer: restrictedApiKey,
    shows: [],
  }),
  row("listAutodiscoveryHistory", "has no filter", `${JOBS}/history?filter=nonsense`, 200),
  row("listAutodiscoveryHistory", "the latest run first", `${JOBS}/history`, 200, {
    shows: expect.toSatisfy((runs: readonly { readonly started_at: string }[]) => {
      const times = runs.map(({ started_at }) => started_at);
      return times.length === 8 && times.join() === times.toSorted().reverse().join();
    }),
  }),
  row("listAutodiscoveryJobHistory", "runs of the job", `${JOBS}/701/history`, 200, { shows: expect.any(Array) }),
  row("listAutodiscoveryHistory", "runs of all jobs", `${JOBS}/history`, 200, { shows: expect.any(Array) }),
  row("editAutodiscoveryJob", "changes the job", `${JOBS}/701`, 204, {
    body: { basic: { name: "mine" }, autodiscovery: { schedule: "hourly" } },
    after: [sees(`${JOBS}/701`, { name: "mine", autodiscovery: { schedule: "hourly" } })],
  }),
  row("editAutodiscoveryJob", "only the given settings; the schedule gives the next run", `${JOBS}/701`, 204, {
    spelling: "live",
    body: { autodiscovery: { schedule: "hourly" } },
    after: [
      sees(`${JOBS}/701`, {
        ...{ name: expect.stringMatching(/^Weekly sweep of /), next_run_at: "2026-03-12T18:55:10Z" },
        autodiscovery: { schedule: "hourly", devicetemplates: ["generic-snmp.odt", "generic-ping.odt"] },
      }),
    ],
  }),
  row("editAutodiscoveryJob", "no templates", `${JOBS}/701`, 204, {
    body: { autodiscovery: { devicetemplates: [] } },
    after: [sees(`${JOBS}/701`, { autodiscovery: { schedule: "weekly", devicetemplates: [] } })],
  }),
  row("editAutodiscoveryJob", "a schedule is a string", `${JOBS}/701`, "400 BAD_REQUEST", {
    body: { autodiscovery: { schedule: 5 } },
  }),
  row("editAutodiscoveryJob", "no such schedule", `${JOBS}/701`, "400 BAD_REQUEST", {
    body: { autodiscovery: { schedule: "yearly" } },
  }),
  row("editAutodiscoveryJob", "a referenced template that does not exist", `${JOBS}/701`, "409 NOT_FOUND", {
    body: { autodiscovery: { devicetemplates: ["nothing.odt"] } },
  }),
  row("deleteAutodiscoveryJob", "deletes the job", `${JOBS}/701`, 204, {
    after: [gets(`${JOBS}/701`, "404 NOT_FOUND")],
  }),
  row("startAutodiscoveryJob", "starts the job", `${JOBS}/701/start`, 204, {
    after: [
      sees(`${JOBS}/701`, { status: "running" }),
      pass(600_000),
      sees(`${JOBS}/701`, { status: "idle", last_run: { trigger: "manual", status: "finished" } }),
    ],
  }),
  row(
    "startAutodiscoveryJob",
    "impossible for the current status: it is running",
    `${JOBS}/701/start`,
    "400 WRONG_NODE_STATUS",
    { before: [does("POST", `${JOBS}/701/start`)] },
  ),
  ...(
    [
      ["paused", pause(ID.probe)],
      ["disconnected", disconnect(ID.probe)],
    ] as const
  ).map(([status, step]) =>
    row(
      "startAutodiscoveryJob",
      `its object is ${status}`,
      (it) => `${earlierLocation(it)}/start`,
      "400 WRONG_NODE_STATUS",
      { before: [does("POST", `/experimental/probes/${ID.probe}/autodiscoveryjob`, {}), step] },
    ),
  ),
  row(
    "createGroupAutodiscoveryJob",
    "the root has no probe",
    "/experimental/groups/0/autodiscoveryjob",
    "404 NOT_FOUND",
    {
      body: {},
    },
  ),
  ...[{ basic: { name: "" } }, { autodiscovery: { colour: "red" } }].map((body) =>
    row(
      "createGroupAutodiscoveryJob",
      `no such setting: ${JSON.stringify(body)}`,
      `/experimental/groups/${ID.group}/autodiscoveryjob`,
      "400 BAD_REQUEST",
      { body },
    ),
  ),
  ...CREATIONS.flatMap(([operation, path, parent]): readonly Row[] => [
    row(operation, "201, an array with the job, Location with its URL", path, 201, {
      body: { basic: { name: "new" } },
      shows: [{ name: "new", parent: { id: parent } }],
      headers: { location: `/api/v2${JOBS}/704` },
      after: [sees(`${JOBS}/704`, { name: "new", status: "idle" })],
    }),
    row(operation, "a name and one run without templates by default", path, 201, {
      body: {},
      shows: [{ name: expect.stringMatching(/^Auto-discovery of ./), next_run_at: null, last_run: null }],
      after: [sees(newLocation, { autodiscovery: { schedule: "once", devicetemplates: [] } })],
    }),
    row(operation, "no such schedule", path, "400 BAD_REQUEST", { body: { autodiscovery: { schedule: "yearly" } } }),
    row(operation, "a template that does not exist", path, "404 NOT_FOUND", {
      body: { autodiscovery: { devicetemplates: ["nothing.odt"] } },
    }),
  ]),
];
