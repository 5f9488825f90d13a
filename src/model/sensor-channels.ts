import { codeUnitAt } from "../lib/text-units.ts";
import type { Channel } from "./channel.ts";
import type { NodeState } from "./node-state.ts";

/** Sensors with more channels have a map. */
const MAX_WITHOUT_MAP = 64;

/** A list takes a fifth of the memory of a map. */
export class SensorChannels {
  readonly sensor: NodeState;
  paused = false;
  staleAfterMs = 0;
  /** Number of the last poll with a measurement. */
  measuredIn = 0;
  #channels: Channel[] = [];
  #byId: Map<string, Channel> | undefined;
  /** A bit per channel id seen so far. A missing bit proves that there is no such channel. */
  #bits = 0;
  /** Position after the last result. */
  #next = 0;

  constructor(sensor: NodeState) {
    this.sensor = sensor;
  }

  get channels(): readonly Channel[] {
    return this.#channels;
  }

  /** Finds channels in constant time if callers ask in list order. */
  find(channelId: string): Channel | undefined {
    const channels = this.#channels;
    const expected = channels[this.#next] ?? channels[0];
    if (expected?.channelId === channelId) {
      this.#next = channels[this.#next] === expected ? this.#next + 1 : 1;
      return expected;
    }
    if (this.#byId !== undefined) return this.#byId.get(channelId);
    if ((this.#bits & bitOf(channelId)) === 0) return undefined;
    const at = channels.findIndex((channel) => channel.channelId === channelId);
    if (at !== -1) this.#next = at + 1;
    return channels[at];
  }

  add(channel: Channel): void {
    this.#channels.push(channel);
    this.#bits |= bitOf(channel.channelId);
    this.#next = this.#channels.length;
    if (this.#byId !== undefined) this.#byId.set(channel.channelId, channel);
    else if (this.#channels.length > MAX_WITHOUT_MAP) this.#index();
  }

  /** Calls `isKept` once per channel. */
  retain(isKept: (channel: Channel) => boolean): void {
    const kept = this.#channels.filter(isKept);
    if (kept.length === this.#channels.length) return;
    this.#channels = kept;
    this.#byId = undefined;
    if (kept.length > MAX_WITHOUT_MAP) this.#index();
  }

  #index(): void {
    this.#byId = new Map(this.#channels.map((channel) => [channel.channelId, channel]));
  }
}

/** Ids 0 to 31 have a bit each. */
function bitOf(channelId: string): number {
  const last = channelId.length - 1;
  return 1 << (codeUnitAt(channelId, last) + (last > 0 ? 10 * codeUnitAt(channelId, last - 1) : 0));
}
