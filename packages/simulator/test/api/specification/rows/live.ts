import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { gets, ids, pass, pause, type Row, row, sees } from "../row.ts";
import { ID } from "../specified-world.ts";

const TASKS = "/experimental/autodiscoverytasks";
const AS_TASK = `/experimental/probes/${ID.probe}/autodiscoverytask`;
const SINGULAR = `/experimental/sensor/${ID.up}`;
const METASCAN = `/experimental/devices/${ID.device}/metascan`;
const DISCOVERIES: readonly (readonly [OperationId, path: string, id: string])[] = [
  ["startGroupAutodiscovery", `/experimental/groups/${ID.group}/autodiscovery`, ID.group],
  ["startDeviceAutodiscovery", `/experimental/devices/${ID.device}/autodiscovery`, ID.device],
];

const ROWS: readonly Omit<Row, "spelling">[] = [
  row("cloneObjectAtStable", "clones to the parent", `/objects/${ID.b}/clone`, 204, {
    body: { parent: ID.four },
    headers: { location: /^\/api\/v2\/sensors\/\d+$/ },
  }),
  row("editSensorAtSingular", "changes the section basic", SINGULAR, 204, {
    body: { basic: { name: "renamed" } },
    after: [sees(`/sensors/${ID.up}`, { name: "renamed" })],
  }),
  row("editSensorAtSingular", "takes no other section", SINGULAR, "501 METHOD_NOT_IMPLEMENTED", {
    body: { intervalgroup: { interval: 300 } },
  }),
  row("listAutodiscoveryJobsAsTasks", "the jobs", TASKS, 200, { shows: ids("701", "702", "703") }),
  row("getAutodiscoveryJobAsTask", "one job", `${TASKS}/701`, 200, { shows: { id: "701" } }),
  row("startAutodiscoveryJobAsTask", "starts the job", `${TASKS}/701/start`, 204),
  row(
    "startAutodiscoveryJobAsTask",
    "impossible for the current status: it is running",
    `${TASKS}/701/start`,
    "400 WRONG_NODE_STATUS",
    { before: [(it) => it.send("POST", `${TASKS}/701/start`)] },
  ),
  row("createProbeAutodiscoveryJobAsTask", "201, an array with the job", AS_TASK, 201, {
    body: { basic: { name: "new" } },
    shows: [{ name: "new" }],
  }),
  ...DISCOVERIES.flatMap(([operation, path, id]): readonly Omit<Row, "spelling">[] => [
    row(operation, "starts an auto-discovery", path, 204, { after: [gets(`${TASKS}/704`, 200)] }),
    row(operation, "impossible for the current status: it is paused", path, "400 WRONG_NODE_STATUS", {
      before: [pause(id)],
    }),
  ]),
  row("listFeatureFlags", "flags", "/experimental/featureflags", 200, { shows: expect.any(Array) }),
  row("getAssistantStatus", "how it is", "/experimental/ai/status", 200),
  row("startAssistantAnalysis", "there is none", "/experimental/ai/analyze", 200),
  row(
    "startMetascan",
    "what a sensor of the kind could monitor",
    `/experimental/devices/${ID.device}/metascan?kind=snmplinuxdiskfree`,
    201,
    { before: [pass(1000)], body: {} },
  ),
  row("startMetascan", "disks, with a description of each", `${METASCAN}?kind=snmplinuxdiskfree`, 201, {
    body: { params: { username: "x" } },
    shows: expect.toSatisfy(
      (items: readonly { readonly disk: string; readonly info: { readonly disk: string; readonly type: string } }[]) =>
        items.length > 0 && items.every(({ disk, info }) => info.disk === disk && typeof info.type === "string"),
    ),
  }),
  ...(
    [
      ["without a body", "?kind=snmplinuxdiskfree", undefined, /^EOF$/],
      ["of a kind that has nothing to choose", "?kind=ping", {}, /^sensor kind does not support metascan$/],
      ["of an unknown kind", "?kind=oracle", {}, /no kind of sensor oracle/],
      ["of no kind", "", {}, /no kind of sensor/],
      ["with the parameter of creations", "?kindid=snmplinuxdiskfree", {}, /no kind of sensor/],
      ["with a body that is no object", "?kind=snmplinuxdiskfree", [], /The body must be object/],
    ] as const
  ).map(([what, parameters, body, message]) =>
    row("startMetascan", `no scan ${what}`, `${METASCAN}${parameters}`, "400 BAD_REQUEST", {
      body,
      shows: { message: expect.stringMatching(message) },
    }),
  ),
];

/** Found by clients, not in the specification. */
export const LIVE: readonly Row[] = ROWS.map((row) => ({ ...row, spelling: "live" }));
