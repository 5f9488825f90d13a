import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { force, pass, type Row, row, type Step, sees } from "../row.ts";
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
      row(pause, "duration 0.0 by default: pauses indefinitely", `${path}/pause`, 204, {
        body: {},
        after: [hasStatus(path, "pausedbyuser"), pass(100_000 * MINUTE), hasStatus(path, "pausedbyuser")],
      }),
      ...ROUNDED.map(([duration, minutes]) =>
        row(pause, `duration ${duration} s, rounded up to ${minutes} min`, `${path}/pause`, 204, {
          body: { duration },
          after: [
            pass(minutes * MINUTE - 1),
            hasStatus(path, "pauseduntil"),
            pass(1),
            sees(path, { status: expect.not.stringContaining("paused") }),
          ],
        }),
      ),
      row(pause, "maximum duration 1000000000", `${path}/pause`, 204, {
        body: { duration: 1_000_000_000, message: "for a while" },
        after: [hasStatus(path, "pauseduntil")],
      }),
      row(pause, "impossible for the current status", `${path}/pause`, "400 WRONG_NODE_STATUS", {
        before: [(it) => it.simulator.world.pause(id, it.simulator.now())],
        body: {},
      }),
      row(`resume${kind}`, "ends a pause", `${path}/resume`, 204, {
        before: [(it) => it.simulator.world.pause(id, it.simulator.now())],
        after: [sees(path, { status: expect.not.stringContaining("paused") })],
      }),
      row(`resume${kind}`, "impossible for the current status", `${path}/resume`, "400 WRONG_NODE_STATUS"),
      row(`scan${kind}`, "scans all sensors of it", `${path}/scan`, 204, {
        before: [pass(7000)],
        after: [
          ({ simulator: { world, now } }) => {
            const [channel] = world.list("sensor").find((sensor) => sensor.id === ID.up)?.channels ?? [];
            expect(channel && world.lastMeasurement(channel, now())?.at).toBe(now());
          },
        ],
      }),
      row(`scan${kind}`, "impossible for the current status", `${path}/scan`, "400 WRONG_NODE_STATUS", {
        before: [(it) => it.simulator.world.pause(id, it.simulator.now())],
      }),
    ];
  }),
  row("pauseSensor", "message is shown as sensor message", `/sensors/${ID.up}/pause`, 204, {
    body: { duration: 60, message: "new firmware" },
    after: [sees(`/sensors/${ID.up}`, { status: "pauseduntil", message: "new firmware" })],
  }),
  row("pauseGroup", "what is below a paused object is paused by dependency", `/groups/${ID.group}/pause`, 204, {
    body: {},
    after: [hasStatus(`/sensors/${ID.a}`, "pausedbydependency")],
  }),
  row(
    "acknowledgeSensor",
    "duration 0.0 by default: acknowledges indefinitely",
    `/sensors/${ID.down}/acknowledge`,
    204,
    {
      body: { message: "on my way" },
      after: [
        sees(`/sensors/${ID.down}`, { status: "acknowledged", message: "on my way" }),
        pass(100_000 * MINUTE),
        hasStatus(`/sensors/${ID.down}`, "acknowledged"),
      ],
    },
  ),
  ...ROUNDED.map(([duration, minutes]) =>
    row(
      "acknowledgeSensor",
      `duration ${duration} s, rounded up to ${minutes} min`,
      `/sensors/${ID.down}/acknowledge`,
      204,
      {
        body: { duration },
        after: [
          pass(minutes * MINUTE - 1),
          hasStatus(`/sensors/${ID.down}`, "acknowledged"),
          pass(1),
          hasStatus(`/sensors/${ID.down}`, "down"),
        ],
      },
    ),
  ),
  row(
    "acknowledgeSensor",
    "impossible for the current status",
    `/sensors/${ID.up}/acknowledge`,
    "400 WRONG_NODE_STATUS",
    { body: {} },
  ),
  ...(["pausedbyuser", "pausedbylicense"] as const).map((status) =>
    row(
      "pauseSensor",
      `a sensor that is ${status} cannot be paused`,
      `/sensors/${ID.up}/pause`,
      "400 WRONG_NODE_STATUS",
      { before: [force(ID.up, status)], body: {} },
    ),
  ),
  ...[
    ...KINDS.map(([kind, list, id]) => [`pause${kind}`, `${list}/${id}/pause`] as const),
    ["acknowledgeSensor", `/sensors/${ID.down}/acknowledge`] as const,
  ].flatMap(([operation, path]) =>
    WRONG_DURATIONS.map((duration) =>
      row(
        operation,
        `duration is a number from 0 to 1000000000, not ${JSON.stringify(duration)}`,
        path,
        "400 INVALID_DURATION",
        { body: { duration } },
      ),
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
    row(operation, "an action result for each object: node and failure, null on success", path, 200, {
      before: possible(operation),
      body: { filter },
      shows: [{ node: REFERENCE, failure: null }],
    }),
    row(operation, "answers 200 even when objects fail: the error object is in failure", path, 200, {
      before: impossible(operation),
      body: { filter },
      shows: [{ node: REFERENCE, failure: WRONG_STATUS }],
      after: [
        ({ received: { json, headers } }) =>
          expect(json).toMatchObject([{ failure: { request_id: headers.get("x-request-id") } }]),
      ],
    }),
    row(operation, "nothing fits the filter: no results", path, 200, { body: { filter: 'id = "999999"' }, shows: [] }),
  ]),
  ...MANY.filter(([operation]) => /^(pause|acknowledge)/.test(operation)).map(([operation, path, filter]) =>
    row(operation, "duration and message as for one object: 61 s are 2 min", path, 200, {
      before: possible(operation),
      body: { filter, duration: 61, message: "all of them" },
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
  row("acknowledgeSensors", "some succeed, some fail", "/sensors/acknowledge", 200, {
    body: { filter: `parentid = "${ID.device}"` },
    shows: [ID.up, ID.down, ID.paused, ID.fresh].map((id) => ({
      node: { id },
      failure: id === ID.down ? null : WRONG_STATUS,
    })),
    after: [hasStatus(`/sensors/${ID.down}`, "acknowledged")],
  }),
];
