import type { TreeNode } from "../tree/model.ts";
import type { Channel } from "./channel.ts";

/** The channels of one sensor. There are few, so they are a list, which takes a fifth of the memory of a map. */
export class SensorChannels {
  sensor: TreeNode;
  /** As of the poll under way. */
  paused = false;
  staleAfterMs = 0;
  /** Newest measurement that poll `newestIn` showed, milliseconds since the epoch. */
  newest = 0;
  newestIn = 0;
  readonly channels: Channel[] = [];
  /** Where the channel is that comes after the one looked for last. */
  #next = 0;

  constructor(sensor: TreeNode) {
    this.sensor = sensor;
  }

  /** At once, when channels are looked for in the order in which they came first. */
  find(channelId: string): Channel | undefined {
    const { channels } = this;
    const expected = channels[this.#next] ?? channels[0];
    if (expected?.channelId === channelId) {
      this.#next = channels[this.#next] === expected ? this.#next + 1 : 1;
      return expected;
    }
    const at = channels.findIndex((channel) => channel.channelId === channelId);
    if (at !== -1) this.#next = at + 1;
    return channels[at];
  }

  add(channel: Channel): void {
    this.channels.push(channel);
    this.#next = this.channels.length;
  }

  remove(channel: Channel): void {
    const at = this.channels.indexOf(channel);
    if (at !== -1) this.channels.splice(at, 1);
  }
}
