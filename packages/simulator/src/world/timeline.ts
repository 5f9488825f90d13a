import { History } from "./history/history.ts";
import type { SimMeasurement, SimState, SimStatus } from "./model.ts";
import { type ChannelNode, SensorNode, type TreeNode } from "./nodes/nodes.ts";
import { lastDue, nextDue } from "./nodes/scan-times.ts";
import { subtree } from "./nodes/settings.ts";
import { scanMessage, statusMessage } from "./scans/messages.ts";
import { type ScanResult, scanResultOf } from "./scans/scan-result.ts";
import { HALTING, haltOfScan, highestRanked, scanSpan } from "./scans/status-span.ts";
import { valueAt } from "./scans/values.ts";
import { lastManualAction } from "./states/pauses.ts";
import { type DependencyState, SpanCollector } from "./states/span-collector.ts";

/** The last scan of a sensor, and what it brought. */
interface LastScan {
  /** The last time at which a scan was due. */
  readonly due: number;
  /** The next one. */
  readonly nextDue: number;
  /** The last one that took place: `due`, or earlier when the sensor was halted; undefined when there never was one. */
  readonly at: number | undefined;
  readonly result: ScanResult | undefined;
  /** That of the sensor when the record was made. */
  readonly revision: number;
}

/** A state that was worked out before: the status at `at` had begun at `since`. */
interface KnownState {
  readonly status: SimStatus;
  readonly since: number;
  readonly at: number;
  /** That of the node when the state was worked out. */
  readonly revision: number;
}

/** Statuses that can be acknowledged. */
const ALARMS: ReadonlySet<SimStatus> = new Set(["down", "partialdown"]);

/** Objects that depend on something in such a state are paused. */
const DOWN: ReadonlySet<SimStatus> = new Set(["down", "acknowledged", "disconnected"]);

/** Status and message of a node at one time. */
interface StatusMessage {
  readonly status: SimStatus;
  readonly message: string;
}

/**
 * Answers for any time in any order. State and values come from the same scans: halts (pauses, lost connections) show
 * at once, everything else at the first scan after it began. A forced state shows at once, too; the values
 * follow with the next scan, since a measurement once taken never changes.
 */
export class Timeline {
  readonly #spans = new SpanCollector((node, at) => this.#dependencyState(node, at));
  /** What was measured before the last scan. */
  readonly history = new History(this.#spans);
  readonly #lastScans = new Map<SensorNode, LastScan>();
  readonly #knownStates = new Map<TreeNode, KnownState>();
  readonly #showsAcknowledgements: boolean;

  /** @param showsAcknowledgements Sensors show the message of their acknowledgement. Live servers do not. */
  constructor(showsAcknowledgements = false) {
    this.#showsAcknowledgements = showsAcknowledgements;
  }

  /** To be called for removed nodes. Changes of other nodes are noticed by their `revision`. */
  forget(node: TreeNode): void {
    this.#knownStates.delete(node);
    this.#spans.forget(node);
    if (!(node instanceof SensorNode)) return;
    this.#lastScans.delete(node);
    this.history.forget(node);
  }

  lastMeasurement(channel: ChannelNode, at: number): SimMeasurement | undefined {
    const { at: scanned, result } = this.#lastScan(channel.sensor, at);
    if (scanned === undefined || result === undefined) return undefined;
    const displayValue = valueAt(channel, result, scanned);
    return { at: scanned, displayValue, value: displayValue === null ? null : displayValue * channel.rawFactor };
  }

  state(node: TreeNode, at: number): SimState {
    const { status, message } = this.#statusAt(node, at);
    const known = this.#knownStates.get(node);
    // The usual case of a poll: nothing has happened since the last one.
    const { revision } = node;
    if (
      known?.status === status &&
      known.revision === revision &&
      known.at <= at &&
      this.#lastChange(node, at) <= known.at
    ) {
      return { status, message, since: known.since };
    }
    const since = this.#statusSince(node, at, status);
    this.#knownStates.set(node, { status, since, at, revision });
    return { status, message, since };
  }

  /** As `state`, of a time that is not asked for again and again. */
  stateInPast(node: TreeNode, at: number): Pick<SimState, "status" | "since"> {
    const { status } = this.#statusAt(node, at);
    return { status, since: this.#statusSince(node, at, status) };
  }

  /** The last scan at or before `at`; undefined when there was none. */
  lastScan(sensor: SensorNode, at: number): number | undefined {
    return this.#lastScan(sensor, at).at;
  }

  #statusSince(node: TreeNode, at: number, status: SimStatus): number {
    return this.#since(node, at, status, (when) => this.#statusAt(node, when).status);
  }

  /** The time of the first scan after the last change of the node. */
  #lastChange(node: TreeNode, at: number): number {
    const boundary = Math.max(this.#spans.lastBoundary(node, at), node.createdAt);
    return node instanceof SensorNode ? nextDue(node, boundary) : boundary;
  }

  /** With acknowledgements: one counts until the end of the alarm that was on when it was given. */
  #statusAt(node: TreeNode, at: number): StatusMessage {
    const scanned = this.#scannedStatus(node, at);
    if (!(node instanceof SensorNode) || node.acknowledgements.length === 0 || !ALARMS.has(scanned.status))
      return scanned;
    const since = this.#since(node, at, scanned.status, (when) => this.#scannedStatus(node, when).status);
    const given = node.acknowledgements.findLast((one) => since <= one.at && one.at <= at);
    if (given === undefined || given.until <= at) return scanned;
    const message = this.#showsAcknowledgements && given.message !== "" ? given.message : scanned.message;
    return { status: "acknowledged", message };
  }

  /** Whether the node is down for those that depend on it. */
  #dependencyState(node: TreeNode, at: number): DependencyState {
    if (node instanceof SensorNode || node.kind === "probe") {
      const { status, since } = this.state(node, at);
      return { isDown: DOWN.has(status), since };
    }
    // A device or group that does not answer shows as up all the same: it is its sensors that are down.
    let [down, well, since] = [0, 0, -Infinity];
    for (const sensor of subtree(node)) {
      if (!(sensor instanceof SensorNode) || at < sensor.createdAt) continue;
      const state = this.state(sensor, at);
      since = Math.max(since, state.since);
      if (DOWN.has(state.status)) down++;
      else if (!HALTING.has(state.status)) well++;
    }
    return { isDown: down > 0 && well === 0, since };
  }

  #scannedStatus(node: TreeNode, at: number): StatusMessage {
    if (at < node.createdAt) return { status: "unknown", message: statusMessage("unknown") };
    const found = highestRanked(this.#spans.spansAt(node, at), at);
    if (found?.halts) return { status: found.status, message: found.message || statusMessage(found.status) };
    if (!(node instanceof SensorNode)) return { status: "up", message: statusMessage("up") };
    const action = lastManualAction(node, at);
    if (action?.kind === "force") {
      return { status: action.status, message: scanMessage(node, scanResultOf(node, found, at)) };
    }
    const { due, at: scanned, result } = this.#lastScan(node, at);
    // After a pause nothing is known until the next scan.
    if (result === undefined || scanned !== due) return { status: "unknown", message: statusMessage("unknown") };
    return { status: result.status, message: result.message || scanMessage(node, result) };
  }

  /** Goes back from change to change until the status was another one. */
  #since(node: TreeNode, at: number, status: SimStatus, statusAt: (when: number) => SimStatus): number {
    let time = at;
    for (;;) {
      const boundary = Math.max(this.#spans.lastBoundary(node, time), node.createdAt);
      if (node instanceof SensorNode) {
        const scan = nextDue(node, boundary);
        if (scan <= at && statusAt(scan - 1) !== status) return scan;
      }
      if (boundary <= node.createdAt) return Math.min(node.createdAt, at);
      if (statusAt(boundary - 1) !== status) return boundary;
      time = boundary - 1;
    }
  }

  #lastScan(sensor: SensorNode, at: number): LastScan {
    const { revision } = sensor;
    const known = this.#lastScans.get(sensor);
    if (known?.revision === revision && known.due <= at && at < known.nextDue) return known;
    const due = lastDue(sensor, at);
    const record = { due, nextDue: nextDue(sensor, due + 1), ...this.#scanAtOrBefore(sensor, due), revision };
    this.#lastScans.set(sensor, record);
    return record;
  }

  #scanAtOrBefore(sensor: SensorNode, due: number): Pick<LastScan, "at" | "result"> {
    let at = due;
    while (at >= sensor.createdAt) {
      const spans = this.#spans.spansAt(sensor, at);
      const halt = haltOfScan(spans, at);
      if (halt === undefined) return { at, result: scanResultOf(sensor, scanSpan(spans, at), at) };
      at = lastDue(sensor, halt.start);
    }
    return { at: undefined, result: undefined };
  }
}
