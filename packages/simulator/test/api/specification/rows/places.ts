import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { gets, newLocation, pass, type Row, type Step, sees } from "../row.ts";
import { ID } from "../world.ts";

/** Order of the sensors of device Four. */
function order(expected: string): Step {
  return ({ simulator }) => {
    const names = simulator.world.node(ID.four)?.children.map(({ name }) => name) ?? [];
    expect(names.join("")).toBe(expected);
  };
}

const MOVES = [
  {
    operation: "moveObject",
    path: `/objects/${ID.b}`,
    id: ID.b,
    orders: ["bacd", "abcd", "acbd", "acdb", "bacd", "acbd"],
  },
  {
    operation: "moveSensor",
    path: `/experimental/sensors/${ID.c}`,
    id: ID.c,
    orders: ["cabd", "acbd", "abcd", "abdc", "acbd", "abdc"],
  },
] as const;
const KINDS: readonly (readonly [OperationId, path: string, kind: string, id: string])[] = [
  ["moveProbe", "/experimental/probes", "probes", ID.otherProbe],
  ["moveGroup", "/experimental/groups", "groups", ID.group],
  ["moveDevice", "/experimental/devices", "devices", ID.four],
];

/** Index of the resulting order. */
const WITHIN: readonly (readonly [body: object, order: 0 | 1 | 2 | 3 | 4 | 5])[] = [
  [{ position: 10 }, 0],
  [{ position: 20 }, 1],
  [{ position: 30 }, 2],
  [{ position: 40 }, 3],
  [{ position: 990 }, 3],
  [{ position_preset: "top" }, 0],
  [{ position_preset: "up" }, 4],
  [{ position_preset: "down" }, 5],
  [{ position_preset: "bottom" }, 3],
  [{ position: 10, position_preset: null, parent: null }, 0],
];
const IMPOSSIBLE: readonly (readonly [rule: string, body: object])[] = [
  ["nothing but null", { parent: null, position: null, position_preset: null }],
  ["one of the positional fields, not both", { position: 10, position_preset: "up" }],
  ["position is at least 10", { position: 0 }],
  ["position is a multiple of 10", { position: 15 }],
  ["position is an integer", { position: "10" }],
  ["position_preset is one of top, up, down, bottom", { position_preset: "left" }],
  ["a parent that cannot hold it", { parent: ID.group }],
  ["nothing at all", {}],
];

/** Move request and Move rules. */
export const MOVING: readonly Row[] = [
  ...MOVES.flatMap(({ operation, path, id, orders }): readonly Row[] => [
    ...WITHIN.map(
      ([body, index]): Row => ({
        operation,
        rule: `within siblings: ${JSON.stringify(body)}`,
        path: `${path}/move`,
        body,
        answers: 204,
        headers: { location: `/api/v2/sensors/${id}` },
        after: [order(orders[index])],
      }),
    ),
    {
      operation,
      rule: "to another parent",
      path: `${path}/move`,
      body: { parent: ID.device },
      answers: 204,
      after: [order("abcd".replace(id === ID.b ? "b" : "c", "")), sees(newLocation, { parent: { id: ID.device } })],
    },
    ...([{ position: 10 }, { position_preset: "top" }] as const).map(
      (place): Row => ({
        operation,
        rule: `to another parent, at a place: ${JSON.stringify(place)}`,
        path: `${path}/move`,
        body: { parent: ID.device, ...place },
        answers: 204,
        after: [({ simulator }) => expect(simulator.world.node(ID.device)?.children[0]?.id).toBe(id)],
      }),
    ),
    ...IMPOSSIBLE.map(
      ([rule, body]): Row => ({ operation, rule, path: `${path}/move`, body, answers: "400 BAD_REQUEST" }),
    ),
    {
      operation,
      rule: "a parent that does not exist",
      path: `${path}/move`,
      body: { parent: "999999" },
      answers: "404 NOT_FOUND",
    },
  ]),
  ...KINDS.flatMap(([operation, path, kind, id]): readonly Row[] => [
    {
      operation,
      rule: "204 with Location",
      path: `${path}/${id}/move`,
      body: { position_preset: "top" },
      answers: 204,
      headers: { location: `/api/v2/${kind}/${id}` },
      after: [({ simulator: { world } }) => expect(world.node(id)?.parent?.children[0]?.id).toBe(id)],
    },
    ...IMPOSSIBLE.slice(0, 6).map(
      ([rule, body]): Row => ({ operation, rule, path: `${path}/${id}/move`, body, answers: "400 BAD_REQUEST" }),
    ),
  ]),
  {
    operation: "moveGroup",
    rule: "not below itself",
    path: `/experimental/groups/${ID.group}/move`,
    body: { parent: ID.group },
    answers: "400 BAD_REQUEST",
  },
];

interface Cloning {
  readonly operation: OperationId;
  readonly path: string;
  /** Required in every body. */
  readonly body: Readonly<Record<string, string>>;
  readonly parent: string;
  readonly kind: string;
}

const CLONES: readonly Cloning[] = [
  {
    operation: "cloneDevice",
    path: `/devices/${ID.four}/clone`,
    body: { parent_id: ID.group, host: "10.7.7.7" },
    parent: ID.group,
    kind: "devices",
  },
  {
    operation: "cloneGroup",
    path: `/groups/${ID.group}/clone`,
    body: { parent_id: ID.otherProbe },
    parent: ID.otherProbe,
    kind: "groups",
  },
  {
    operation: "cloneSensor",
    path: `/sensors/${ID.b}/clone`,
    body: { parent_id: ID.four },
    parent: ID.four,
    kind: "sensors",
  },
  {
    operation: "cloneObject",
    path: `/experimental/objects/${ID.b}/clone`,
    body: { parent: ID.four },
    parent: ID.four,
    kind: "sensors",
  },
];

function clonedTo(parent: string, index: number): Step {
  return (it) => {
    const children = it.simulator.world.node(parent)?.children ?? [];
    expect(children.at(index)?.id).toBe(newLocation(it).split("/").at(-1));
  };
}

/** Clone requests, and Location with its rules. */
export const CLONING: readonly Row[] = [
  ...CLONES.flatMap(({ operation, path, body, parent, kind }): readonly Row[] => [
    {
      operation,
      rule: "204, with Location: 202 there until it is ready; at the bottom, its old name with a mark before it",
      path,
      body,
      answers: 204,
      headers: { location: new RegExp(`^/api/v2/${kind}/\\d+$`) },
      after: [
        clonedTo(parent, -1),
        gets(newLocation, 202),
        pass(2000),
        sees(newLocation, { name: expect.stringMatching(/^\S.* (Four|Known group|b)$/), parent: { id: parent } }),
      ],
    },
    ...(["top", "10", "20", "bottom"] as const).map(
      (position): Row => ({
        operation,
        rule: `position ${position}`,
        path,
        body: { ...body, position },
        answers: 204,
        after: [clonedTo(parent, position === "bottom" ? -1 : position === "20" ? 1 : 0)],
      }),
    ),
    {
      operation,
      rule: "name, and a service_url",
      path,
      body: { ...body, name: "copy", service_url: "https://example.net" },
      answers: 204,
      after: [pass(2000), sees(newLocation, { name: "copy" })],
    },
    { operation, rule: "no such position", path, body: { ...body, position: "left" }, answers: "400 BAD_REQUEST" },
    { operation, rule: "position is a string", path, body: { ...body, position: 10 }, answers: "400 BAD_REQUEST" },
    {
      operation,
      rule: "a parent that does not exist",
      path,
      body: { ...body, ...(operation === "cloneObject" ? { parent: "999999" } : { parent_id: "999999" }) },
      answers: "404 NOT_FOUND",
    },
  ]),
  {
    operation: "cloneObject",
    rule: "host of a device",
    path: `/experimental/objects/${ID.four}/clone`,
    body: { parent: ID.group, host: "10.7.7.8" },
    answers: 204,
    after: [pass(2000), sees(newLocation, { basic: { host: "10.7.7.8" } })],
  },
];
