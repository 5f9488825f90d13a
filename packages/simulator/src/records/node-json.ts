import type { Visibility } from "../auth/visibility.ts";
import type { SimNode } from "../world/model.ts";
import { isDevice, isSensor, kindOf } from "../world/objects.ts";
import { nodeHref, nodeReference } from "./references.ts";
import type { Spelling } from "./spelling.ts";
import { flat } from "./values.ts";

/** What seldom changes about a node, as JSON; kept, since making it anew for each poll costs too much. */
export class NodeJson {
  readonly node: SimNode;
  readonly parent: NodeJson | undefined;
  /** Reference object to the node. */
  readonly reference: string;
  readonly #spelling: Spelling;
  readonly #name: string;
  readonly #tags: readonly string[];
  readonly #tagCount: number;
  readonly #priority: number;
  readonly #favorite: boolean;
  readonly #address: string | undefined;
  #head: string | undefined;
  #basic: string | undefined;
  #path: string | undefined;
  #tagsBelow: string | undefined;

  constructor(node: SimNode, parent: NodeJson | undefined, spelling: Spelling, visibility: Visibility) {
    this.node = node;
    this.parent = parent;
    this.reference = flat(nodeReference(node, visibility));
    this.#spelling = spelling;
    this.#name = node.name;
    this.#tags = node.tags;
    this.#tagCount = node.tags.length;
    this.#priority = node.priority;
    this.#favorite = node.favorite;
    this.#address = addressOf(node);
  }

  /** Whether the JSON is still up to date. That of the parent must be. */
  isCurrent(node: SimNode, parent: NodeJson | undefined): boolean {
    return (
      this.parent === parent &&
      this.#name === node.name &&
      this.#tags === node.tags &&
      this.#tagCount === node.tags.length &&
      this.#priority === node.priority &&
      this.#favorite === node.favorite &&
      this.#address === addressOf(node)
    );
  }

  /** The tree node from `{` to where its section `basic` begins. */
  get head(): string {
    this.#head ??= this.#renderHead();
    return this.#head;
  }

  /** The members of the section `basic`, without braces. */
  get basic(): string {
    this.#basic ??= this.#renderBasic();
    return this.#basic;
  }

  /** Reference objects from the root to the node itself, separated by commas. */
  get path(): string {
    this.#path ??= this.parent === undefined ? this.reference : flat(this.parent.path, ",", this.reference);
    return this.#path;
  }

  /** Tags that the objects below have from this one and those above, as an array. */
  get tagsBelow(): string {
    this.#tagsBelow ??= JSON.stringify(this.#collectTags());
    return this.#tagsBelow;
  }

  #collectTags(): readonly string[] {
    const tags = new Set<string>();
    for (let text: NodeJson | undefined = this; text !== undefined; text = text.parent) {
      for (const tag of text.node.tags) tags.add(tag);
    }
    return [...tags];
  }

  /** `favorite` is in the selection of sensors only: the full default of devices is known and lacks it. */
  #renderHead(): string {
    const { node, parent } = this;
    const members = [
      `"id":"${node.id}"`,
      `"name":${JSON.stringify(node.name)}`,
      `"href":"${nodeHref(node)}"`,
      `"type":${this.#spelling.type(kindOf(node))}`,
      `"kind":${JSON.stringify(node.type)}`,
    ];
    if (isSensor(node)) members.push(`"kind_name":${JSON.stringify(node.typeName)}`, `"favorite":${node.favorite}`);
    if (isDevice(node)) members.push(`"kind_variant":${JSON.stringify(node.type)}`);
    if (parent !== undefined) members.push(`"parent":${parent.reference}`);
    return flat("{", members.join(","));
  }

  #renderBasic(): string {
    const { node } = this;
    const members = [
      `"name":${JSON.stringify(node.name)}`,
      `"tags":${JSON.stringify(node.tags)}`,
      `"parenttags":${this.parent?.tagsBelow ?? "[]"}`,
      `"priority":${this.#spelling.setting(node.priority)}`,
    ];
    if (isDevice(node)) {
      members.push(
        `"host":${JSON.stringify(node.host)}`,
        `"hostv6":${JSON.stringify(node.hostv6)}`,
        `"ipversion":${this.#spelling.setting(node.ipVersion === 6 ? 1 : 0)}`,
      );
    }
    return members.join(",");
  }
}

function addressOf(node: SimNode): string | undefined {
  return isDevice(node) ? `${node.ipVersion} ${node.host} ${node.hostv6}` : undefined;
}
