import { codeUnitAt } from "../lib/text-units.ts";
import type { Channel } from "./channel.ts";
import type { NodeState } from "./node-state.ts";

/** Channels of one sensor beyond which they are looked for in a map. */
const MAX_WITHOUT_MAP = 64;

/** The channels of one sensor. There are few, so they are a list, which takes a fifth of the memory of a map. */
export class SensorChannels {
  readonly sensor: NodeState;
  /** As of the poll under way. */
  paused = false;
  /** Age at which their values go. */
  staleAfterMs = 0;
  /** Number of the last poll that showed a measurement. */
  measuredIn = 0;
  #channels: Channel[] = [];
  /** Undefined while they are few. */
  #byId: Map<string, Channel> | undefined;
  /** Those of all channels that were ever there: of an id without its bit there is none, and nothing has to be looked for. */
  #bits = 0;
  /** Where the channel is that comes after the one looked for last. */
  #next = 0;

  constructor(sensor: NodeState) {
    this.sensor = sensor;
  }

  get channels(): readonly Channel[] {
    return this.#channels;
  }

  /** At once, when channels are looked for in the order in which they came first. */
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

  /** Only the channels for which `isKept` says so stay; it is asked once for each. */
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

/** One of 32 bits: for 0 to 31, as nearly all ids are, each has its own. */
function bitOf(channelId: string): number {
  const last = channelId.length - 1;
  return 1 << (codeUnitAt(channelId, last) + (last > 0 ? 10 * codeUnitAt(channelId, last - 1) : 0));
}
