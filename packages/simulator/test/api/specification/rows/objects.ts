import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import type { World } from "../../../../src/world/model.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { disconnect, equals, finds, force, gets, ids, pause, query, type Row, row } from "../row.ts";
import { ID } from "../specified-world.ts";

const KINDS = [
  ["Probe", "probes", ID.probe],
  ["Group", "groups", ID.group],
  ["Device", "devices", ID.device],
  ["Sensor", "sensors", ID.up],
  ["Channel", "channels", ID.channel],
] as const;

/** In order of creation: the new lists have no `sort_by`. */
const FOUR = [ID.a, ID.b, ID.c, ID.d].join(" ");

const COUNT = expect.any(Number);

const SUMMARY = { sensor_status_summary: "true" };

function listed(world: World, kind: (typeof KINDS)[number][0]): readonly object[] {
  if (kind === "Channel") return ids(...world.channels().map(({ sensor, number }) => `${sensor.id}.${number}`));
  return ids(...world.list(kind.toLowerCase() as "group").map(({ id }) => id));
}

const ALARMS: readonly string[] = ["down", "partialdown", "acknowledged", "warning", "unusual"];

/** Section Status tokens. */
const STATUS_TOKENS = [
  ...(["none", "unknown", "collecting", "up", "warning", "down", "disconnected", "pausedbyuser"] as const),
  ...(["pausedbydependency", "pausedbyschedule", "unusual", "pausedbylicense", "pauseduntil"] as const),
  ...(["acknowledged", "partialdown"] as const),
];

const PARENTS: readonly (readonly [OperationId, path: string, parent: string, type: string])[] = [
  ["getProbe", `/probes/${ID.probe}`, "0", "REFERENCED_ROOT"],
  ["getGroup", `/groups/${ID.group}`, ID.probe, "REFERENCED_PROBE"],
  ["getDevice", `/devices/${ID.device}`, ID.group, "REFERENCED_GROUP"],
  ["getSensor", `/sensors/${ID.up}`, ID.device, "REFERENCED_DEVICE"],
  ["getChannel", `/channels/${ID.channel}`, ID.up, "REFERENCED_SENSOR"],
];

/** Sections Tree node response, Object, Probe, Group, Device, Sensor, Channel endpoints. */
export const OBJECTS: readonly Row[] = [
  ...KINDS.flatMap(([kind, plural, id]): readonly Row[] => [
    row(`get${kind}`, "a tree node: always href, id, kind, name", `/${plural}/${id}`, 200, {
      shows: { href: `/api/v2/${plural}/${id}`, id, kind: expect.any(String), name: expect.any(String) },
    }),
    row(`list${kind}s`, "an array of tree nodes", `/experimental/${plural}${query({ filter: `id = "${id}"` })}`, 200, {
      shows: [{ href: `/api/v2/${plural}/${id}`, id, kind: expect.any(String), name: expect.any(String) }],
    }),
    row(`list${kind}Info`, "an array of info records", `/${plural}${query({ filter: `id = "${id}"` })}`, 200, {
      shows: [{ id, name: expect.any(String) }],
    }),
    row(`get${kind}Overview`, "the info record of the list", `/${plural}/${id}/overview`, 200, {
      after: [equals(`/${plural}${query({ filter: `id = "${id}"` })}`, (list) => (list as readonly unknown[])[0])],
    }),
    ...(
      [
        [`list${kind}s`, `/experimental/${plural}`],
        [`list${kind}Info`, `/${plural}`],
      ] as const
    ).map(([operation, path]) =>
      row(operation, "all objects of the kind in order of creation", path, 200, {
        after: [({ simulator: { world }, received: { json } }) => expect(json).toMatchObject(listed(world, kind))],
      }),
    ),
    row(
      "listObjectInfo",
      `the records of /${plural}`,
      `/objects${query({ ...SUMMARY, filter: `type = ${kind.toLowerCase()}` })}`,
      200,
      {
        after: [equals(`/${plural}${query(SUMMARY)}`)],
      },
    ),
  ]),
  ...(["Probe", "Group", "Device"] as const).flatMap((kind): readonly Row[] => [
    row(
      `list${kind}Info`,
      "sensor_status_summary: the number of sensors per status",
      `/${kind.toLowerCase()}s?sensor_status_summary=true`,
      200,
      { shows: expect.arrayContaining([expect.objectContaining({ sensor_status_summary: expect.any(Object) })]) },
    ),
    row(`list${kind}Info`, "sensor_status_summary is false by default", `/${kind.toLowerCase()}s`, 200, {
      shows: expect.toSatisfy((list: readonly object[]) => list.every((one) => !("sensor_status_summary" in one))),
    }),
    row(
      `list${kind}Info`,
      "sensor_status_summary is a boolean",
      `/${kind.toLowerCase()}s?sensor_status_summary=1`,
      "400 BAD_REQUEST",
    ),
  ]),
  ...STATUS_TOKENS.map((status) =>
    row("getSensor", `the status token ${status}`, `/sensors/${ID.up}`, 200, {
      before: [force(ID.up, status)],
      shows: { status },
    }),
  ),
  ...PARENTS.map(([operation, path, parent, type]) =>
    row(operation, `references have id, type, name, href: ${type}`, path, 200, {
      shows: { parent: { id: parent, type, name: expect.any(String), href: expect.stringMatching(/^\/api\/v2\//) } },
    }),
  ),
  row("listObjects", "probes, groups, devices, sensors and channels", "/experimental/objects", 200, {
    shows: expect.arrayContaining(
      KINDS.map(([kind, plural, id]) =>
        expect.objectContaining({ id, type: kind.toLowerCase(), href: `/api/v2/${plural}/${id}` }),
      ),
    ),
  }),
  row("listObjectInfo", "an array of object info", "/objects?sensor_status_summary=true", 200, {
    shows: expect.arrayContaining(KINDS.map(([, , id]) => expect.objectContaining({ id }))),
  }),
  row("listObjectInfo", "everything, without the summary by default", "/objects?sort_by=-id", 200, {
    after: [
      equals("/experimental/objects", (list) =>
        (list as { id: string }[]).map(({ id }) => expect.objectContaining({ id })),
      ),
      ({ received }) => expect(received.text).not.toContain("sensor_status_summary"),
    ],
  }),
  row("listObjectInfo", "sensor_status_summary is a boolean", "/objects?sensor_status_summary=1", "400 BAD_REQUEST"),
  finds("listSensors", "/experimental/sensors", { sort_by: "-id", filter: `parentid = "${ID.four}"` }, FOUR),
  ...["colour", "tags", "name,,id"].map((sort_by) =>
    row("listSensorInfo", `no order by ${sort_by}`, `/sensors${query({ sort_by })}`, "400 BAD_REQUEST"),
  ),
  row("getGroupOverview", "the root is a group", "/groups/0/overview", 200, {
    shows: { id: "0", path: [{ id: "0" }] },
  }),
  row("getGroup", "the root is a group", "/groups/0", 200, { shows: { id: "0", href: "/api/v2/groups/0" } }),
  row("countObjects", "count of objects per kind", "/objects/count", 200, {
    shows: { probe: 2, group: COUNT, device: COUNT, sensor: COUNT, channel: COUNT },
  }),
  row("getProbeNetworkInfo", "the built-in probe is local", `/probes/${ID.probe}/info`, 200, {
    shows: {
      ...{ probe: { id: ID.probe, type: "REFERENCED_PROBE" }, local: true, connected: true, encrypted: false },
      ...{ ip_address: "127.0.0.1", port: 23_560, status_since: expect.any(String) },
    },
  }),
  row("getProbeNetworkInfo", "other probes are remote", `/probes/${ID.otherProbe}/info`, 200, {
    shows: {
      ...{ probe: { id: ID.otherProbe }, local: false, connected: true, encrypted: true },
      ip_address: expect.stringMatching(/^192\.0\.2\.([1-9]\d?|1\d\d|2[0-4]\d|25[0-4])$/),
    },
    after: [equals(`/probes/${ID.otherProbe}/info`)],
  }),
  row("getProbeNetworkInfo", "a probe without a connection", `/probes/${ID.otherProbe}/info`, 200, {
    before: [disconnect(ID.otherProbe)],
    shows: { connected: false },
  }),
  row("getProbeNetworkInfo", "a paused probe keeps its connection", `/probes/${ID.otherProbe}/info`, 200, {
    before: [pause(ID.otherProbe)],
    shows: { connected: true },
  }),
  row("getSensorStatusSummary", "summary of all sensor states", "/sensor-status-summary", 200, {
    shows: { down: COUNT },
  }),
  ...([ID.probe, ID.group, ID.device] as const).map((id) =>
    row("getSensorStatusSummaryOf", "ID of a probe, group or device", `/sensor-status-summary/${id}`, 200, {
      shows: { down: 1 },
    }),
  ),
  row("getSensorStatusSummaryOf", "a sensor has no summary", `/sensor-status-summary/${ID.up}`, "404 NOT_FOUND"),
  ...STATUS_TOKENS.map((status) =>
    row("listAlarms", `sensors that need attention: ${status}`, "/sensors/alarms", 200, {
      before: [force(ID.up, status)],
      after: [
        ({ received: { json } }) =>
          expect((json as { id: string }[]).some(({ id }) => id === ID.up)).toBe(ALARMS.includes(status)),
      ],
    }),
  ),
  ...["false", "true"].map((include_all_channels) => {
    const parameters = query({ filter: `id = "${ID.down}"`, include_all_channels });
    return row("listAlarms", `the records of /sensors: ${include_all_channels}`, `/sensors/alarms${parameters}`, 200, {
      after: [equals(`/sensors${parameters}`)],
    });
  }),
  ...(["/sensors", "/sensors/alarms"] as const).map((path) =>
    row(
      path === "/sensors" ? "listSensorInfo" : "listAlarms",
      "include_all_channels is false by default: the primary channel and the Downtime channel",
      `${path}${query({ filter: `id = "${ID.down}"` })}`,
      200,
      { shows: [{ channels: expect.toSatisfy((channels: readonly object[]) => channels.length === 2) }] },
    ),
  ),
  row(
    "listSensorInfo",
    "include_all_channels",
    `/sensors${query({ filter: `id = "${ID.down}"`, include_all_channels: "true" })}`,
    200,
    { shows: [{ channels: expect.toSatisfy((channels: readonly object[]) => channels.length > 2) }] },
  ),
  row("listSensorInfo", "include_all_channels is a boolean", "/sensors?include_all_channels=all", "400 BAD_REQUEST"),
  row(
    "getDevice",
    "the href of an object that the user has no permission on is restricted",
    `/devices/${ID.elsewhere}`,
    200,
    {
      bearer: CREDENTIALS.restrictedApiKey,
      shows: { parent: { id: ID.otherGroup, type: "REFERENCED_GROUP", name: expect.any(String), href: "restricted" } },
    },
  ),
  row("listDevices", "lists show what is visible to the user", "/experimental/devices", 200, {
    bearer: CREDENTIALS.restrictedApiKey,
    shows: [{ id: ID.elsewhere }],
  }),
  row(
    "none",
    "endpoints that were removed in 24.3.100",
    `/experimental/devices/${ID.device}/settings`,
    "404 NOT_FOUND",
    { method: "GET", after: [gets(`/experimental/sensors/${ID.up}/settings`, "404 NOT_FOUND")] },
  ),
  row("none", "requested action not implemented", `/sensors/${ID.up}`, "405 METHOD_NOT_IMPLEMENTED", {
    method: "PUT",
    headers: { allow: "GET" },
  }),
];
