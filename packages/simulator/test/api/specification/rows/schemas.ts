import { expect } from "vitest";
import { query, type Row } from "../row.ts";
import { ID } from "../world.ts";

const HINTS = [
  ...["CredentialsMissing", "ProbeIsDisconnected", "SensorNeedsLocalProbe"],
  ...["SensorNeedsLocalProbeDevice", "SensorNeedsProbeDevice", "MissingCredentialGroup"],
];
const TEXT_OR_NULL = expect.toSatisfy((value) => value === null || typeof value === "string");

/** Section Schema endpoints, Creatable-kind list item, Creatable-type list item. */
export const SCHEMAS: readonly Row[] = [
  ...["device", "group", "user", "ping"].map(
    (kind): Row => ({
      operation: "getSchema",
      rule: `of a ${kind}; purpose is read by default`,
      path: `/schemas/${kind}`,
      answers: 200,
      shows: { kind, purpose: "read" },
    }),
  ),
  ...["update", "read"].map(
    (purpose): Row => ({
      operation: "getSchema",
      rule: `purpose ${purpose}`,
      path: `/schemas/device?purpose=${purpose}`,
      answers: 200,
      shows: { purpose },
    }),
  ),
  {
    operation: "getSchema",
    rule: "purpose create with the parent",
    path: `/schemas/device${query({ purpose: "create", parent: ID.group })}`,
    answers: 200,
    shows: { purpose: "create" },
  },
  {
    operation: "getSchema",
    rule: "parent is needed when purpose is create",
    path: "/schemas/device?purpose=create",
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "getSchema",
    rule: "purpose is one of create, update, read",
    path: "/schemas/device?purpose=delete",
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "listCreatableKinds",
    rule: "creatable, hints, kind, name, href, description, help, Manual of each kind",
    path: `/experimental/schemas/${ID.group}`,
    answers: 200,
    shows: ["device", "group"].map((kind) => ({
      ...{ creatable: true, hints: null, kind, name: expect.any(String), description: TEXT_OR_NULL },
      href: `/api/v2/experimental/schemas/${ID.group}/post?kind=${kind}`,
      ...{ help: TEXT_OR_NULL, Manual: TEXT_OR_NULL },
    })),
  },
  {
    operation: "listCreatableKinds",
    rule: "hints are the reasons why a kind is not creatable",
    path: `/experimental/schemas/${ID.device}`,
    answers: 200,
    shows: expect.toSatisfy(
      (kinds: readonly { creatable: boolean; hints: string[] | null }[]) =>
        kinds.every(
          ({ creatable, hints }) =>
            creatable === (hints ?? []).length < 1 && (hints ?? []).every((hint) => HINTS.includes(hint)),
        ) && kinds.some(({ creatable }) => !creatable),
    ),
  },
  {
    operation: "listCreatableTypes",
    rule: "ID and Name; Description with sensor schemas only",
    path: `/experimental/objects/${ID.group}/types`,
    answers: 200,
    shows: expect.toSatisfy(
      (types: readonly object[]) => types.length > 0 && types.every((type) => !("Description" in type)),
    ),
  },
  {
    operation: "listCreatableTypes",
    rule: "Description of sensor schemas",
    path: `/experimental/objects/${ID.device}/types`,
    answers: 200,
    shows: expect.arrayContaining([{ ID: "ping", Name: expect.any(String), Description: expect.any(String) }]),
  },
  {
    operation: "getReadSchema",
    rule: "of what reading the object answers",
    path: `/experimental/schemas/${ID.up}/get`,
    answers: 200,
    shows: { kind: "ping", purpose: "read" },
  },
  {
    operation: "getEditSchema",
    rule: "of what editing the object takes",
    path: `/experimental/schemas/${ID.device}/patch`,
    answers: 200,
    shows: { purpose: "update" },
  },
  {
    operation: "getEditSchema",
    rule: "probes cannot be edited",
    path: `/experimental/schemas/${ID.probe}/patch`,
    answers: "404 NOT_FOUND",
  },
  {
    operation: "getCreateSchema",
    rule: "of what creating an object of the kind takes",
    path: `/experimental/schemas/${ID.device}/post?kind=ping`,
    answers: 200,
    shows: { kind: "ping", purpose: "create" },
  },
  {
    operation: "getCreateSchema",
    rule: "kind is required",
    path: `/experimental/schemas/${ID.device}/post`,
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "getCreateSchema",
    rule: "a kind that the parent cannot hold",
    path: `/experimental/schemas/${ID.group}/post?kind=ping`,
    answers: "400 BAD_REQUEST",
  },
];
