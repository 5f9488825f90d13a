import type { Visibility } from "../../auth/visibility.ts";
import type { SimNode, World } from "../../world/model.ts";

/** What properties of the tree are read with; remembers for one request what many objects have in common. */
export class TreeContext {
  readonly world: World;
  /** Simulated time, milliseconds since the epoch. */
  readonly now: number;
  readonly visibility: Visibility;
  readonly #tags = new Map<SimNode, readonly string[]>();
  /** Lists have siblings next to each other. */
  #lastTags: { readonly node: SimNode; readonly tags: readonly string[] } | undefined;

  constructor(world: World, now: number, visibility: Visibility) {
    this.world = world;
    this.now = now;
    this.visibility = visibility;
  }

  /** Tags of the node and of all above it, nearest first, each once: what its children have as `parenttags`. */
  tagsBelow(node: SimNode): readonly string[] {
    if (this.#lastTags?.node === node) return this.#lastTags.tags;
    const tags = this.#tags.get(node) ?? this.#collectTags(node);
    this.#lastTags = { node, tags };
    return tags;
  }

  #collectTags(node: SimNode): readonly string[] {
    const above = node.parent === undefined ? [] : this.tagsBelow(node.parent);
    const tags = [...new Set([...node.tags, ...above])];
    this.#tags.set(node, tags);
    return tags;
  }
}
