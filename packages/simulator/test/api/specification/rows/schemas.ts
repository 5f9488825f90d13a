import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { SENSOR_KINDS } from "../../../../src/world/sensors/sensor-kinds.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { query, type Row, row } from "../row.ts";
import { ID } from "../specified-world.ts";

const ajv = new Ajv2020({ strict: false });
const HINTS = [
  ...["CredentialsMissing", "ProbeIsDisconnected", "SensorNeedsLocalProbe"],
  ...["SensorNeedsLocalProbeDevice", "SensorNeedsProbeDevice", "MissingCredentialGroup"],
];
const TEXT_OR_NULL = expect.toSatisfy((value) => value === null || typeof value === "string");

/** Section Schema endpoints, Creatable-kind list item, Creatable-type list item. */
export const SCHEMAS: readonly Row[] = [
  ...["device", "group", "user", "ping"].map((kind) =>
    row("getSchema", `of a ${kind}; purpose is read by default`, `/schemas/${kind}`, 200, {
      shows: { kind, purpose: "read" },
    }),
  ),
  ...["update", "read"].map((purpose) =>
    row("getSchema", `purpose ${purpose}`, `/schemas/device?purpose=${purpose}`, 200, { shows: { purpose } }),
  ),
  row(
    "getSchema",
    "purpose create with the parent",
    `/schemas/device${query({ purpose: "create", parent: ID.group })}`,
    200,
    { shows: { purpose: "create" } },
  ),
  ...(
    [
      ["device?purpose=create", ID.group, ["basic"]],
      ["group?purpose=create", ID.probe, ["basic"]],
      ["snmptraffic?purpose=create", ID.device, []],
      ["user?purpose=create", "201", ["basic", "useraccount"]],
      ["group?purpose=update", undefined, []],
      ["ping?purpose=update", undefined, []],
      ["user?purpose=update", undefined, []],
    ] as const
  ).map(([path, parent, required]) =>
    row("getSchema", "required sections", `/schemas/${path}${parent === undefined ? "" : `&parent=${parent}`}`, 200, {
      shows: {
        kind: path.split("?")[0],
        ...(required.length === 0 ? {} : { schema: { required: expect.arrayContaining([...required]) } }),
      },
      after: [({ received: { json } }) => expect(ajv.validateSchema((json as { schema: object }).schema)).toBe(true)],
    }),
  ),
  ...(["nothing", "probe"] as const).map((kind) =>
    row("getSchema", "no such kind", `/schemas/${kind}`, "404 NOT_FOUND"),
  ),
  ...(
    [
      ["device", "", "400 BAD_REQUEST"],
      ["device", "4711", "404 NOT_FOUND"],
      ["device", ID.device, "400 BAD_REQUEST"],
      ["ping", ID.group, "400 BAD_REQUEST"],
      ["user", ID.group, "404 NOT_FOUND"],
    ] as const
  ).map(([kind, parent, answers]) =>
    row("getSchema", "a parent that cannot hold it", `/schemas/${kind}?purpose=create&parent=${parent}`, answers),
  ),
  ...(
    [
      ["device", ID.group],
      ["user", "201"],
    ] as const
  ).map(([kind, parent]) =>
    row(
      "getSchema",
      "a parent that is not visible",
      `/schemas/${kind}?purpose=create&parent=${parent}`,
      "404 NOT_FOUND",
      {
        bearer: CREDENTIALS.restrictedApiKey,
      },
    ),
  ),
  row("getReadSchema", "no such channel", `/experimental/schemas/${ID.up}.77/get`, "404 NOT_FOUND"),
  row(
    "getReadSchema",
    "a section of another kind",
    `/experimental/schemas/${ID.device}/get?include=alerting`,
    "400 BAD_REQUEST",
  ),
  row("getEditSchema", "channels cannot be edited", `/experimental/schemas/${ID.channel}/patch`, "404 NOT_FOUND"),
  row("getEditSchema", "only included sections are described", `/experimental/schemas/${ID.device}/patch`, 200, {
    shows: { schema: { properties: { intervalgroup: expect.toSatisfy((it: object) => !("properties" in it)) } } },
    after: [
      ({ received: { json } }) =>
        expect(Object.keys((json as { schema: { properties: object } }).schema.properties)).toEqual([
          ...["basic", "intervalgroup", "scheduledependency", "windowsconnection"],
        ]),
    ],
  }),
  row(
    "getEditSchema",
    "an included section is described",
    `/experimental/schemas/${ID.device}/patch?include=intervalgroup`,
    200,
    { shows: { schema: { properties: { intervalgroup: { properties: { interval: { enum: expect.anything() } } } } } } },
  ),
  row(
    "getCreateSchema",
    "devices hold no devices",
    `/experimental/schemas/${ID.device}/post?kind=device`,
    "400 BAD_REQUEST",
  ),
  row(
    "getCreateSchema",
    "a section of another kind",
    `/experimental/schemas/${ID.group}/post?kind=device&include=alerting`,
    "400 BAD_REQUEST",
  ),
  ...(
    [
      ["0", []],
      [ID.probe, ["device", "group"]],
      [ID.up, []],
      [ID.device, [...SENSOR_KINDS.keys()].sort()],
    ] as const
  ).map(([parent, kinds]) =>
    row("listCreatableKinds", "all kinds that the object can hold", `/experimental/schemas/${parent}`, 200, {
      shows: kinds.map((kind) => ({ kind })),
    }),
  ),
  row("listCreatableKinds", "a kind of sensor", `/experimental/schemas/${ID.device}`, 200, {
    shows: expect.arrayContaining([
      {
        ...{ creatable: true, hints: null, kind: "ping", name: "Ping", help: null, Manual: null },
        href: `/api/v2/experimental/schemas/${ID.device}/post?kind=ping`,
        description: "Monitors Ping Time, Minimum, Maximum, Packet Loss",
      },
    ]),
  }),
  row("getSchema", "parent is needed when purpose is create", "/schemas/device?purpose=create", "400 BAD_REQUEST"),
  row("getSchema", "purpose is one of create, update, read", "/schemas/device?purpose=delete", "400 BAD_REQUEST"),
  row(
    "listCreatableKinds",
    "creatable, hints, kind, name, href, description, help, Manual of each kind",
    `/experimental/schemas/${ID.group}`,
    200,
    {
      shows: ["device", "group"].map((kind) => ({
        ...{ creatable: true, hints: null, kind, name: expect.any(String), description: TEXT_OR_NULL },
        href: `/api/v2/experimental/schemas/${ID.group}/post?kind=${kind}`,
        ...{ help: TEXT_OR_NULL, Manual: TEXT_OR_NULL },
      })),
    },
  ),
  row(
    "listCreatableKinds",
    "hints are the reasons why a kind is not creatable",
    `/experimental/schemas/${ID.device}`,
    200,
    {
      shows: expect.toSatisfy(
        (kinds: readonly { creatable: boolean; hints: string[] | null }[]) =>
          kinds.every(
            ({ creatable, hints }) =>
              creatable === (hints ?? []).length < 1 && (hints ?? []).every((hint) => HINTS.includes(hint)),
          ) && kinds.some(({ creatable }) => !creatable),
      ),
    },
  ),
  row(
    "listCreatableTypes",
    "ID and Name; Description with sensor schemas only",
    `/experimental/objects/${ID.group}/types`,
    200,
    {
      shows: expect.toSatisfy(
        (types: readonly object[]) => types.length > 0 && types.every((type) => !("Description" in type)),
      ),
    },
  ),
  row("listCreatableTypes", "Description of sensor schemas", `/experimental/objects/${ID.device}/types`, 200, {
    shows: expect.arrayContaining([{ ID: "ping", Name: expect.any(String), Description: expect.any(String) }]),
  }),
  row("getReadSchema", "of what reading the object answers", `/experimental/schemas/${ID.up}/get`, 200, {
    shows: { kind: "ping", purpose: "read" },
  }),
  row("getEditSchema", "of what editing the object takes", `/experimental/schemas/${ID.device}/patch`, 200, {
    shows: { purpose: "update" },
  }),
  row("getEditSchema", "probes cannot be edited", `/experimental/schemas/${ID.probe}/patch`, "404 NOT_FOUND"),
  row(
    "getCreateSchema",
    "of what creating an object of the kind takes",
    `/experimental/schemas/${ID.device}/post?kind=ping`,
    200,
    { shows: { kind: "ping", purpose: "create" } },
  ),
  row("getCreateSchema", "kind is required", `/experimental/schemas/${ID.device}/post`, "400 BAD_REQUEST"),
  row(
    "getCreateSchema",
    "a kind that the parent cannot hold",
    `/experimental/schemas/${ID.group}/post?kind=ping`,
    "400 BAD_REQUEST",
  ),
];
