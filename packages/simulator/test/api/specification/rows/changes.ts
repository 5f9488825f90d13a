import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { disconnect, does, earlierLocation, gets, ids, newLocation, pass, query, type Row, row, sees } from "../row.ts";
import { ID } from "../specified-world.ts";

const DEVICE = { basic: { name: "new", host: "10.9.9.9" } };
const GROUP = { basic: { name: "new" } };
const SENSOR = { basic: { name: "new" } };

const GROUPS = 7;
const DEVICES = 10;

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
    row(operation, "201, an array with the record, Location with the URL of the new object", path, 201, {
      body,
      shows: [{ id: expect.stringMatching(/^\d+$/), name: "new" }],
      headers: { location: new RegExp(`^/api/v2/${kind}/\\d+$`) },
      after: [pass(2000), sees(newLocation, { name: "new" })],
    }),
    row(
      kind === "devices" ? "getDevice" : kind === "groups" ? "getGroup" : "getSensor",
      `202 with no body and Wait-For while it is not yet fully available (${operation})`,
      earlierLocation,
      202,
      {
        before: [does("POST", path, body)],
        headers: { "wait-for": /^[1-9]\d*$/ },
        after: [pass(2000), gets(earlierLocation, 200)],
      },
    ),
    row(operation, "an unknown section", path, "400 BAD_REQUEST", { body: { ...body, colours: {} } }),
    row(operation, "an unknown setting", path, "400 BAD_REQUEST", {
      body: { basic: { ...(body as typeof GROUP).basic, colour: "red" } },
    }),
    row(operation, "numbers can be texts", path, 201, {
      body: { ...body, intervalgroup: { interval: "300" } },
      after: [
        pass(2000),
        sees((it) => `${newLocation(it)}?include=intervalgroup`, { intervalgroup: { interval: 300 } }),
      ],
    }),
    row(operation, "an object to depend on that does not exist", path, "404 NOT_FOUND", {
      body: { ...body, scheduledependency: { dependency: "999999" } },
    }),
  ]),
  ...CREATIONS.filter(([, , , kind]) => kind !== "sensors").flatMap(([operation, path, , kind]): readonly Row[] => [
    row(operation, "at least basic with name", path, "400 BAD_REQUEST", { body: { basic: { host: "h" } } }),
    ...(kind === "devices"
      ? [row(operation, "at least basic with name and host", path, "400 BAD_REQUEST", { body: GROUP })]
      : []),
  ]),
  row("createSensor", "kindid is required", `/experimental/devices/${ID.device}/sensor`, "400 BAD_REQUEST", {
    body: SENSOR,
  }),
  row(
    "createSensor",
    "an unknown kind",
    `/experimental/devices/${ID.device}/sensor?kindid=nothing`,
    "400 BAD_REQUEST",
    { body: SENSOR },
  ),
  row(
    "createSensor",
    "impossible while the probe is disconnected",
    `/experimental/devices/${ID.device}/sensor?kindid=ping`,
    "400 WRONG_NODE_STATUS",
    { before: [disconnect(ID.probe)], body: SENSOR },
  ),
  row(
    "startMetascan",
    "what could be monitored on the device",
    `/experimental/devices/${ID.device}/metascan?kindid=ping`,
    200,
    { shows: expect.any(Array) },
  ),
  row(
    "startMetascan",
    "impossible while the probe is disconnected",
    `/experimental/devices/${ID.device}/metascan?kindid=ping`,
    "400 WRONG_NODE_STATUS",
    { before: [disconnect(ID.probe)] },
  ),
  row("createGroupGroup", "a group beside the probes", "/experimental/groups/0/group", "400 BAD_REQUEST", {
    body: GROUP,
    shows: { message: "A root (0) cannot hold a group" },
    after: [pass(5000), sees("/objects/count", { group: GROUPS })],
  }),
  row(
    "createGroupDevice",
    "a late refusal creates nothing: a dependency on the future parent",
    `/experimental/groups/${ID.group}/device`,
    "400 BAD_REQUEST",
    {
      body: { ...DEVICE, scheduledependency: { dependency: ID.group } },
      after: [pass(5000), sees("/objects/count", { device: DEVICES })],
    },
  ),
  row("getDevice", "it will not be visible to the user", earlierLocation, "404 NOT_FOUND", {
    before: [does("POST", `/experimental/groups/${ID.group}/device`, DEVICE)],
    bearer: CREDENTIALS.restrictedApiKey,
  }),
  row(
    "startMetascan",
    "an unknown kind",
    `/experimental/devices/${ID.device}/metascan?kindid=nothing`,
    "400 BAD_REQUEST",
  ),
];

const EDITS: readonly (readonly [OperationId, path: string, read: string])[] = [
  ["editGroup", `/experimental/groups/${ID.group}`, `/groups/${ID.group}`],
  ["editDevice", `/devices/${ID.device}`, `/devices/${ID.device}`],
  ["editSensor", `/experimental/sensors/${ID.up}`, `/sensors/${ID.up}`],
];

const REFUSED: readonly (readonly [rule: string, body: object, message: string])[] = [
  ["a read-only section", { path: {} }, "The body must not have path"],
  [
    "a setting that follows from others",
    { basic: { parenttags: ["x"] } },
    "The body at /basic must not have parenttags",
  ],
  [
    "the source of inheritance",
    { intervalgroup: { _inheritancesource: {} } },
    "The body at /intervalgroup must not have _inheritancesource",
  ],
  ["an empty name", { basic: { name: "  " } }, "The body at /basic/name must not be empty"],
  ["a name that is a number", { basic: { name: 7 } }, "The body at /basic/name must be"],
  ["tags that are numbers", { basic: { tags: ["a", 1] } }, "The body at /basic/tags"],
  ["a part of a priority", { basic: { priority: 2.5 } }, "The body at /basic/priority must be"],
  [
    "an interval that is not offered",
    { intervalgroup: { interval: 61 } },
    "The body at /intervalgroup/interval must be one of 10, 30, 60, 300, 600, 900, 1800, 3600, 14400, 21600, 43200, 86400",
  ],
  ["null", { intervalgroup: { interval: null } }, "The body at /intervalgroup/interval must be"],
  [
    "a dependency without an object",
    { scheduledependency: { dependencytype: 1 } },
    "The body at /scheduledependency/dependency is required with the dependencytype 1",
  ],
  [
    "an object without a dependency",
    { scheduledependency: { dependencytype: 0, dependency: "1" } },
    "The body at /scheduledependency/dependency needs the dependencytype 1",
  ],
  ["a slash in a name", { "a/b~c": {} }, "The body must not have a/b~c"],
];

const EDITING_OF_DEVICES: readonly Row[] = [
  ...REFUSED.map(([rule, body, message]) =>
    row("editDevice", rule, `/devices/${ID.device}`, "400 BAD_REQUEST", {
      body,
      shows: { message: expect.stringContaining(message) },
    }),
  ),
  row("editDevice", "one invalid setting cancels the whole request", `/devices/${ID.device}`, "400 BAD_REQUEST", {
    body: { basic: { name: "changed" }, scheduledependency: { dependency: ID.up } },
    after: [sees(`/devices/${ID.device}`, { name: "Known device" })],
  }),
  row("editGroup", "the root inherits nothing", "/experimental/groups/0", "400 BAD_REQUEST", {
    body: { intervalgroup: { _inherited: true } },
  }),
  ...[{}, { basic: {} }, { intervalgroup: {} }].map((body) =>
    row("editDevice", `an edit without changes: ${JSON.stringify(body)}`, `/devices/${ID.device}`, 204, {
      body,
      after: [sees(`/devices/${ID.device}?include=*`, { intervalgroup: { _inherited: true } })],
    }),
  ),
  row("editDevice", "addresses, which filters find", `/devices/${ID.device}`, 204, {
    body: { basic: { host: "srv.example.net", hostv6: "fd00::7", ipversion: 1 } },
    after: [
      sees(`/devices/${ID.device}`, { basic: { host: "srv.example.net", hostv6: "fd00::7", ipversion: 1 } }),
      ...['basic.host = "srv.example.net"', 'basic.hostv6 = "fd00::7"'].map((filter) =>
        sees(`/experimental/devices${query({ filter })}`, ids(ID.device)),
      ),
    ],
  }),
];

const EDITING_OF_ALL: readonly Row[] = EDITS.flatMap(([operation, path, read]): readonly Row[] => [
  row(operation, "sections with the settings to change", path, 204, {
    body: { basic: { name: "renamed", tags: ["a"], priority: 5 }, intervalgroup: { interval: 30 } },
    after: [
      sees(`${read}?include=intervalgroup`, {
        name: "renamed",
        basic: { name: "renamed", tags: ["a"], priority: 5 },
        intervalgroup: { interval: 30 },
      }),
    ],
  }),
  row(operation, "numbers can be texts", path, 204, {
    body: { basic: { priority: "4" }, intervalgroup: { interval: "300", errorintervalsdown: "2" } },
    after: [
      sees(`${read}?include=intervalgroup`, {
        basic: { priority: 4 },
        intervalgroup: { interval: 300, errorintervalsdown: 2 },
      }),
    ],
  }),
  row(operation, "an unknown section", path, "400 BAD_REQUEST", { body: { colours: {} } }),
  row(operation, "an unknown setting", path, "400 BAD_REQUEST", { body: { basic: { colour: "red" } } }),
  row(operation, "a value of another type", path, "400 BAD_REQUEST", { body: { basic: { tags: "a" } } }),
  row(operation, "an interval that there is not", path, "400 BAD_REQUEST", {
    body: { intervalgroup: { interval: "61" } },
  }),
  row(operation, "a referenced object that does not exist", path, "409 NOT_FOUND", {
    body: { scheduledependency: { dependency: "999999" } },
  }),
]);

/** Settings request. */
export const EDITING: readonly Row[] = [...EDITING_OF_ALL, ...EDITING_OF_DEVICES];

const DELETIONS: readonly (readonly [OperationId, path: string, below: readonly string[]])[] = [
  ["deleteProbe", `probes/${ID.probe}`, [`/groups/${ID.group}`, `/devices/${ID.device}`]],
  ["deleteGroup", `groups/${ID.group}`, [`/devices/${ID.device}`, `/devices/${ID.four}`]],
  ["deleteDevice", `devices/${ID.device}`, [`/sensors/${ID.up}`, `/channels/${ID.channel}`]],
  ["deleteSensor", `sensors/${ID.up}`, [`/channels/${ID.channel}`, `/channels/${ID.downtime}`]],
];

export const DELETION: readonly Row[] = [
  ...DELETIONS.map(([operation, path, below]) =>
    row(operation, "deletes it with all that is below", `/experimental/${path}`, 204, {
      after: [`/${path}`, ...below].map((gone) => gets(gone, "404 NOT_FOUND")),
    }),
  ),
  row("deleteGroup", "the root stays", "/experimental/groups/0", "400 BAD_REQUEST"),
];
