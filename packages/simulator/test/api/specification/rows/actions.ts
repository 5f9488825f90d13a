import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { force, pass, type Row, type Step, sees } from "../row.ts";
import { ID } from "../world.ts";

const MINUTE = 60_000;
const KINDS = [
  ["Probe", "/probes", ID.probe],
  ["Group", "/groups", ID.group],
  ["Device", "/devices", ID.device],
  ["Sensor", "/sensors", ID.up],
] as const;

function hasStatus(path: string, status: string): Step {
  return sees(path, { status });
}

/** "Rounded up to full minutes." */
const ROUNDED = [
  [0.5, 1],
  [60, 1],
  [60.001, 2],
  [61, 2],
] as const;

const WRONG_DURATIONS = [-1, 1_000_000_001, "60", null];

/** Endpoints, Pause request, Acknowledge request, Rules that are stated. */
export const ACTIONS: readonly Row[] = [
  ...KINDS.flatMap(([kind, list, id]): readonly Row[] => {
    const path = `${list}/${id}`;
    const pause = `pause${kind}` satisfies OperationId;
    return [
      {
        operation: pause,
        rule: "duration 0.0 by default: pauses indefinitely",
        path: `${path}/pause`,
        body: {},
        answers: 204,
        after: [hasStatus(path, "pausedbyuser"), pass(100_000 * MINUTE), hasStatus(path, "pausedbyuser")],
      },
      ...ROUNDED.map(
        ([duration, minutes]): Row => ({
          operation: pause,
          rule: `duration ${duration} s, rounded up to ${minutes} min`,
          path: `${path}/pause`,
          body: { duration },
          answers: 204,
          after: [
            pass(minutes * MINUTE - 1),
            hasStatus(path, "pauseduntil"),
            pass(1),
            sees(path, { status: expect.not.stringContaining("paused") }),
          ],
        }),
      ),
      {
        operation: pause,
        rule: "maximum duration 1000000000",
        path: `${path}/pause`,
        body: { duration: 1_000_000_000, message: "for a while" },
        answers: 204,
        after: [hasStatus(path, "pauseduntil")],
      },
      {
        operation: pause,
        rule: "impossible for the current status",
        before: [(it) => it.simulator.world.pause(id, it.simulator.now())],
        path: `${path}/pause`,
        body: {},
        answers: "400 WRONG_NODE_STATUS",
      },
      {
        operation: `resume${kind}` satisfies OperationId,
        rule: "ends a pause",
        before: [(it) => it.simulator.world.pause(id, it.simulator.now())],
        path: `${path}/resume`,
        answers: 204,
        after: [sees(path, { status: expect.not.stringContaining("paused") })],
      },
      {
        operation: `resume${kind}` satisfies OperationId,
        rule: "impossible for the current status",
        path: `${path}/resume`,
        answers: "400 WRONG_NODE_STATUS",
      },
      {
        operation: `scan${kind}` satisfies OperationId,
        rule: "scans all sensors of it",
        before: [pass(7000)],
        path: `${path}/scan`,
        answers: 204,
        after: [
          ({ simulator: { world, now } }) => {
            const [channel] = world.list("sensor").find((sensor) => sensor.id === ID.up)?.channels ?? [];
            expect(channel && world.lastMeasurement(channel, now())?.at).toBe(now());
          },
        ],
      },
      {
        operation: `scan${kind}` satisfies OperationId,
        rule: "impossible for the current status",
        before: [(it) => it.simulator.world.pause(id, it.simulator.now())],
        path: `${path}/scan`,
        answers: "400 WRONG_NODE_STATUS",
      },
    ];
  }),
  {
    operation: "pauseSensor",
    rule: "message is shown as sensor message",
    path: `/sensors/${ID.up}/pause`,
    body: { duration: 60, message: "new firmware" },
    answers: 204,
    after: [sees(`/sensors/${ID.up}`, { status: "pauseduntil", message: "new firmware" })],
  },
  {
    operation: "pauseGroup",
    rule: "what is below a paused object is paused by dependency",
    path: `/groups/${ID.group}/pause`,
    body: {},
    answers: 204,
    after: [hasStatus(`/sensors/${ID.a}`, "pausedbydependency")],
  },
  {
    operation: "acknowledgeSensor",
    rule: "duration 0.0 by default: acknowledges indefinitely",
    path: `/sensors/${ID.down}/acknowledge`,
    body: { message: "on my way" },
    answers: 204,
    after: [
      sees(`/sensors/${ID.down}`, { status: "acknowledged", message: "on my way" }),
      pass(100_000 * MINUTE),
      hasStatus(`/sensors/${ID.down}`, "acknowledged"),
    ],
  },
  ...ROUNDED.map(
    ([duration, minutes]): Row => ({
      operation: "acknowledgeSensor",
      rule: `duration ${duration} s, rounded up to ${minutes} min`,
      path: `/sensors/${ID.down}/acknowledge`,
      body: { duration },
      answers: 204,
      after: [
        pass(minutes * MINUTE - 1),
        hasStatus(`/sensors/${ID.down}`, "acknowledged"),
        pass(1),
        hasStatus(`/sensors/${ID.down}`, "down"),
      ],
    }),
  ),
  {
    operation: "acknowledgeSensor",
    rule: "impossible for the current status",
    path: `/sensors/${ID.up}/acknowledge`,
    body: {},
    answers: "400 WRONG_NODE_STATUS",
  },
  ...(["pausedbyuser", "pausedbylicense"] as const).map(
    (status): Row => ({
      operation: "pauseSensor",
      rule: `a sensor that is ${status} cannot be paused`,
      before: [force(ID.up, status)],
      path: `/sensors/${ID.up}/pause`,
      body: {},
      answers: "400 WRONG_NODE_STATUS",
    }),
  ),
  ...[
    ...KINDS.map(([kind, list, id]) => [`pause${kind}`, `${list}/${id}/pause`] as const),
    ["acknowledgeSensor", `/sensors/${ID.down}/acknowledge`] as const,
  ].flatMap(([operation, path]) =>
    WRONG_DURATIONS.map(
      (duration): Row => ({
        operation,
        rule: `duration is a number from 0 to 1000000000, not ${JSON.stringify(duration)}`,
        path,
        body: { duration },
        answers: "400 INVALID_DURATION",
      }),
    ),
  ),
];

type Many = readonly [operation: OperationId, path: string, filter: string];

const MANY: readonly Many[] = [
  ...KINDS.flatMap(([kind, list, id]): readonly Many[] => [
    [`pause${kind}s`, `${list}/pause`, `id = "${id}"`],
    [`resume${kind}s`, `${list}/resume`, `id = "${id}"`],
    [`scan${kind}s`, `${list}/scan`, `id = "${id}"`],
  ]),
  ["acknowledgeSensors", "/sensors/acknowledge", `id = "${ID.up}"`],
];

const REFERENCE = {
  id: expect.any(String),
  type: expect.stringMatching(/^REFERENCED_(PROBE|GROUP|DEVICE|SENSOR)$/),
  name: expect.any(String),
  href: expect.stringMatching(/^\/api\/v2\//),
};
const WRONG_STATUS = {
  code: "WRONG_NODE_STATUS",
  message: expect.stringMatching(/\w/),
  request_id: expect.stringMatching(/\w/),
};

function impossible(operation: OperationId): readonly Step[] {
  if (operation.startsWith("resume") || operation.startsWith("acknowledge")) return [];
  return KINDS.map(
    ([, , id]) =>
      (it) =>
        it.simulator.world.pause(id, it.simulator.now()),
  );
}

function possible(operation: OperationId): readonly Step[] {
  if (operation === "acknowledgeSensors") return [force(ID.up, "down")];
  if (!operation.startsWith("resume")) return [];
  return KINDS.map(
    ([, , id]) =>
      (it) =>
        it.simulator.world.pause(id, it.simulator.now()),
  );
}

/** Action result, Multi requests. They answer 200 despite failures. */
export const MULTI_ACTIONS: readonly Row[] = [
  ...MANY.flatMap(([operation, path, filter]): readonly Row[] => [
    {
      operation,
      rule: "an action result for each object: node and failure, null on success",
      before: possible(operation),
      path,
      body: { filter },
      answers: 200,
      shows: [{ node: REFERENCE, failure: null }],
    },
    {
      operation,
      rule: "answers 200 even when objects fail: the error object is in failure",
      before: impossible(operation),
      path,
      body: { filter },
      answers: 200,
      shows: [{ node: REFERENCE, failure: WRONG_STATUS }],
      after: [
        ({ received: { json, headers } }) =>
          expect(json).toMatchObject([{ failure: { request_id: headers.get("x-request-id") } }]),
      ],
    },
    {
      operation,
      rule: "nothing fits the filter: no results",
      path,
      body: { filter: 'id = "999999"' },
      answers: 200,
      shows: [],
    },
  ]),
  ...MANY.filter(([operation]) => /^(pause|acknowledge)/.test(operation)).map(
    ([operation, path, filter]): Row => ({
      operation,
      rule: "duration and message as for one object: 61 s are 2 min",
      before: possible(operation),
      path,
      body: { filter, duration: 61, message: "all of them" },
      answers: 200,
      after: [
        pass(2 * MINUTE - 1),
        sees(`${path.replace(/\/\w+$/, "")}/${filter.split('"')[1]}`, {
          status: operation.startsWith("pause") ? "pauseduntil" : "acknowledged",
        }),
        pass(1),
        sees(`${path.replace(/\/\w+$/, "")}/${filter.split('"')[1]}`, {
          status: expect.not.stringMatching(/paused|acknowledged/),
        }),
      ],
    }),
  ),
  {
    operation: "acknowledgeSensors",
    rule: "some succeed, some fail",
    path: "/sensors/acknowledge",
    body: { filter: `parentid = "${ID.device}"` },
    answers: 200,
    shows: [ID.up, ID.down, ID.paused, ID.fresh].map((id) => ({
      node: { id },
      failure: id === ID.down ? null : WRONG_STATUS,
    })),
    after: [hasStatus(`/sensors/${ID.down}`, "acknowledged")],
  },
];
