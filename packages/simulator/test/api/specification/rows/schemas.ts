import { expect } from "vitest";
import { query, type Row, row } from "../row.ts";
import { ID } from "../world.ts";

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
