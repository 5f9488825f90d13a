import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { does, gets, ids, pass, type Row, sees } from "../row.ts";
import { ID } from "../world.ts";

const JOBS = "/experimental/autodiscoveryjobs";
const CREATIONS: readonly (readonly [OperationId, path: string, parent: string])[] = [
  ["createProbeAutodiscoveryJob", `/experimental/probes/${ID.probe}/autodiscoveryjob`, ID.probe],
  ["createGroupAutodiscoveryJob", `/experimental/groups/${ID.group}/autodiscoveryjob`, ID.group],
  ["createDeviceAutodiscoveryJob", `/experimental/devices/${ID.device}/autodiscoveryjob`, ID.device],
];

export const AUTODISCOVERY: readonly Row[] = [
  {
    operation: "listAutodiscoveries",
    rule: "auto-discovery info",
    path: "/autodiscoveries",
    answers: 200,
    shows: expect.any(Array),
  },
  { operation: "listAutodiscoveryJobs", rule: "the jobs", path: JOBS, answers: 200, shows: ids("701", "702", "703") },
  { operation: "getAutodiscoveryJob", rule: "one job", path: `${JOBS}/701`, answers: 200, shows: { id: "701" } },
  {
    operation: "listAutodiscoveryJobHistory",
    rule: "runs of the job",
    path: `${JOBS}/701/history`,
    answers: 200,
    shows: expect.any(Array),
  },
  {
    operation: "listAutodiscoveryHistory",
    rule: "runs of all jobs",
    path: `${JOBS}/history`,
    answers: 200,
    shows: expect.any(Array),
  },
  {
    operation: "editAutodiscoveryJob",
    rule: "changes the job",
    path: `${JOBS}/701`,
    body: { basic: { name: "mine" }, autodiscovery: { schedule: "hourly" } },
    answers: 204,
    after: [sees(`${JOBS}/701`, { name: "mine", autodiscovery: { schedule: "hourly" } })],
  },
  {
    operation: "editAutodiscoveryJob",
    rule: "no such schedule",
    path: `${JOBS}/701`,
    body: { autodiscovery: { schedule: "yearly" } },
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "editAutodiscoveryJob",
    rule: "a referenced template that does not exist",
    path: `${JOBS}/701`,
    body: { autodiscovery: { devicetemplates: ["nothing.odt"] } },
    answers: "409 NOT_FOUND",
  },
  {
    operation: "deleteAutodiscoveryJob",
    rule: "deletes the job",
    path: `${JOBS}/701`,
    answers: 204,
    after: [gets(`${JOBS}/701`, "404 NOT_FOUND")],
  },
  {
    operation: "startAutodiscoveryJob",
    rule: "starts the job",
    path: `${JOBS}/701/start`,
    answers: 204,
    after: [
      sees(`${JOBS}/701`, { status: "running" }),
      pass(600_000),
      sees(`${JOBS}/701`, { status: "idle", last_run: { trigger: "manual", status: "finished" } }),
    ],
  },
  {
    operation: "startAutodiscoveryJob",
    rule: "impossible for the current status: it is running",
    before: [does("POST", `${JOBS}/701/start`)],
    path: `${JOBS}/701/start`,
    answers: "400 WRONG_NODE_STATUS",
  },
  ...CREATIONS.flatMap(([operation, path, parent]): readonly Row[] => [
    {
      operation,
      rule: "201, an array with the job, Location with its URL",
      path,
      body: { basic: { name: "new" } },
      answers: 201,
      shows: [{ name: "new", parent: { id: parent } }],
      headers: { location: `/api/v2${JOBS}/704` },
      after: [sees(`${JOBS}/704`, { name: "new", status: "idle" })],
    },
    {
      operation,
      rule: "no such schedule",
      path,
      body: { autodiscovery: { schedule: "yearly" } },
      answers: "400 BAD_REQUEST",
    },
    {
      operation,
      rule: "a template that does not exist",
      path,
      body: { autodiscovery: { devicetemplates: ["nothing.odt"] } },
      answers: "404 NOT_FOUND",
    },
  ]),
];
