import type { SharedLane } from "../lib/yielding.ts";
import type { MappingOutcome, ValueSeries } from "../mapping/channel-serving.ts";
import type { Channel } from "../model/channel.ts";
import { ServerState, type ServerStateOptions } from "../model/server-state.ts";
import type { TreeNode } from "../model/tree.ts";
import type { UpdateContext } from "../model/update-context.ts";
import type { Store, Tables } from "../store/store.ts";
import { type ChannelChoice, inspectSensor, type SensorInspection } from "./inspection.ts";
import { ServerProjection } from "./server-projection.ts";
import type { Shape } from "./shape.ts";

export interface ServerViewOptions extends ServerStateOptions {
  /** Value of the label `server`. */
  readonly server: string;
  readonly store: Store;
  readonly shape: Shape;
}

/** One server's state, and what the store shows of it. Outlives clients, schedules and tables. */
export class ServerView {
  readonly server: string;
  readonly state: ServerState;
  readonly #store: Store;
  #shape: Shape;
  #projection: ServerProjection;

  constructor({ server, store, shape, ...options }: ServerViewOptions) {
    this.server = server;
    this.state = new ServerState(options);
    this.#store = store;
    this.#shape = shape;
    this.#projection = new ServerProjection(server, shape, store);
    this.state.observe(this.#projection);
  }

  /** Of long work inside `commit`. */
  get lane(): SharedLane {
    return this.#store.lane;
  }

  /** Runs a change of the state as one commit of the store: readers of the store see all of it or nothing. */
  commit<Result>(change: () => Result | Promise<Result>): Promise<Result> {
    return this.#store.commit(change);
  }

  /**
   * Shows the same state in other tables, as `shape` wants it; values are served for `staleAfterMs` from now on. Call
   * inside `Store.reshape`, and what this resolves with at its end; until then the store shows what it did.
   */
  async reshape(
    { staleAfterMs, ...shape }: Shape & Pick<ServerStateOptions, "staleAfterMs">,
    tables: Tables,
    context: UpdateContext,
  ): Promise<() => void> {
    const next = new ServerProjection(this.server, shape, tables);
    await this.state.changeStaleness(staleAfterMs, context);
    await next.showAll(this.state, context);
    return () => {
      this.#shape = shape;
      this.#projection = next;
      this.state.observe(next);
    };
  }

  /** Whether rules decide as what channels are served. */
  get hasRules(): boolean {
    return this.#shape.mapper.hasRules;
  }

  /** Channels of which rules made this. */
  countOf(outcome: MappingOutcome): number {
    return this.#projection.countOf(outcome);
  }

  /** The series that show a channel's value; undefined while the channel or its sensor is not known. */
  seriesOf(sensorId: string, channelId: string): readonly ValueSeries[] | undefined {
    const channel = this.state.channel(sensorId, channelId);
    const serving = channel && this.#projection.servingOf(channel);
    if (channel === undefined || serving === undefined) return undefined;
    const { mapper } = this.#shape;
    return mapper.seriesOf(serving, mapper.labels.channel(this.server, channel));
  }

  /** Ids of a sensor's channels, by whether rules drop them; undefined where there are no rules. */
  channelIds(sensorId: string): { readonly kept: readonly string[]; readonly dropped: readonly string[] } | undefined {
    if (!this.hasRules) return undefined;
    const [kept, dropped]: [string[], string[]] = [[], []];
    for (const channel of this.state.channelsOf(sensorId)?.channels ?? []) {
      const isDropped = this.#projection.servingOf(channel)?.outcome === "dropped";
      (isDropped ? dropped : kept).push(channel.channelId);
    }
    return { kept, dropped };
  }

  /** What is served of a sensor at a time (monotonic ms): ids of channels and their values. */
  servedValues(sensorId: string, now: number): readonly (readonly [channelId: string, value: number])[] {
    const served: (readonly [string, number])[] = [];
    for (const channel of this.state.channelsOf(sensorId)?.channels ?? []) {
      const value = channel.valueAt(now);
      if (value !== undefined) served.push([channel.channelId, value]);
    }
    return served;
  }

  /** The probe of the sensor is not connected; without a visible probe: the sensor's status is unknown, as it is then. */
  isDisconnected(sensorId: string): boolean {
    const sensor = this.state.node(sensorId);
    let node = sensor;
    while (node !== undefined && node.node.kind !== "probe") node = this.state.node(node.node.parentId);
    return node === undefined ? sensor?.status === "unknown" : node.status === "disconnected";
  }

  /** Measurements of the channel go to a receiver, which is to be told when its series end. */
  markMeasured(sensorId: string, channelId: string): void {
    const channel = this.state.channel(sensorId, channelId);
    if (channel !== undefined) this.#projection.markMeasured(channel);
  }

  /** Every channel whose sensor is known, with what rules made of it. Changes may come in between. */
  *channels(): Iterable<readonly [sensor: TreeNode, channel: Channel, outcome: MappingOutcome]> {
    for (const { sensor, channels } of this.state.channelsBySensor) {
      for (const channel of channels) {
        const outcome = this.#projection.servingOf(channel)?.outcome;
        if (outcome !== undefined) yield [sensor.node, channel, outcome];
      }
    }
  }

  /** What is known of a sensor and its channels at a time (monotonic ms); undefined while it is not known. */
  inspect(sensorId: string, choice: ChannelChoice, now: number): SensorInspection | undefined {
    return inspectSensor(this.server, this.state, this.#projection, { sensorId, choice, now });
  }
}
