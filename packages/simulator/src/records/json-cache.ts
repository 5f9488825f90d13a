import type { Visibility } from "../auth/visibility.ts";
import type { SimChannel, SimNode } from "../world/model.ts";
import { ChannelJson } from "./channel-json.ts";
import { NodeJson } from "./node-json.ts";
import type { Spelling } from "./spelling.ts";

/** The cached JSON of all objects, for one spelling and one user's rights. */
export class JsonCache {
  readonly #spelling: Spelling;
  readonly #visibility: Visibility;
  readonly #nodes = new WeakMap<SimNode, NodeJson>();
  /** Nodes already found up to date since `refresh`. */
  #checked = new Map<SimNode, NodeJson>();
  /** Texts of the channels of a sensor, by number; they go when the sensor's own text does. */
  readonly #channels = new WeakMap<NodeJson, Map<number, ChannelJson>>();
  /** Where the channel before was found: those of one sensor follow each other in lists. */
  #sensor: { readonly node: SimNode; readonly text: NodeJson; readonly channels: Map<number, ChannelJson> } | undefined;

  constructor(spelling: Spelling, visibility: Visibility) {
    this.#spelling = spelling;
    this.#visibility = visibility;
  }

  /** The world may have changed: look again. To be called once a request, whose rendering then must not wait for anything. */
  refresh(): void {
    this.#checked = new Map();
    this.#sensor = undefined;
  }

  of(node: SimNode): NodeJson {
    const checked = this.#checked.get(node);
    if (checked !== undefined) return checked;
    const parent = node.parent === undefined ? undefined : this.of(node.parent);
    const known = this.#nodes.get(node);
    const text = known?.isCurrent(node, parent) ? known : new NodeJson(node, parent, this.#spelling, this.#visibility);
    if (text !== known) this.#nodes.set(node, text);
    this.#checked.set(node, text);
    return text;
  }

  ofChannel(channel: SimChannel): ChannelJson {
    const { text: sensor, channels } = this.#channelsOf(channel.sensor);
    const known = channels.get(channel.number);
    if (known?.isCurrent(channel)) return known;
    const text = new ChannelJson(channel, sensor, this.#spelling);
    channels.set(channel.number, text);
    return text;
  }

  #channelsOf(node: SimNode): { readonly text: NodeJson; readonly channels: Map<number, ChannelJson> } {
    if (this.#sensor?.node === node) return this.#sensor;
    const text = this.of(node);
    const channels = this.#channels.get(text) ?? new Map<number, ChannelJson>();
    this.#channels.set(text, channels);
    this.#sensor = { node, text, channels };
    return this.#sensor;
  }
}
