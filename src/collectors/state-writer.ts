import type { Clock } from "../lib/clock.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import { shareTurn, TimeSlices } from "../lib/yielding.ts";
import type { DetailsUpdate } from "../model/details.ts";
import type { Lookups } from "../model/lookups.ts";
import type { LatestRow } from "../model/server-channels.ts";
import type { ServerState, TreeUpdate } from "../model/server-state.ts";
import { NODE_KINDS, stateBytes } from "../model/tree.ts";
import type { ExpiryPolicy, UpdateContext } from "../model/update-context.ts";
import type { ServerView } from "../projection/server-view.ts";
import { memoryFull } from "../prtg/answer-bounds.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ChannelList } from "../prtg/records.ts";
import { UNMAPPED_REASONS } from "../telemetry/metric-declarations.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { currentRun } from "../telemetry/run-trace.ts";

export interface StateWriterOptions {
  readonly view: ServerView;
  readonly metrics: ServerRecorder;
  readonly clock: Clock;
  readonly api: Pick<MonitoringApi, "clockOffset" | "isClockInDoubt">;
  readonly expiry: ExpiryPolicy;
  /** Memory of the state; `undefined`: not counted. */
  readonly memory?: MemoryShare | undefined;
}

/** Writes lists to the state of a server, each in one commit. Commits wait for each other. */
export class StateWriter {
  readonly #options: StateWriterOptions;

  constructor(options: StateWriterOptions) {
    this.#options = options;
  }

  /** State as of the last commit. */
  get state(): ServerState {
    return this.#options.view.state;
  }

  async applyTree(update: TreeUpdate): Promise<void> {
    this.#reserve(this.#nodesAfter(update), this.#channels);
    const { isConsistent } = await this.#commit((context) => this.state.applyTree(update, context));
    if (!isConsistent) this.#options.metrics.decodeProblem("summary", 1);
  }

  async applyChannels(list: ChannelList): Promise<void> {
    this.#reserve(this.#nodes, Math.max(this.#channels, list.items.length));
    await this.#commit((context) => this.state.applyChannels(list, context));
  }

  /** `lookups`: `undefined` if the server has none for this user. */
  async applyLimits(list: ChannelList, lookups: Lookups | undefined): Promise<void> {
    const unknown = await this.#commit((context) => this.state.channels.applyLimits(list, lookups, context));
    this.#options.metrics.decodeProblem("lookup", unknown);
  }

  /** Rows of time series that are newer than the lists, by sensor. */
  async applySeries(rows: ReadonlyMap<string, LatestRow>): Promise<void> {
    await this.#commit((context) => this.state.channels.applySeries(rows, context));
  }

  async applyDetails(update: DetailsUpdate): Promise<void> {
    await this.#commit((context) => this.state.applyDetails(update, context));
  }

  async applyVersion(version: string): Promise<void> {
    await this.#commit((context) => this.state.applyVersion(version, context));
  }

  context(): UpdateContext {
    const { view, clock, api, expiry } = this.#options;
    const server = clock.now() + api.clockOffset();
    const now = { monotonic: clock.monotonic(), server, isServerInDoubt: api.isClockInDoubt() };
    return { now, expiry, slices: new TimeSlices(clock, undefined, view.lane) };
  }

  /** For long work outside of a commit. */
  slices(): TimeSlices {
    return new TimeSlices(this.#options.clock);
  }

  /** `hadRules`: channels were mapped by rules before. */
  report(hadRules = false): void {
    const { view, metrics } = this.#options;
    metrics.orphans(this.state.tree.orphans);
    metrics.waitingChannels(this.state.channels.waiting);
    if (!hadRules && !view.hasRules) return;
    for (const reason of UNMAPPED_REASONS) metrics.unmappedChannels({ reason }, view.countOf(reason));
  }

  get #nodes(): number {
    return this.state.tree.nodes.size;
  }

  get #channels(): number {
    return this.state.channels.count + this.state.channels.waiting;
  }

  /** Upper bound: objects that a list lacks may stay for a while. */
  #nodesAfter({ nodes = {} }: TreeUpdate): number {
    const { counts } = this.state.tree;
    return NODE_KINDS.reduce((sum, kind) => sum + Math.max(counts[kind], nodes[kind]?.items.length ?? 0), 0);
  }

  /** @throws ApiError without memory for so many objects */
  #reserve(nodes: number, channels: number): void {
    const { memory } = this.#options;
    if (memory === undefined) return;
    const [bytes, now] = [stateBytes(nodes, channels), stateBytes(this.#nodes, this.#channels)];
    if (bytes > now && !memory.fits(bytes)) throw memoryFull("", memory.maxBytes);
    memory.set(bytes);
  }

  async #commit<Result>(change: (context: UpdateContext) => Result | Promise<Result>): Promise<Result> {
    const { view, clock } = this.#options;
    const since = clock.monotonic();
    const result = await view.commit(() => {
      const turn = shareTurn(clock, view.lane);
      return turn === undefined ? change(this.context()) : turn.then(() => change(this.context()));
    });
    this.report();
    this.#options.memory?.set(stateBytes(this.#nodes, this.#channels));
    currentRun()?.addWork("writing to the state", since);
    return result;
  }
}
