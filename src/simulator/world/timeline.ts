import { History } from "./history.ts";
import { Influences } from "./influences.ts";
import { scanMessage, standingMessage } from "./messages.ts";
import type { SimMeasurement, SimState, SimStatus } from "./model.ts";
import { type ChannelNode, SensorNode, type TreeNode } from "./nodes.ts";
import { lastOrder } from "./pauses.ts";
import { lastDue, nextDue } from "./scan-times.ts";
import { behindScan, haltOfScan, prevailing } from "./span.ts";
import { valueAt } from "./values.ts";
import { type Verdict, verdictOf } from "./verdicts.ts";

/** The last scan of a sensor, and what it brought. */
interface ScanRecord {
  /** The last moment when a scan was due. */
  readonly due: number;
  /** The last one that took place: `due`, or earlier when the sensor was halted; undefined when there never was one. */
  readonly at: number | undefined;
  readonly verdict: Verdict | undefined;
  /** What the record rests on. */
  readonly intervalSeconds: number;
}

/** An answer given before: the status that showed at `at` had begun at `since`. */
interface Standing {
  readonly status: SimStatus;
  readonly since: number;
  readonly at: number;
}

/** What shows of a node at a moment. */
interface Appearance {
  readonly status: SimStatus;
  readonly message: string;
}

/**
 * Answers for any moment in any order. State and values come from the same scans: halts (pauses, lost connections) show
 * at once, everything else at the first scan after it began. A state that somebody forces shows at once, too; the values
 * follow with the next scan, since a measurement once taken never changes.
 */
export class Timeline {
  readonly #influences = new Influences();
  /** What was measured before the last scan. */
  readonly history = new History(this.#influences);
  #records = new Map<SensorNode, ScanRecord>();
  #standings = new Map<TreeNode, Standing>();

  /** To be called after each change of the tree or of what somebody ordered. */
  changed(): void {
    this.#records = new Map();
    this.#standings = new Map();
    this.#influences.changed();
    this.history.changed();
  }

  lastMeasurement(channel: ChannelNode, at: number): SimMeasurement | undefined {
    const { at: scanned, verdict } = this.#lastScan(channel.sensor, at);
    if (scanned === undefined || verdict === undefined) return undefined;
    const displayValue = valueAt(channel, verdict, scanned);
    return { at: scanned, displayValue, value: displayValue === null ? null : displayValue * channel.rawFactor };
  }

  state(node: TreeNode, at: number): SimState {
    const { status, message } = this.#effective(node, at);
    const known = this.#standings.get(node);
    // The usual case of a poll: nothing has happened since the last one.
    if (known?.status === status && known.at <= at && this.#settledBefore(node, at) <= known.at) {
      return { status, message, since: known.since };
    }
    const since = this.#since(node, at, status, (when) => this.#effective(node, when).status);
    this.#standings.set(node, { status, since, at });
    return { status, message, since };
  }

  /** When the last thing that happened to the node showed. */
  #settledBefore(node: TreeNode, at: number): number {
    const boundary = Math.max(this.#influences.lastBoundary(node, at), node.bornAt);
    return node instanceof SensorNode ? nextDue(node, boundary) : boundary;
  }

  /** With acknowledgements: one counts for as long as the alarm lasts that was on when it was given. */
  #effective(node: TreeNode, at: number): Appearance {
    const seen = this.#appearance(node, at);
    if (seen.status !== "down" || !(node instanceof SensorNode) || node.acknowledgements.length === 0) return seen;
    const since = this.#since(node, at, "down", (when) => this.#appearance(node, when).status);
    const given = node.acknowledgements.findLast((one) => since <= one.at && one.at <= at);
    return given === undefined ? seen : { status: "acknowledged", message: given.message || seen.message };
  }

  #appearance(node: TreeNode, at: number): Appearance {
    if (at < node.bornAt) return { status: "unknown", message: standingMessage("unknown") };
    const found = prevailing(this.#influences.bearing(node, at), at);
    if (found?.halts) return { status: found.status, message: found.message || standingMessage(found.status) };
    if (!(node instanceof SensorNode)) return { status: "up", message: standingMessage("up") };
    const order = lastOrder(node, at);
    if (order?.kind === "force") {
      return { status: order.status, message: scanMessage(node, verdictOf(node, found, at)) };
    }
    const { due, at: scanned, verdict } = this.#lastScan(node, at);
    // After a pause nothing is known until the next scan.
    if (verdict === undefined || scanned !== due) return { status: "unknown", message: standingMessage("unknown") };
    return { status: verdict.status, message: verdict.message || scanMessage(node, verdict) };
  }

  /** Goes back from boundary to boundary until the status was another one. */
  #since(node: TreeNode, at: number, status: SimStatus, statusAt: (when: number) => SimStatus): number {
    let moment = at;
    for (;;) {
      const boundary = Math.max(this.#influences.lastBoundary(node, moment), node.bornAt);
      if (node instanceof SensorNode) {
        const scan = nextDue(node, boundary);
        if (scan <= at && statusAt(scan - 1) !== status) return scan;
      }
      if (boundary <= node.bornAt) return Math.min(node.bornAt, at);
      if (statusAt(boundary - 1) !== status) return boundary;
      moment = boundary - 1;
    }
  }

  #lastScan(sensor: SensorNode, at: number): ScanRecord {
    const due = lastDue(sensor, at);
    const { intervalSeconds } = sensor;
    const known = this.#records.get(sensor);
    if (known?.due === due && known.intervalSeconds === intervalSeconds) return known;
    const scan = this.#scanAtOrBefore(sensor, due);
    const record = { due, ...scan, intervalSeconds };
    this.#records.set(sensor, record);
    return record;
  }

  #scanAtOrBefore(sensor: SensorNode, due: number): Pick<ScanRecord, "at" | "verdict"> {
    let at = due;
    while (at >= sensor.bornAt) {
      const spans = this.#influences.bearing(sensor, at);
      const halt = haltOfScan(spans, at);
      if (halt === undefined) return { at, verdict: verdictOf(sensor, behindScan(spans, at), at) };
      at = lastDue(sensor, halt.start);
    }
    return { at: undefined, verdict: undefined };
  }
}
