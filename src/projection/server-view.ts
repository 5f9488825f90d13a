import type { SharedLane } from "../lib/yielding.ts";
import type { MappingOutcome, ValueSeries } from "../mapping/rules/rule.ts";
import type { Channel } from "../model/channel.ts";
import { ServerState, type ServerStateOptions } from "../model/server-state.ts";
import type { TreeNode } from "../model/tree.ts";
import type { UpdateContext } from "../model/update-context.ts";
import type { Store, Tables } from "../store/store.ts";
import { type ChannelChoice, inspectSensor, type SensorInspection } from "./inspection.ts";
import type { PresentSeries } from "./projector.ts";
import { ServerProjection } from "./server-projection.ts";
import type { Shape } from "./shape.ts";

export interface ServerViewOptions extends ServerStateOptions {
  /** Value of the label `server`. */
  readonly server: string;
  readonly store: Store;
  readonly shape: Shape;
}

/** The series of a sensor and of some of its channels, as the page has them. */
export interface SensorSeries {
  readonly own: readonly PresentSeries[];
  /** By channel id. */
  readonly channels: ReadonlyMap<string, readonly PresentSeries[]>;
}

/** State and series of one server. Outlives clients, schedules and tables. */
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

  get lane(): SharedLane {
    return this.#store.lane;
  }

  /** Readers of the store see all of the change or nothing. */
  commit<Result>(change: () => Result | Promise<Result>): Promise<Result> {
    return this.#store.commit(change);
  }

  /** Copies the series into other tables. Call it inside `Store.reshape`, and the resolved function at the end. */
  async reshape(
    { staleAfterMs, ...shape }: Shape & Pick<ServerStateOptions, "staleAfterMs">,
    tables: Tables,
    context: UpdateContext,
  ): Promise<() => void> {
    const next = new ServerProjection(this.server, shape, tables);
    await this.state.channels.changeStaleness(staleAfterMs, context);
    await next.projectAll(this.state, context);
    return () => {
      this.#shape = shape;
      this.#projection = next;
      this.state.observe(next);
    };
  }

  get hasRules(): boolean {
    return this.#shape.mapper.hasRules;
  }

  countOf(outcome: MappingOutcome): number {
    return this.#projection.channels.countOf(outcome);
  }

  seriesOf(sensorId: string, channelId: string): readonly ValueSeries[] | undefined {
    const channel = this.state.channel(sensorId, channelId);
    const serving = channel && this.#projection.channels.servingOf(channel);
    if (channel === undefined || serving === undefined) return undefined;
    const { mapper } = this.#shape;
    return mapper.seriesOf(serving, mapper.labels.channel(this.server, channel));
  }

  /** `undefined` without rules. */
  channelIds(sensorId: string): { readonly kept: readonly string[]; readonly dropped: readonly string[] } | undefined {
    if (!this.hasRules) return undefined;
    const [kept, dropped]: [string[], string[]] = [[], []];
    for (const channel of this.state.channels.of(sensorId)?.channels ?? []) {
      const isDropped = this.#projection.channels.servingOf(channel)?.outcome === "dropped";
      (isDropped ? dropped : kept).push(channel.channelId);
    }
    return { kept, dropped };
  }

  /** `now`: monotonic ms. */
  servedValues(sensorId: string, now: number): readonly (readonly [channelId: string, value: number])[] {
    const served: (readonly [string, number])[] = [];
    for (const channel of this.state.channels.of(sensorId)?.channels ?? []) {
      const value = channel.valueAt(now);
      if (value !== undefined) served.push([channel.channelId, value]);
    }
    return served;
  }

  /** The probe is disconnected. Without a visible probe, the sensor's status is unknown then. */
  isDisconnected(sensorId: string): boolean {
    const sensor = this.state.node(sensorId);
    let node = sensor;
    while (node !== undefined && node.node.kind !== "probe") node = this.state.node(node.node.parentId);
    return node === undefined ? sensor?.status === "unknown" : node.status === "disconnected";
  }

  /** The receiver needs a staleness marker when the series of the channel end. */
  markMeasured(sensorId: string, channelId: string): void {
    const channel = this.state.channel(sensorId, channelId);
    if (channel !== undefined) this.#projection.channels.markMeasured(channel);
  }

  /**
   * Visits only the series of these objects. Neither polls nor the page wait for it, and during a poll it shows the same moment as
   * `inspect`. `now`: monotonic ms.
   */
  present(sensorId: string, channelIds: readonly string[], now: number): SensorSeries {
    const sensor = this.state.node(sensorId);
    const own = sensor === undefined ? [] : [...this.#projection.presentOfNode(sensor, now)];
    const channels = channelIds.map((channelId) => [channelId, this.#presentOf(sensorId, channelId, now)] as const);
    return { own, channels: new Map(channels) };
  }

  #presentOf(sensorId: string, channelId: string, now: number): readonly PresentSeries[] {
    const channel = this.state.channel(sensorId, channelId);
    if (channel === undefined) return [];
    return [...this.#projection.presentOfChannel(channel, this.state.details.of(channel), now)];
  }

  /** The state may change during the iteration. */
  *channels(): Iterable<readonly [sensor: TreeNode, channel: Channel, outcome: MappingOutcome]> {
    for (const { sensor, channels } of this.state.channels.all) {
      for (const channel of channels) {
        const outcome = this.#projection.channels.servingOf(channel)?.outcome;
        if (outcome !== undefined) yield [sensor.node, channel, outcome];
      }
    }
  }

  /** `now`: monotonic ms. */
  inspect(sensorId: string, choice: ChannelChoice, now: number): SensorInspection | undefined {
    return inspectSensor(this.server, this.state, this.#projection.channels, { sensorId, choice, now });
  }
}
