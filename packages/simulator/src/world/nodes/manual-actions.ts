import type { SimStatus } from "../model.ts";
import type { Timeline } from "../timeline.ts";
import type { Dependencies } from "./dependencies.ts";
import { insertByTime, type ManualAction, type TreeNode } from "./nodes.ts";
import type { Registry } from "./registry.ts";

const SECOND_MS = 1000;

/** Pauses, acknowledgements, forced statuses and scans by users. Each method throws a RangeError for an unknown id. */
export class ManualActions {
  readonly #registry: Registry;
  readonly #timeline: Timeline;
  readonly #dependencies: Dependencies;

  constructor(registry: Registry, timeline: Timeline, dependencies: Dependencies) {
    this.#registry = registry;
    this.#timeline = timeline;
    this.#dependencies = dependencies;
  }

  pause(id: string, at: number, message = "", until = Infinity): void {
    const status = until === Infinity ? "pausedbyuser" : "pauseduntil";
    this.#add(this.#registry.require(id), { at, until, kind: "pause", status, message });
  }

  resume(id: string, at: number): void {
    const node = this.#registry.require(id);
    this.#add(node, { at, until: Infinity, kind: "resume", status: "up", message: "" });
  }

  force(sensorId: string, status: SimStatus, at: number): void {
    const sensor = this.#registry.requireSensor(sensorId);
    this.#add(sensor, { at, until: Infinity, kind: "force", status, message: "" });
  }

  acknowledge(sensorId: string, at: number, message = "", until = Infinity): void {
    const sensor = this.#registry.requireSensor(sensorId);
    const { status } = this.#timeline.state(sensor, at);
    if (status !== "down" && status !== "partialdown" && status !== "acknowledged") {
      throw new RangeError(`the sensor ${sensorId} cannot be acknowledged: it is ${status}, not down`);
    }
    insertByTime(sensor.acknowledgements, { at, until, message });
    this.#dependencies.invalidate(sensor);
  }

  /** One more scan, at the beginning of the second as rows are whole seconds, unless there is one already. */
  scan(sensorId: string, at: number): void {
    const sensor = this.#registry.requireSensor(sensorId);
    const scanAt = Math.floor(at / SECOND_MS) * SECOND_MS;
    if (sensor.requestedScans.includes(scanAt)) return;
    sensor.requestedScans.push(scanAt);
    sensor.requestedScans.sort((one, other) => one - other);
    this.#dependencies.invalidate(sensor);
  }

  #add(node: TreeNode, action: ManualAction): void {
    insertByTime(node.manualActions, action);
    this.#dependencies.invalidate(node);
  }
}
