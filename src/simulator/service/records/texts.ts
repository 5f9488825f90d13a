import type { SimChannel, SimNode } from "../../world/model.ts";
import type { Visibility } from "../access.ts";
import { ChannelText } from "./channel-text.ts";
import { NodeText } from "./node-text.ts";
import type { Spelling } from "./spelling.ts";

/** The constant texts of all objects, for one spelling and one user's rights. */
export class Texts {
  readonly #spelling: Spelling;
  readonly #visibility: Visibility;
  readonly #nodes = new WeakMap<SimNode, NodeText>();
  readonly #channels = new WeakMap<SimChannel, ChannelText>();
  /** Nodes already found up to date since `refresh`. */
  #checked = new Map<SimNode, NodeText>();

  constructor(spelling: Spelling, visibility: Visibility) {
    this.#spelling = spelling;
    this.#visibility = visibility;
  }

  /** The world may have changed: look again. To be called once a request, whose rendering then must not wait for anything. */
  refresh(): void {
    this.#checked = new Map();
  }

  of(node: SimNode): NodeText {
    const checked = this.#checked.get(node);
    if (checked !== undefined) return checked;
    const parent = node.parent === undefined ? undefined : this.of(node.parent);
    const known = this.#nodes.get(node);
    const text = known?.fits(node, parent) ? known : new NodeText(node, parent, this.#spelling, this.#visibility);
    if (text !== known) this.#nodes.set(node, text);
    this.#checked.set(node, text);
    return text;
  }

  ofChannel(channel: SimChannel): ChannelText {
    const sensor = this.of(channel.sensor);
    const known = this.#channels.get(channel);
    if (known?.fits(channel, sensor)) return known;
    const text = new ChannelText(channel, sensor, this.#spelling);
    this.#channels.set(channel, text);
    return text;
  }
}
