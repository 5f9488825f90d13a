import type { StatusToken } from "../prtg/status.ts";
import {
  BEGIN,
  findOutages,
  type Outage,
  type OutageDevice,
  outageAbove,
  outageKey,
  problemOf,
  type StateOf,
} from "./outages.ts";
import { Rows } from "./rows.ts";
import type { StateObserver } from "./state-observer.ts";
import type { Tree, TreeNode } from "./tree.ts";
import type { UpdateContext } from "./update-context.ts";

/** The outages of one server, from poll to poll. */
export class OutageTracker {
  readonly #rows = new Rows();
  readonly #deviceRows = new Rows();
  #outages = new Map<string, Outage>();
  #devices = new Map<string, OutageDevice>();

  /** By `outageKey`. */
  get all(): ReadonlyMap<string, Outage> {
    return this.#outages;
  }

  get devices(): Iterable<OutageDevice> {
    return this.#devices.values();
  }

  get size(): number {
    return this.#outages.size;
  }

  /** The outage to which a sensor with a problem belongs. */
  of({ nodes }: Pick<Tree, "nodes">, sensor: TreeNode, status: StatusToken | undefined): Outage | undefined {
    const problem = this.size === 0 ? undefined : problemOf(status);
    return problem && outageAbove(nodes, sensor, problem, this.#outages);
  }

  /** @param problems Number of sensors with a problem: few of them cannot be an outage, so that nothing is read. */
  async update(
    tree: Tree,
    stateOf: StateOf,
    problems: number,
    observer: StateObserver,
    { now, expiry, slices }: UpdateContext,
  ): Promise<void> {
    if (problems < BEGIN.sensors && this.size === 0) return;
    const found = await findOutages(tree, stateOf, this.#outages, slices);
    const expiresAt = expiry.state();
    const outages = new Map<string, Outage>();
    const devices = new Map<string, OutageDevice>();
    for (const { first, devices: affected, ...outage } of found) {
      const key = outageKey(outage.problem, outage.node.id);
      const before = this.#outages.get(key);
      const isEarlier = before?.since !== undefined && before.since <= (first?.statusSince ?? Number.POSITIVE_INFINITY);
      const { since, firstId } = isEarlier ? before : { since: first?.statusSince, firstId: first?.id };
      const row = before?.row ?? this.#rows.take();
      outages.set(key, { ...outage, row, devices: affected.size, since, firstId, expiresAt });
      if (outage.node.kind === "device") continue;
      for (const id of affected) {
        const node = tree.nodes.get(id);
        if (node === undefined) continue;
        const { problem } = outage;
        const deviceKey = outageKey(problem, id);
        const deviceRow = this.#devices.get(deviceKey)?.row ?? this.#deviceRows.take();
        devices.set(deviceKey, { row: deviceRow, node, problem, outageId: outage.node.id, expiresAt });
      }
    }
    for (const outage of goneFrom(this.#outages, outages)) {
      observer.onRecordRemoval("outage", outage);
      this.#rows.release(outage.row);
    }
    for (const device of goneFrom(this.#devices, devices)) {
      observer.onRecordRemoval("outageDevice", device);
      this.#deviceRows.release(device.row);
    }
    this.#outages = outages;
    this.#devices = devices;
    for (const outage of outages.values()) observer.onRecord("outage", outage, now.monotonic);
    for (const device of devices.values()) observer.onRecord("outageDevice", device, now.monotonic);
  }
}

function goneFrom<Kept>(before: ReadonlyMap<string, Kept>, now: ReadonlyMap<string, Kept>): readonly Kept[] {
  return [...before].flatMap(([key, value]) => (now.has(key) ? [] : [value]));
}
