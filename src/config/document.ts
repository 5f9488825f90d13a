import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { type Environment, interpolate } from "./environment.ts";
import { formatKey, type KeyPath, type Origin, type Place, type Reference, UNRESOLVED } from "./origin.ts";
import { type ParsedYaml, type Position, parseYaml } from "./yaml-syntax.ts";

/** Aliases can multiply what a file holds; no configuration comes near to this. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 64;

/**
 * The values of a YAML file with their positions. Environment references are put in after parsing, scalar by scalar,
 * so that the value of a variable can never become structure.
 */
export class ConfigDocument implements Origin {
  /** Plain maps, lists and scalars; null for an empty file. */
  readonly value: unknown;
  /** References that could not be resolved; their scalars are `UNRESOLVED` in `value`. */
  readonly problems: readonly ConfigProblem[];
  readonly #file: string;
  readonly #env: Environment | undefined;
  readonly #yaml: ParsedYaml;
  readonly #positions = new Map<string, { readonly key: Position; readonly value: Position }>();
  readonly #references = new Map<string, Reference>();
  readonly #anchors = new Map<string, Node>();
  readonly #problems: ConfigProblem[] = [];
  #values = 0;

  /**
   * Without `env` dollars are dollars: other programs read the same file.
   * @throws ConfigError CONFIG_SYNTAX, with every fault of the syntax
   */
  constructor(text: string, file: string, env: Environment | undefined) {
    this.#file = file;
    this.#env = env;
    this.#yaml = parseYaml(text, file);
    this.value = this.#read(this.#yaml.document.contents, [], undefined);
    this.problems = this.#problems;
  }

  place(path: KeyPath, part: "key" | "value"): Place {
    for (let length = path.length; length >= 0; length--) {
      const found = this.#positions.get(idOf(path.slice(0, length)));
      if (found === undefined) continue;
      // What is missing is missing in the map around it.
      return this.#placeAt(length === path.length ? found[part] : found.value, path);
    }
    return this.#placeAt({ line: 1, column: 1 }, path);
  }

  reference(path: KeyPath): Reference | undefined {
    return this.#references.get(idOf(path));
  }

  #read(node: Node | null, path: KeyPath, key: Position | undefined): unknown {
    const position = this.#positionOf(node, key);
    this.#count(position, path);
    if (path.length > MAX_DEPTH) this.#fail(position, path, "lists or maps are nested too deeply");
    this.#positions.set(idOf(path), { key: key ?? position, value: position });
    if (node === null) return null;
    if (isAlias(node)) return this.#read(this.#resolve(node.source, position, path), path, key);
    const value = this.#readContent(node, path);
    // Only now: an alias inside the value that it names would never end.
    if ("anchor" in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return value;
  }

  #count(position: Position, path: KeyPath): void {
    this.#values++;
    if (this.#values > MAX_VALUES) this.#fail(position, path, `more than ${MAX_VALUES} values, counting aliases`);
  }

  #readContent(node: Node, path: KeyPath): unknown {
    if (isMap<Node, Node | null>(node)) return this.#readMap(node, path, new Set());
    if (isSeq<Node | null>(node)) return node.items.map((item, index) => this.#read(item, [...path, index], undefined));
    return isScalar(node) ? this.#readScalar(node, path) : null;
  }

  /** Keys in `hidden` are left out: the map that merges this one has them itself. */
  #readMap(map: YAMLMap<Node, Node | null>, path: KeyPath, hidden: ReadonlySet<string>): Record<string, unknown> {
    // Without a prototype, so that a key such as __proto__ is a key like any other.
    const result: Record<string, unknown> = Object.create(null);
    const own = new Set(map.items.flatMap((pair) => (isMergeKey(pair.key) ? [] : [this.#keyOf(pair, path)])));
    for (const pair of map.items) {
      if (isMergeKey(pair.key)) {
        for (const source of this.#mergeSources(pair, path)) {
          const present = new Set([...hidden, ...own, ...Object.keys(result)]);
          Object.assign(result, this.#readMap(source, path, present));
        }
        continue;
      }
      const key = this.#keyOf(pair, path);
      if (!hidden.has(key)) result[key] = this.#read(pair.value, [...path, key], this.#positionOf(pair.key, undefined));
    }
    return result;
  }

  #keyOf(pair: Pair<Node, Node | null>, path: KeyPath): string {
    const { key } = pair;
    if (isScalar(key) && key.value !== null && typeof key.value !== "symbol") return String(key.value);
    return this.#fail(this.#positionOf(key, undefined), path, "a key must be a plain text");
  }

  #mergeSources(pair: Pair<Node, Node | null>, path: KeyPath): YAMLMap<Node, Node | null>[] {
    const position = this.#positionOf(pair.key, undefined);
    const resolve = (node: Node | null) => (isAlias(node) ? this.#resolve(node.source, position, path) : node);
    const value = resolve(pair.value);
    return (isSeq<Node | null>(value) ? value.items.map(resolve) : [value]).map((source) => {
      this.#count(position, path);
      if (isMap<Node, Node | null>(source)) return source;
      return this.#fail(position, path, "the merge key << takes an alias of a map, or a list of them");
    });
  }

  #resolve(anchor: string, position: Position, path: KeyPath): Node {
    const node = this.#anchors.get(anchor);
    if (node !== undefined) return node;
    return this.#fail(position, path, "an alias without an anchor before it; text that starts with * must be quoted");
  }

  #readScalar(scalar: Scalar, path: KeyPath): unknown {
    if (typeof scalar.value !== "string" || this.#env === undefined) return scalar.value;
    const outcome = interpolate(scalar.value, this.#env);
    if (outcome.kind === "text") {
      if (outcome.variables.length > 0) this.#references.set(idOf(path), outcome);
      return outcome.text;
    }
    const unset = outcome.kind === "unset";
    this.#problems.push({
      code: unset ? "CONFIG_VARIABLE_UNSET" : "CONFIG_INVALID",
      ...this.place(path, "value"),
      text: unset
        ? `environment variable ${outcome.variables.join(" and ")} is not set`
        : "expected ${NAME} or ${NAME:-default}; a literal dollar is written $$",
    });
    return UNRESOLVED;
  }

  #positionOf(node: Node | null, key: Position | undefined): Position {
    const offset = node?.range?.[0];
    const isEmpty = node === null || (isScalar(node) && node.value === null);
    return (isEmpty ? key : undefined) ?? (offset === undefined ? undefined : this.#yaml.positionAt(offset)) ?? START;
  }

  #placeAt(position: Position, path: KeyPath): Place {
    return { location: `${this.#file}:${position.line}:${position.column}`, ...position, key: formatKey(path) };
  }

  #fail(position: Position, path: KeyPath, text: string): never {
    throw new ConfigError([{ code: "CONFIG_SYNTAX", ...this.#placeAt(position, path), text }]);
  }
}

const START: Position = { line: 1, column: 1 };

function idOf(path: KeyPath): string {
  return JSON.stringify(path);
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && (typeof key.value === "symbol" || (key.value === "<<" && key.type === "PLAIN"));
}
