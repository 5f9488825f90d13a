import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { force, gets, query, type Row } from "../row.ts";
import { ID } from "../world.ts";

const KINDS = [
  ["Probe", "probes", ID.probe],
  ["Group", "groups", ID.group],
  ["Device", "devices", ID.device],
  ["Sensor", "sensors", ID.up],
  ["Channel", "channels", ID.channel],
] as const;

const COUNT = expect.any(Number);

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
    {
      operation: `get${kind}` satisfies OperationId,
      rule: "a tree node: always href, id, kind, name",
      path: `/${plural}/${id}`,
      answers: 200,
      shows: { href: `/api/v2/${plural}/${id}`, id, kind: expect.any(String), name: expect.any(String) },
    },
    {
      operation: `list${kind}s` satisfies OperationId,
      rule: "an array of tree nodes",
      path: `/experimental/${plural}${query({ filter: `id = "${id}"` })}`,
      answers: 200,
      shows: [{ href: `/api/v2/${plural}/${id}`, id, kind: expect.any(String), name: expect.any(String) }],
    },
    {
      operation: `list${kind}Info` satisfies OperationId,
      rule: "an array of info records",
      path: `/${plural}${query({ filter: `id = "${id}"` })}`,
      answers: 200,
      shows: [{ id, name: expect.any(String) }],
    },
    {
      operation: `get${kind}Overview` satisfies OperationId,
      rule: "an info record",
      path: `/${plural}/${id}/overview`,
      answers: 200,
      shows: { id, name: expect.any(String) },
    },
  ]),
  ...(["Probe", "Group", "Device"] as const).flatMap((kind): readonly Row[] => [
    {
      operation: `list${kind}Info`,
      rule: "sensor_status_summary: the number of sensors per status",
      path: `/${kind.toLowerCase()}s?sensor_status_summary=true`,
      answers: 200,
      shows: expect.arrayContaining([expect.objectContaining({ sensor_status_summary: expect.any(Object) })]),
    },
    {
      operation: `list${kind}Info`,
      rule: "sensor_status_summary is false by default",
      path: `/${kind.toLowerCase()}s`,
      answers: 200,
      shows: expect.toSatisfy((list: readonly object[]) => list.every((one) => !("sensor_status_summary" in one))),
    },
    {
      operation: `list${kind}Info`,
      rule: "sensor_status_summary is a boolean",
      path: `/${kind.toLowerCase()}s?sensor_status_summary=1`,
      answers: "400 BAD_REQUEST",
    },
  ]),
  ...STATUS_TOKENS.map(
    (status): Row => ({
      operation: "getSensor",
      rule: `the status token ${status}`,
      before: [force(ID.up, status)],
      path: `/sensors/${ID.up}`,
      answers: 200,
      shows: { status },
    }),
  ),
  ...PARENTS.map(
    ([operation, path, parent, type]): Row => ({
      operation,
      rule: `references have id, type, name, href: ${type}`,
      path,
      answers: 200,
      shows: { parent: { id: parent, type, name: expect.any(String), href: expect.stringMatching(/^\/api\/v2\//) } },
    }),
  ),
  {
    operation: "listObjects",
    rule: "probes, groups, devices, sensors and channels",
    path: "/experimental/objects",
    answers: 200,
    shows: expect.arrayContaining(
      KINDS.map(([kind, plural, id]) =>
        expect.objectContaining({ id, type: kind.toLowerCase(), href: `/api/v2/${plural}/${id}` }),
      ),
    ),
  },
  {
    operation: "listObjectInfo",
    rule: "an array of object info",
    path: "/objects?sensor_status_summary=true",
    answers: 200,
    shows: expect.arrayContaining(KINDS.map(([, , id]) => expect.objectContaining({ id }))),
  },
  {
    operation: "countObjects",
    rule: "count of objects per kind",
    path: "/objects/count",
    answers: 200,
    shows: { probe: 2, group: COUNT, device: COUNT, sensor: COUNT, channel: COUNT },
  },
  {
    operation: "getProbeNetworkInfo",
    rule: "probe network info",
    path: `/probes/${ID.probe}/info`,
    answers: 200,
    shows: { probe: { id: ID.probe } },
  },
  {
    operation: "getSensorStatusSummary",
    rule: "summary of all sensor states",
    path: "/sensor-status-summary",
    answers: 200,
    shows: { down: COUNT },
  },
  ...([ID.probe, ID.group, ID.device] as const).map(
    (id): Row => ({
      operation: "getSensorStatusSummaryOf",
      rule: "ID of a probe, group or device",
      path: `/sensor-status-summary/${id}`,
      answers: 200,
      shows: { down: 1 },
    }),
  ),
  {
    operation: "getSensorStatusSummaryOf",
    rule: "a sensor has no summary",
    path: `/sensor-status-summary/${ID.up}`,
    answers: "404 NOT_FOUND",
  },
  {
    operation: "listAlarms",
    rule: "sensors that need attention",
    path: "/sensors/alarms",
    answers: 200,
    shows: expect.arrayContaining([expect.objectContaining({ id: ID.down })]),
  },
  ...(["/sensors", "/sensors/alarms"] as const).map(
    (path): Row => ({
      operation: path === "/sensors" ? "listSensorInfo" : "listAlarms",
      rule: "include_all_channels is false by default: the primary channel and the Downtime channel",
      path: `${path}${query({ filter: `id = "${ID.down}"` })}`,
      answers: 200,
      shows: [{ channels: expect.toSatisfy((channels: readonly object[]) => channels.length === 2) }],
    }),
  ),
  {
    operation: "listSensorInfo",
    rule: "include_all_channels",
    path: `/sensors${query({ filter: `id = "${ID.down}"`, include_all_channels: "true" })}`,
    answers: 200,
    shows: [{ channels: expect.toSatisfy((channels: readonly object[]) => channels.length > 2) }],
  },
  {
    operation: "listSensorInfo",
    rule: "include_all_channels is a boolean",
    path: "/sensors?include_all_channels=all",
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "getDevice",
    rule: "the href of an object that the user has no permission on is restricted",
    bearer: CREDENTIALS.restrictedApiKey,
    path: `/devices/${ID.elsewhere}`,
    answers: 200,
    shows: { parent: { id: ID.otherGroup, type: "REFERENCED_GROUP", name: expect.any(String), href: "restricted" } },
  },
  {
    operation: "listDevices",
    rule: "lists show what is visible to the user",
    bearer: CREDENTIALS.restrictedApiKey,
    path: "/experimental/devices",
    answers: 200,
    shows: [{ id: ID.elsewhere }],
  },
  {
    operation: "none",
    method: "GET",
    rule: "endpoints that were removed in 24.3.100",
    path: `/experimental/devices/${ID.device}/settings`,
    answers: "404 NOT_FOUND",
    after: [gets(`/experimental/sensors/${ID.up}/settings`, "404 NOT_FOUND")],
  },
  {
    operation: "none",
    method: "PUT",
    rule: "requested action not implemented",
    path: `/sensors/${ID.up}`,
    answers: "405 METHOD_NOT_IMPLEMENTED",
    headers: { allow: "GET" },
  },
];
