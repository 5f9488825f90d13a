import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { ACCESS_LEVELS, type AccessLevel, permits } from "../../../../src/auth/accounts.ts";
import { STATUS_TOKENS } from "../../../../src/records/spelling.ts";
import type { SimNode, SimSensor, SimStatus } from "../../../../src/world/model.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { force, pass, pause, type Row, row, type Step, sees } from "../row.ts";
import { ID } from "../specified-world.ts";
import { keyWith } from "./generic.ts";

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

/** With keys of an administrator, so that only their level decides. */
function levelRows(operation: OperationId, path: string, needed: AccessLevel, more: Partial<Row>): readonly Row[] {
  return ACCESS_LEVELS.map((level) => {
    const success = path.split("/").length === 4 ? 204 : 200;
    const answers = permits(level, needed) ? success : "403 FORBIDDEN";
    return row(operation, `a key with the access level ${level}`, path, answers, { bearer: keyWith(level), ...more });
  });
}

const WRONG_DURATIONS = [-1, 1_000_000_001, "60", null];

function scannable(node: SimNode | undefined): readonly SimSensor[] {
  return node?.kind === "sensor" ? [node as SimSensor] : (node?.children.flatMap(scannable) ?? []);
}

/** The statuses of a sensor that permit an action. Others refuse it. */
const POSSIBLE: readonly (readonly [action: "pause" | "resume" | "scan" | "acknowledge", readonly SimStatus[]])[] = [
  [
    "pause",
    [
      ...(["none", "unknown", "collecting", "up", "warning", "down", "disconnected", "pausedbydependency"] as const),
      ...(["pausedbyschedule", "unusual", "pauseduntil", "acknowledged", "partialdown"] as const),
    ],
  ],
  ["resume", ["pausedbyuser", "pauseduntil"]],
  ["scan", ["none", "unknown", "collecting", "up", "warning", "down", "unusual", "acknowledged", "partialdown"]],
  ["acknowledge", ["down", "partialdown"]],
];

/** Endpoints, Pause request, Acknowledge request, Rules that are stated. */
export const ACTIONS: readonly Row[] = [
  ...KINDS.flatMap(([kind, list, id]): readonly Row[] => {
    const path = `${list}/${id}`;
    return [
      row(`pause${kind}`, "duration 0.0 by default: pauses indefinitely", `${path}/pause`, 204, {
        body: {},
        after: [hasStatus(path, "pausedbyuser"), pass(100_000 * MINUTE), hasStatus(path, "pausedbyuser")],
      }),
      ...ROUNDED.map(([duration, minutes]) =>
        row(`pause${kind}`, `duration ${duration} s, rounded up to ${minutes} min`, `${path}/pause`, 204, {
          body: { duration },
          after: [
            pass(minutes * MINUTE - 1),
            hasStatus(path, "pauseduntil"),
            pass(1),
            sees(path, { status: expect.not.stringContaining("paused") }),
          ],
        }),
      ),
      row(`pause${kind}`, "maximum duration 1000000000", `${path}/pause`, 204, {
        body: { duration: 1_000_000_000, message: "for a while" },
        after: [hasStatus(path, "pauseduntil")],
      }),
      row(`pause${kind}`, "impossible for the current status", `${path}/pause`, "400 WRONG_NODE_STATUS", {
        before: [pause(id)],
        body: {},
      }),
      row(`resume${kind}`, "ends a pause", `${path}/resume`, 204, {
        before: [pause(id)],
        after: [sees(path, { status: expect.not.stringContaining("paused") })],
      }),
      row(`resume${kind}`, "impossible for the current status", `${path}/resume`, "400 WRONG_NODE_STATUS"),
      row(`scan${kind}`, "scans all sensors of it", `${path}/scan`, 204, {
        before: [pass(7000)],
        after: [
          ({ simulator: { world, now } }) => {
            const scanned = scannable(world.node(id)).filter(
              (sensor) => world.state(sensor, now()).status !== "pausedbyuser",
            );
            expect(scanned.length).toBeGreaterThan(kind === "Sensor" ? 0 : 2);
            for (const { channels } of scanned) {
              expect(channels[0] && world.lastMeasurement(channels[0], now())?.at).toBe(now() - (now() % 1000));
            }
          },
        ],
      }),
      row(`scan${kind}`, "impossible for the current status", `${path}/scan`, "400 WRONG_NODE_STATUS", {
        before: [pause(id)],
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
    "pauseDevice",
    "the sensors below show its message, because devices have none",
    `/devices/${ID.four}/pause`,
    204,
    {
      body: { message: "new disks" },
      after: [
        sees(`/sensors/${ID.a}`, { status: "pausedbydependency", message: "new disks" }),
        sees(`/devices/${ID.four}`, expect.not.objectContaining({ message: expect.anything() })),
      ],
    },
  ),
  row(
    "acknowledgeSensor",
    "duration 0.0 by default: acknowledges indefinitely",
    `/sensors/${ID.down}/acknowledge`,
    204,
    {
      body: { message: "on my way" },
      after: [
        // Live servers keep the message of the last scan.
        sees(`/sensors/${ID.down}`, { status: "acknowledged", message: expect.not.stringContaining("on my way") }),
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
  ...POSSIBLE.flatMap(([action, possible]) =>
    STATUS_TOKENS.map((status) => {
      const answers = possible.includes(status) ? 204 : "400 WRONG_NODE_STATUS";
      return row(`${action}Sensor`, `a sensor that is ${status}`, `/sensors/${ID.up}/${action}`, answers, {
        before: [force(ID.up, status)],
        body: action === "pause" || action === "acknowledge" ? {} : undefined,
        ...(answers === 204
          ? {}
          : {
              shows: { message: `${action} is impossible: the sensor is ${status}` },
              after: [hasStatus(`/sensors/${ID.up}`, status)],
            }),
      });
    }),
  ),
  row("scanSensor", "the scan is in the time series", `/sensors/${ID.up}/scan`, 204, {
    before: [pass(31_200)],
    after: [
      async (it) => {
        const { json } = await it.send("GET", `/experimental/timeseries/${ID.up}/live`);
        expect((json as string[][]).at(-1)?.[0]).toBe(`${new Date(it.clock.now()).toISOString().slice(0, 19)}Z`);
      },
    ],
  }),
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

/** "What each level permits: not shown." Ours: ACKNOWLEDGE acknowledges, WRITE pauses and resumes. */
export const ACTION_LEVELS: readonly Row[] = [
  ...levelRows("acknowledgeSensor", `/sensors/${ID.down}/acknowledge`, "ACKNOWLEDGE", { body: {} }),
  ...levelRows("acknowledgeSensors", "/sensors/acknowledge", "ACKNOWLEDGE", { body: { filter: `id = "${ID.down}"` } }),
  ...KINDS.flatMap(([kind, list, id]) => [
    ...levelRows(`pause${kind}`, `${list}/${id}/pause`, "WRITE", { body: {} }),
    ...levelRows(`pause${kind}s`, `${list}/pause`, "WRITE", { body: { filter: `id = "${id}"` } }),
    ...levelRows(`resume${kind}`, `${list}/${id}/resume`, "WRITE", { before: [pause(id)] }),
    ...levelRows(`resume${kind}s`, `${list}/resume`, "WRITE", {
      before: [pause(id)],
      body: { filter: `id = "${id}"` },
    }),
  ]),
];

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
  ...(["Probe", "Group", "Device"] as const).map((kind) =>
    row(`pause${kind}s`, "all objects that match", `/${kind.toLowerCase()}s/pause`, 200, {
      body: { filter: `type = ${kind.toLowerCase()}` },
      after: [
        ({ simulator: { world, now }, received: { json } }) => {
          const nodes = world.list(kind.toLowerCase() as "group");
          expect(json).toMatchObject(nodes.map(({ id }) => ({ node: { id }, failure: null })));
          // A paused parent does not keep children from their own pause.
          for (const node of nodes) expect(world.state(node, now()).status).toBe("pausedbyuser");
        },
      ],
    }),
  ),
  row("pauseSensors", "only objects that the user sees", "/sensors/pause", 200, {
    bearer: CREDENTIALS.restrictedApiKey,
    body: { filter: "type = sensor" },
    after: [
      ({ simulator: { world }, received: { json } }) => {
        const seen = world.node(ID.elsewhere)?.children ?? [];
        expect(json).toMatchObject(seen.map(({ id }) => ({ node: { id } })));
      },
      hasStatus(`/sensors/${ID.up}`, "up"),
    ],
  }),
  row("acknowledgeSensors", "some succeed, some fail", "/sensors/acknowledge", 200, {
    body: { filter: `parentid = "${ID.device}"` },
    shows: [ID.up, ID.down, ID.paused, ID.fresh].map((id) => ({
      node: { id },
      failure: id === ID.down ? null : WRONG_STATUS,
    })),
    after: [hasStatus(`/sensors/${ID.down}`, "acknowledged")],
  }),
];
