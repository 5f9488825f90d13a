import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { does, gets, newLocation, pass, type Row, row, type Step, sees } from "../row.ts";
import { ID } from "../specified-world.ts";

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

function endsWithFour(sensors: readonly { readonly id: string }[]): boolean {
  return (
    [ID.a, ID.b, ID.c, ID.d].join() ===
    sensors
      .slice(-4)
      .map(({ id }) => id)
      .join()
  );
}

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
    ...WITHIN.map(([body, index]) =>
      row(operation, `within siblings: ${JSON.stringify(body)}`, `${path}/move`, 204, {
        body,
        headers: { location: `/api/v2/sensors/${id}` },
        after: [order(orders[index])],
      }),
    ),
    row(operation, "to another parent", `${path}/move`, 204, {
      body: { parent: ID.device },
      after: [order("abcd".replace(id === ID.b ? "b" : "c", "")), sees(newLocation, { parent: { id: ID.device } })],
    }),
    ...([{ position: 10 }, { position_preset: "top" }] as const).map((place) =>
      row(operation, `to another parent, at a place: ${JSON.stringify(place)}`, `${path}/move`, 204, {
        body: { parent: ID.device, ...place },
        after: [({ simulator }) => expect(simulator.world.node(ID.device)?.children[0]?.id).toBe(id)],
      }),
    ),
    ...IMPOSSIBLE.map(([rule, body]) => row(operation, rule, `${path}/move`, "400 BAD_REQUEST", { body })),
    row(operation, "a parent that does not exist", `${path}/move`, "404 NOT_FOUND", { body: { parent: "999999" } }),
  ]),
  ...(
    [
      ["a", { position_preset: "up" }],
      ["d", { position_preset: "down" }],
      ["b", { parent: ID.four }],
    ] as const
  ).map(([name, body]) =>
    row("moveObject", `${name} stays: ${JSON.stringify(body)}`, `/objects/${ID[name]}/move`, 204, {
      body,
      after: [order("abcd")],
    }),
  ),
  row("moveObject", "lists keep the order of creation", `/objects/${ID.d}/move`, 204, {
    body: { position_preset: "top" },
    after: [order("dabc"), sees("/experimental/sensors", expect.toSatisfy(endsWithFour))],
  }),
  ...(
    [
      [{ position: 30 }, 2],
      [{ position_preset: "bottom" }, 4],
    ] as const
  ).map(([place, index]) =>
    row("moveSensor", `among new siblings: ${JSON.stringify(place)}`, `/experimental/sensors/${ID.up}/move`, 204, {
      body: { parent: ID.four, ...place },
      after: [
        ({ simulator: { world } }) => {
          expect(world.node(ID.four)?.children.map(({ id }) => id)).toEqual(
            [ID.a, ID.b, ID.c, ID.d].toSpliced(index, 0, ID.up),
          );
          expect(world.node(ID.device)?.children.map(({ id }) => id)).not.toContain(ID.up);
        },
      ],
    }),
  ),
  ...(
    [
      ["into something below itself", ID.probe, { parent: ID.group }],
      ["a probe into a group", ID.otherProbe, { parent: ID.group }],
      ["the root", "0", { position: 10 }],
    ] as const
  ).map(([rule, id, body]) => row("moveObject", rule, `/objects/${id}/move`, "400 BAD_REQUEST", { body })),
  row("moveObject", "an object would depend on itself", `/objects/${ID.a}/move`, "400 BAD_REQUEST", {
    before: [does("PATCH", `/devices/${ID.device}`, { scheduledependency: { dependency: ID.a } })],
    body: { parent: ID.device },
  }),
  ...KINDS.flatMap(([operation, path, kind, id]): readonly Row[] => [
    row(operation, "204 with Location", `${path}/${id}/move`, 204, {
      body: { position_preset: "top" },
      headers: { location: `/api/v2/${kind}/${id}` },
      after: [({ simulator: { world } }) => expect(world.node(id)?.parent?.children[0]?.id).toBe(id)],
    }),
    ...IMPOSSIBLE.slice(0, 6).map(([rule, body]) =>
      row(operation, rule, `${path}/${id}/move`, "400 BAD_REQUEST", { body }),
    ),
  ]),
  row("moveGroup", "not below itself", `/experimental/groups/${ID.group}/move`, "400 BAD_REQUEST", {
    body: { parent: ID.group },
  }),
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
    row(
      operation,
      "204, with Location: 202 there until it is ready; at the bottom, its old name with a mark before it",
      path,
      204,
      {
        body,
        headers: { location: new RegExp(`^/api/v2/${kind}/\\d+$`) },
        after: [
          clonedTo(parent, -1),
          gets(newLocation, 202),
          pass(2000),
          sees(newLocation, { name: expect.stringMatching(/^\S.* (Four|Known group|b)$/), parent: { id: parent } }),
        ],
      },
    ),
    ...(["top", "10", "20", "bottom"] as const).map((position) =>
      row(operation, `position ${position}`, path, 204, {
        body: { ...body, position },
        after: [clonedTo(parent, position === "bottom" ? -1 : position === "20" ? 1 : 0)],
      }),
    ),
    row(operation, "name, and a service_url", path, 204, {
      body: { ...body, name: "copy", service_url: "https://example.net" },
      after: [pass(2000), sees(newLocation, { name: "copy" })],
    }),
    row(operation, "no such position", path, "400 BAD_REQUEST", { body: { ...body, position: "left" } }),
    row(operation, "position is a string", path, "400 BAD_REQUEST", { body: { ...body, position: 10 } }),
    row(operation, "a parent that does not exist", path, "404 NOT_FOUND", {
      body: { ...body, ...(operation === "cloneObject" ? { parent: "999999" } : { parent_id: "999999" }) },
    }),
  ]),
  row("cloneDevice", "the copy is paused and has what the device has", `/devices/${ID.device}/clone`, 204, {
    body: { parent_id: ID.group, host: "10.7.7.7" },
    after: [
      pass(2000),
      sees(newLocation, {
        name: "Clone of Known device",
        status: "pausedbyuser",
        basic: { host: "10.7.7.7", tags: [] },
      }),
      async (it) => {
        const copy = newLocation(it).split("/").at(-1) ?? "";
        const { world } = it.simulator;
        expect(world.node(copy)?.children.map(({ name }) => name)).toEqual(["up", "down", "paused", "fresh"]);
        const sensor = `/sensors/${world.node(copy)?.children[0]?.id}`;
        await sees(sensor, { status: "pausedbydependency" })(it);
        await does("POST", `/devices/${copy}/resume`)(it);
        await it.clock.advance(300_000);
        await sees(sensor, { status: expect.not.stringMatching(/^(paused|unknown)/) })(it);
      },
    ],
  }),
  ...(
    [
      ["an empty name", "cloneSensor", `/sensors/${ID.up}/clone`, { parent_id: ID.device, name: " " }],
      ["a parent that cannot hold it", "cloneSensor", `/sensors/${ID.up}/clone`, { parent_id: ID.group }],
      ["a probe", "cloneObject", `/experimental/objects/${ID.probe}/clone`, { parent: "0" }],
    ] as const
  ).map(([rule, operation, path, body]) =>
    row(operation, rule, path, "400 BAD_REQUEST", {
      body,
      after: [({ simulator: { world } }) => expect(world.list("sensor")).toHaveLength(32)],
    }),
  ),
  row("cloneObject", "host of a device", `/experimental/objects/${ID.four}/clone`, 204, {
    body: { parent: ID.group, host: "10.7.7.8" },
    after: [pass(2000), sees(newLocation, { basic: { host: "10.7.7.8" } })],
  }),
];
