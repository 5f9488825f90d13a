import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import type { Incident } from "../../../../src/world/model.ts";
import { does, earlierLocation, gets, newLocation, pass, type Row, sees } from "../row.ts";
import { ID } from "../world.ts";

const DEVICE = { basic: { name: "new", host: "10.9.9.9" } };
const GROUP = { basic: { name: "new" } };
const SENSOR = { basic: { name: "new" } };

/** Permanent. */
function disconnection(start: number): Incident {
  const effect = { kind: "status", status: "disconnected", message: undefined } as const;
  return { start, lengthMs: Number.POSITIVE_INFINITY, everyMs: Number.POSITIVE_INFINITY, times: 1, effect };
}

const CREATIONS: readonly (readonly [OperationId, path: string, body: object, kind: string])[] = [
  ["createProbeDevice", `/experimental/probes/${ID.probe}/device`, DEVICE, "devices"],
  ["createProbeGroup", `/experimental/probes/${ID.probe}/group`, GROUP, "groups"],
  ["createGroupDevice", `/experimental/groups/${ID.group}/device`, DEVICE, "devices"],
  ["createGroupGroup", `/experimental/groups/${ID.group}/group`, GROUP, "groups"],
  ["createSensor", `/experimental/devices/${ID.device}/sensor?kindid=ping`, SENSOR, "sensors"],
];

/** Create request, and the rule for creating endpoints. */
export const CREATION: readonly Row[] = [
  ...CREATIONS.flatMap(([operation, path, body, kind]): readonly Row[] => [
    {
      operation,
      rule: "201, an array with the record, Location with the URL of the new object",
      path,
      body,
      answers: 201,
      shows: [{ id: expect.stringMatching(/^\d+$/), name: "new" }],
      headers: { location: new RegExp(`^/api/v2/${kind}/\\d+$`) },
      after: [pass(2000), sees(newLocation, { name: "new" })],
    },
    {
      operation: kind === "devices" ? "getDevice" : kind === "groups" ? "getGroup" : "getSensor",
      rule: `202 with no body and Wait-For while it is not yet fully available (${operation})`,
      before: [does("POST", path, body)],
      path: earlierLocation,
      answers: 202,
      headers: { "wait-for": /^[1-9]\d*$/ },
      after: [pass(2000), gets(earlierLocation, 200)],
    },
    {
      operation,
      rule: "an unknown section",
      path,
      body: { ...body, colours: {} },
      answers: "400 BAD_REQUEST",
    },
    {
      operation,
      rule: "an unknown setting",
      path,
      body: { basic: { ...(body as typeof GROUP).basic, colour: "red" } },
      answers: "400 BAD_REQUEST",
    },
    {
      operation,
      rule: "numbers can be texts",
      path,
      body: { ...body, intervalgroup: { interval: "300" } },
      answers: 201,
      after: [
        pass(2000),
        sees((it) => `${newLocation(it)}?include=intervalgroup`, { intervalgroup: { interval: 300 } }),
      ],
    },
    {
      operation,
      rule: "an object to depend on that does not exist",
      path,
      body: { ...body, scheduledependency: { dependency: "999999" } },
      answers: "404 NOT_FOUND",
    },
  ]),
  ...CREATIONS.filter(([, , , kind]) => kind !== "sensors").flatMap(([operation, path, , kind]): readonly Row[] => [
    { operation, rule: "at least basic with name", path, body: { basic: { host: "h" } }, answers: "400 BAD_REQUEST" },
    ...(kind === "devices"
      ? [
          {
            operation,
            rule: "at least basic with name and host",
            path,
            body: GROUP,
            answers: "400 BAD_REQUEST",
          } as const,
        ]
      : []),
  ]),
  {
    operation: "createSensor",
    rule: "kindid is required",
    path: `/experimental/devices/${ID.device}/sensor`,
    body: SENSOR,
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "createSensor",
    rule: "an unknown kind",
    path: `/experimental/devices/${ID.device}/sensor?kindid=nothing`,
    body: SENSOR,
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "createSensor",
    rule: "impossible while the probe is disconnected",
    before: [(it) => it.simulator.world.addIncident(ID.probe, disconnection(it.simulator.now()))],
    path: `/experimental/devices/${ID.device}/sensor?kindid=ping`,
    body: SENSOR,
    answers: "400 WRONG_NODE_STATUS",
  },
  {
    operation: "startMetascan",
    rule: "what could be monitored on the device",
    path: `/experimental/devices/${ID.device}/metascan?kindid=ping`,
    answers: 200,
    shows: expect.any(Array),
  },
  {
    operation: "startMetascan",
    rule: "impossible while the probe is disconnected",
    before: [(it) => it.simulator.world.addIncident(ID.probe, disconnection(it.simulator.now()))],
    path: `/experimental/devices/${ID.device}/metascan?kindid=ping`,
    answers: "400 WRONG_NODE_STATUS",
  },
  {
    operation: "startMetascan",
    rule: "an unknown kind",
    path: `/experimental/devices/${ID.device}/metascan?kindid=nothing`,
    answers: "400 BAD_REQUEST",
  },
];

const EDITS: readonly (readonly [OperationId, path: string, read: string])[] = [
  ["editGroup", `/experimental/groups/${ID.group}`, `/groups/${ID.group}`],
  ["editDevice", `/devices/${ID.device}`, `/devices/${ID.device}`],
  ["editSensor", `/experimental/sensors/${ID.up}`, `/sensors/${ID.up}`],
];

/** Settings request. */
export const EDITING: readonly Row[] = EDITS.flatMap(([operation, path, read]): readonly Row[] => [
  {
    operation,
    rule: "sections with the settings to change",
    path,
    body: { basic: { name: "renamed", tags: ["a"], priority: 5 }, intervalgroup: { interval: 30 } },
    answers: 204,
    after: [
      sees(`${read}?include=intervalgroup`, {
        name: "renamed",
        basic: { name: "renamed", tags: ["a"], priority: 5 },
        intervalgroup: { interval: 30 },
      }),
    ],
  },
  {
    operation,
    rule: "numbers can be texts",
    path,
    body: { basic: { priority: "4" }, intervalgroup: { interval: "300", errorintervalsdown: "2" } },
    answers: 204,
    after: [
      sees(`${read}?include=intervalgroup`, {
        basic: { priority: 4 },
        intervalgroup: { interval: 300, errorintervalsdown: 2 },
      }),
    ],
  },
  { operation, rule: "an unknown section", path, body: { colours: {} }, answers: "400 BAD_REQUEST" },
  { operation, rule: "an unknown setting", path, body: { basic: { colour: "red" } }, answers: "400 BAD_REQUEST" },
  { operation, rule: "a value of another type", path, body: { basic: { tags: "a" } }, answers: "400 BAD_REQUEST" },
  {
    operation,
    rule: "an interval that there is not",
    path,
    body: { intervalgroup: { interval: "61" } },
    answers: "400 BAD_REQUEST",
  },
  {
    operation,
    rule: "a referenced object that does not exist",
    path,
    body: { scheduledependency: { dependency: "999999" } },
    answers: "409 NOT_FOUND",
  },
]);

const DELETIONS: readonly (readonly [OperationId, path: string, below: readonly string[]])[] = [
  ["deleteProbe", `probes/${ID.probe}`, [`/groups/${ID.group}`, `/devices/${ID.device}`]],
  ["deleteGroup", `groups/${ID.group}`, [`/devices/${ID.device}`, `/devices/${ID.four}`]],
  ["deleteDevice", `devices/${ID.device}`, [`/sensors/${ID.up}`, `/channels/${ID.channel}`]],
  ["deleteSensor", `sensors/${ID.up}`, [`/channels/${ID.channel}`, `/channels/${ID.downtime}`]],
];

export const DELETION: readonly Row[] = [
  ...DELETIONS.map(
    ([operation, path, below]): Row => ({
      operation,
      rule: "deletes it with all that is below",
      path: `/experimental/${path}`,
      answers: 204,
      after: [`/${path}`, ...below].map((gone) => gets(gone, "404 NOT_FOUND")),
    }),
  ),
  { operation: "deleteGroup", rule: "the root stays", path: "/experimental/groups/0", answers: "400 BAD_REQUEST" },
];
