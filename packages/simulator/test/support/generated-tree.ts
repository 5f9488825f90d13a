import type { SimulatorOptions } from "../../src/simulator.ts";
import type { SimNode, SimSensor, SimStatus } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { type Received, type RunningService, type Sent, startService } from "./running-service.ts";
import { NOW } from "./static-world.ts";

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Too small for paused objects. */
export interface GeneratedTree extends RunningService {
  post(path: string, body?: unknown, sent?: Sent): Promise<Received>;
  patch(path: string, body: unknown, sent?: Sent): Promise<Received>;
  read(path: string): Promise<TreeRecord>;
  /** Up for hours, in a group. */
  readonly sensor: SimSensor;
  readonly device: SimNode;
  readonly group: SimNode;
  statusOf(node: SimNode): SimStatus;
}

export type TreeRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly basic: Readonly<Record<string, unknown>>;
  readonly intervalgroup?: Readonly<Record<string, unknown>>;
  readonly scheduledependency?: Readonly<Record<string, unknown>>;
  readonly windowsconnection?: Readonly<Record<string, unknown>>;
};

export async function startGeneratedTree(options: Partial<SimulatorOptions> = {}): Promise<GeneratedTree> {
  const size = { probes: 2, groups: 6, devices: 12, sensors: 48 };
  const world = createWorld({ seed: 5, size, startedAt: NOW - HOUR });
  const sensor = world.list("sensor").find((one) => {
    const { status, since } = world.state(one, NOW + 3 * HOUR);
    const staysUp = status === "up" && since < NOW - HOUR && one.intervalSeconds === 60;
    return staysUp && one.parent?.parent?.kind === "group" && one.parent.children.length > 1;
  });
  const device = sensor?.parent;
  const group = device?.parent;
  if (sensor === undefined || device === undefined || group === undefined) throw new Error("no sensor stays up");
  const service = await startService({ world, spelling: "specification", ...options });
  const sendBody = (method: string, path: string, body: unknown, sent: Sent = {}): Promise<Received> =>
    service.send(path, { method, ...sent, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return {
    ...service,
    ...{ sensor, device, group },
    post: (path, body, sent) => sendBody("POST", path, body, sent),
    patch: (path, body, sent) => sendBody("PATCH", path, body, sent),
    read: async (path) => {
      const { status, json, text } = await service.send(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return json as TreeRecord;
    },
    statusOf: (node) => world.state(node, service.simulator.now()).status,
  };
}
