import { LinePositions } from "../../../../src/lib/line-positions.ts";
import { isMergeKey, parseYamlTree, YamlFault, type YamlMap, type YamlNode } from "../../../../src/lib/yaml-tree.ts";
import { type Position, ScenarioError, type ScenarioProblem } from "./scenario-error.ts";

export type KeyPath = readonly PropertyKey[];

/** What aliases may multiply a file to. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

/** Where a key or an item stands, and what is in it. */
interface Placed {
  readonly offset: number;
  readonly inside: Map<PropertyKey, Placed>;
}

/** A YAML or JSON document with the positions of its values. */
export class YamlSource {
  readonly file: string;
  /** Plain maps, lists and scalars. */
  readonly value: unknown;
  readonly #lines: LinePositions;
  readonly #root: Placed = { offset: 0, inside: new Map() };
  readonly #anchors = new Map<string, YamlNode>();
  #values = 0;

  /** @throws ScenarioError for what is no YAML */
  constructor(text: string, file: string) {
    this.file = file;
    this.#lines = new LinePositions(text);
    try {
      this.value = this.#read(parseYamlTree(text), this.#root, 0);
    } catch (error) {
      if (!(error instanceof YamlFault)) throw error;
      const position = this.#lines.at(error.offset);
      throw new ScenarioError(file, [{ ...position, key: "", text: `no YAML: ${error.message}` }]);
    }
  }

  problem(path: KeyPath, text: string): ScenarioProblem {
    return { ...this.positionOf(path), key: formatKey(path), text };
  }

  /** Where the key stands, or the nearest thing around it that exists. */
  positionOf(path: KeyPath): Position {
    let found = this.#root;
    for (const key of path) {
      const inside = found.inside.get(key);
      if (inside === undefined) break;
      found = inside;
    }
    return this.#lines.at(found.offset);
  }

  #read(node: YamlNode, placed: Placed, depth: number): unknown {
    this.#values++;
    if (this.#values > MAX_VALUES || depth > MAX_DEPTH) throw new YamlFault("too many values", node.offset);
    if (node.kind === "alias") {
      const anchored = this.#anchors.get(node.name);
      if (anchored === undefined) throw new YamlFault("an alias without an anchor before it", node.offset);
      return this.#read(anchored, placed, depth + 1);
    }
    const value = this.#readContent(node, placed, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return value;
  }

  #readContent(node: Exclude<YamlNode, { kind: "alias" }>, placed: Placed, depth: number): unknown {
    if (node.kind === "scalar") return node.value;
    if (node.kind === "map") return this.#readMap(node, placed, depth);
    return node.items.map((item, index) => this.#readAt(item, index, item.offset, placed, depth));
  }

  #readMap(map: YamlMap, placed: Placed, depth: number): Record<string, unknown> {
    const entries = map.entries.map(({ key, value }) => {
      if (key.kind !== "scalar" || isMergeKey(key)) throw new YamlFault("a key must be a plain text", key.offset);
      return [key.text, this.#readAt(value, key.text, key.offset, placed, depth)] as const;
    });
    // Also for __proto__ it makes a key like any other.
    return Object.fromEntries(entries);
  }

  #readAt(node: YamlNode, key: PropertyKey, offset: number, around: Placed, depth: number): unknown {
    const placed: Placed = { offset, inside: new Map() };
    around.inside.set(key, placed);
    return this.#read(node, placed, depth + 1);
  }
}

function formatKey(path: KeyPath): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
