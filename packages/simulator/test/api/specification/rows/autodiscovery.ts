import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { does, gets, ids, pass, type Row, row, sees } from "../row.ts";
import { ID } from "../world.ts";

const JOBS = "/experimental/autodiscoveryjobs";
const CREATIONS: readonly (readonly [OperationId, path: string, parent: string])[] = [
  ["createProbeAutodiscoveryJob", `/experimental/probes/${ID.probe}/autodiscoveryjob`, ID.probe],
  ["createGroupAutodiscoveryJob", `/experimental/groups/${ID.group}/autodiscoveryjob`, ID.group],
  ["createDeviceAutodiscoveryJob", `/experimental/devices/${ID.device}/autodiscoveryjob`, ID.device],
];

export const AUTODISCOVERY: readonly Row[] = [
  row("listAutodiscoveries", "auto-discovery info", "/autodiscoveries", 200, { shows: expect.any(Array) }),
  row("listAutodiscoveryJobs", "the jobs", JOBS, 200, { shows: ids("701", "702", "703") }),
  row("getAutodiscoveryJob", "one job", `${JOBS}/701`, 200, { shows: { id: "701" } }),
  row("listAutodiscoveryJobHistory", "runs of the job", `${JOBS}/701/history`, 200, { shows: expect.any(Array) }),
  row("listAutodiscoveryHistory", "runs of all jobs", `${JOBS}/history`, 200, { shows: expect.any(Array) }),
  row("editAutodiscoveryJob", "changes the job", `${JOBS}/701`, 204, {
    body: { basic: { name: "mine" }, autodiscovery: { schedule: "hourly" } },
    after: [sees(`${JOBS}/701`, { name: "mine", autodiscovery: { schedule: "hourly" } })],
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
  ...CREATIONS.flatMap(([operation, path, parent]): readonly Row[] => [
    row(operation, "201, an array with the job, Location with its URL", path, 201, {
      body: { basic: { name: "new" } },
      shows: [{ name: "new", parent: { id: parent } }],
      headers: { location: `/api/v2${JOBS}/704` },
      after: [sees(`${JOBS}/704`, { name: "new", status: "idle" })],
    }),
    row(operation, "no such schedule", path, "400 BAD_REQUEST", { body: { autodiscovery: { schedule: "yearly" } } }),
    row(operation, "a template that does not exist", path, "404 NOT_FOUND", {
      body: { autodiscovery: { devicetemplates: ["nothing.odt"] } },
    }),
  ]),
];
