import type { SimLastSeen, SimStatus } from "./model.ts";
import type { SensorNode } from "./nodes/nodes.ts";
import type { Timeline } from "./timeline.ts";

const UP: ReadonlySet<SimStatus> = new Set(["up", "warning", "unusual"]);
const DOWN: ReadonlySet<SimStatus> = new Set(["down", "acknowledged", "partialdown"]);

/** What was so before the present status began. */
interface Before extends SimLastSeen {
  readonly status: SimStatus;
  readonly since: number;
  /** That of the sensor when it was found out. */
  readonly revision: number;
}

/** When sensors were last up and down. It is looked for once for each change of a status. */
export class LastSeen {
  readonly #timeline: Timeline;
  readonly #before = new WeakMap<SensorNode, Before>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  of(sensor: SensorNode, at: number): SimLastSeen {
    const { status, since } = this.#timeline.state(sensor, at);
    const now = this.#lastScan(sensor, since, at);
    const { up, down } = this.#beforeOf(sensor, status, since);
    return { up: UP.has(status) ? now : up, down: DOWN.has(status) ? now : down };
  }

  #beforeOf(sensor: SensorNode, status: SimStatus, since: number): SimLastSeen {
    const { revision } = sensor;
    const known = this.#before.get(sensor);
    if (known?.status === status && known.since === since && known.revision === revision) return known;
    let up: number | undefined;
    let down: number | undefined;
    const isFound = () => (UP.has(status) || up !== undefined) && (DOWN.has(status) || down !== undefined);
    for (let end = since; end > sensor.createdAt && !isFound(); ) {
      const one = this.#timeline.stateInPast(sensor, end - 1);
      if (UP.has(one.status)) up ??= this.#lastScan(sensor, one.since, end - 1);
      if (DOWN.has(one.status)) down ??= this.#lastScan(sensor, one.since, end - 1);
      end = one.since;
    }
    const before = { status, since, revision, up, down };
    this.#before.set(sensor, before);
    return before;
  }

  /** A status that was forced shows before a scan. */
  #lastScan(sensor: SensorNode, since: number, at: number): number {
    return Math.max(since, this.#timeline.lastScan(sensor, at) ?? since);
  }
}
