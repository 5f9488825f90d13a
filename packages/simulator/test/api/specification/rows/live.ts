import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { gets, ids, pass, type Row, sees } from "../row.ts";
import { ID } from "../world.ts";

const TASKS = "/experimental/autodiscoverytasks";
const AS_TASK = `/experimental/probes/${ID.probe}/autodiscoverytask`;
const SINGULAR = `/experimental/sensor/${ID.up}`;
const DISCOVERIES: readonly (readonly [OperationId, path: string, id: string])[] = [
  ["startGroupAutodiscovery", `/experimental/groups/${ID.group}/autodiscovery`, ID.group],
  ["startDeviceAutodiscovery", `/experimental/devices/${ID.device}/autodiscovery`, ID.device],
];

const ROWS: readonly Omit<Row, "spelling">[] = [
  {
    operation: "cloneObjectAtStable",
    rule: "clones to the parent",
    path: `/objects/${ID.b}/clone`,
    body: { parent: ID.four },
    answers: 204,
    headers: { location: /^\/api\/v2\/sensors\/\d+$/ },
  },
  {
    operation: "editSensorAtSingular",
    rule: "changes the section basic",
    path: SINGULAR,
    body: { basic: { name: "renamed" } },
    answers: 204,
    after: [sees(`/sensors/${ID.up}`, { name: "renamed" })],
  },
  {
    operation: "editSensorAtSingular",
    rule: "takes no other section",
    path: SINGULAR,
    body: { intervalgroup: { interval: 300 } },
    answers: "501 METHOD_NOT_IMPLEMENTED",
  },
  {
    operation: "listAutodiscoveryJobsAsTasks",
    rule: "the jobs",
    path: TASKS,
    answers: 200,
    shows: ids("701", "702", "703"),
  },
  { operation: "getAutodiscoveryJobAsTask", rule: "one job", path: `${TASKS}/701`, answers: 200, shows: { id: "701" } },
  { operation: "startAutodiscoveryJobAsTask", rule: "starts the job", path: `${TASKS}/701/start`, answers: 204 },
  {
    operation: "startAutodiscoveryJobAsTask",
    rule: "impossible for the current status: it is running",
    before: [(it) => it.send("POST", `${TASKS}/701/start`)],
    path: `${TASKS}/701/start`,
    answers: "400 WRONG_NODE_STATUS",
  },
  {
    operation: "createProbeAutodiscoveryJobAsTask",
    rule: "201, an array with the job",
    path: AS_TASK,
    body: { basic: { name: "new" } },
    answers: 201,
    shows: [{ name: "new" }],
  },
  ...DISCOVERIES.flatMap(([operation, path, id]): readonly Omit<Row, "spelling">[] => [
    { operation, rule: "starts an auto-discovery", path, answers: 204, after: [gets(`${TASKS}/704`, 200)] },
    {
      operation,
      rule: "impossible for the current status: it is paused",
      before: [(it) => it.simulator.world.pause(id, it.simulator.now())],
      path,
      answers: "400 WRONG_NODE_STATUS",
    },
  ]),
  {
    operation: "listFeatureFlags",
    rule: "flags",
    path: "/experimental/featureflags",
    answers: 200,
    shows: expect.any(Array),
  },
  { operation: "getAssistantStatus", rule: "how it is", path: "/experimental/ai/status", answers: 200 },
  { operation: "startAssistantAnalysis", rule: "there is none", path: "/experimental/ai/analyze", answers: 200 },
  {
    operation: "startMetascan",
    rule: "what a sensor of the kind could monitor",
    before: [pass(1000)],
    path: `/experimental/devices/${ID.device}/metascan?kind=snmplinuxdiskfree`,
    body: {},
    answers: 201,
  },
];

/** Found by clients, not in the specification. */
export const LIVE: readonly Row[] = ROWS.map((row) => ({ ...row, spelling: "live" }));
