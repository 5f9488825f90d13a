import {
  isMergeKey,
  MAX_NESTING,
  type Position,
  type YamlMap,
  type YamlNode,
  type YamlScalar,
} from "../lib/yaml-tree.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { type Environment, interpolate } from "./environment.ts";
import { formatKey, type KeyPath, type Origin, type Place, type Reference, UNRESOLVED } from "./origin.ts";
import { type ParsedYaml, parseYaml, TOO_DEEP } from "./yaml-syntax.ts";

/** Aliases multiply content. */
const MAX_VALUES = 100_000;

interface Placed {
  readonly key: number;
  readonly value: number;
  readonly inside: Map<PropertyKey, Placed>;
  reference?: Reference;
  source?: string;
}

/** YAML values with their positions. Resolves environment references after parsing, so a variable cannot change the structure. */
export class ConfigDocument implements Origin {
  /** Plain maps, lists and scalars. null for an empty file. */
  readonly value: unknown;
  /** References without a value. `value` has `UNRESOLVED` there. */
  readonly problems: readonly ConfigProblem[];
  readonly #file: string;
  readonly #env: Environment | undefined;
  readonly #yaml: ParsedYaml;
  readonly #root: Placed;
  readonly #anchors = new Map<string, YamlNode>();
  readonly #problems: ConfigProblem[] = [];
  #values = 0;

  /** Without `env`, `$` is an ordinary character, because other programs read the file too. @throws ConfigError CONFIG_SYNTAX */
  constructor(text: string, file: string, env: Environment | undefined) {
    this.#file = file;
    this.#env = env;
    this.#yaml = parseYaml(text, file);
    const { root } = this.#yaml;
    this.#root = { key: root.offset, value: root.offset, inside: new Map() };
    this.value = this.#read(root, [], this.#root);
    this.problems = this.#problems;
  }

  place(path: KeyPath, part: "key" | "value"): Place {
    let found = this.#root;
    for (const key of path) {
      const inside = found.inside.get(key);
      // A missing key belongs to the map around it.
      if (inside === undefined) return this.#placeAt(found.value, path);
      found = inside;
    }
    return this.#placeAt(found[part], path);
  }

  reference(path: KeyPath): Reference | undefined {
    return this.#find(path)?.reference;
  }

  source(path: KeyPath): string | undefined {
    return this.#find(path)?.source;
  }

  #find(path: KeyPath): Placed | undefined {
    return path.reduce<Placed | undefined>((found, key) => found?.inside.get(key), this.#root);
  }

  #read(node: YamlNode, path: KeyPath, placed: Placed): unknown {
    this.#count(placed.value, path);
    if (path.length > MAX_NESTING) this.#fail(placed.value, path, TOO_DEEP);
    if (node.kind === "alias") return this.#read(this.#resolve(node.name, placed.value, path), path, placed);
    const value = this.#readContent(node, path, placed);
    // Not earlier: an alias inside its own value would loop forever.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return value;
  }

  #count(offset: number, path: KeyPath): void {
    this.#values++;
    if (this.#values > MAX_VALUES) this.#fail(offset, path, `more than ${MAX_VALUES} values, counting aliases`);
  }

  #readContent(node: Exclude<YamlNode, { kind: "alias" }>, path: KeyPath, placed: Placed): unknown {
    if (node.kind === "scalar") return this.#readScalar(node, path, placed);
    if (node.kind === "map") {
      const result: Record<string, unknown> = Object.create(null);
      this.#readMap(node, path, placed, result, 0);
      return result;
    }
    return node.items.map((item, index) => this.#readAt(item, [...path, index], placed, item.offset));
  }

  #readAt(node: YamlNode, path: KeyPath, around: Placed, key: number): unknown {
    const isEmpty = node.kind === "scalar" && node.isPlain && node.text === "";
    const placed: Placed = { key, value: isEmpty ? key : node.offset, inside: new Map() };
    around.inside.set(path.at(-1) ?? "", placed);
    return this.#read(node, path, placed);
  }

  /** `result` has no prototype, so `__proto__` is an ordinary key. */
  #readMap(map: YamlMap, path: KeyPath, placed: Placed, result: Record<string, unknown>, merges: number): void {
    if (merges > MAX_NESTING) this.#fail(map.offset, path, TOO_DEEP);
    for (const { key, value } of map.entries) {
      if (isMergeKey(key)) continue;
      const name = this.#keyOf(key, path);
      // The map's key overrides a merged one.
      if (Object.hasOwn(result, name)) this.#count(key.offset, path);
      else result[name] = this.#readAt(value, [...path, name], placed, key.offset);
    }
    for (const { key, value } of map.entries) {
      if (!isMergeKey(key)) continue;
      for (const source of this.#mergeSources(value, key.offset, path)) {
        this.#readMap(source, path, placed, result, merges + 1);
      }
    }
  }

  #keyOf(key: YamlNode, path: KeyPath): string {
    if (key.kind === "scalar" && key.value !== null) return key.text;
    return this.#fail(key.offset, path, "a key must be plain text");
  }

  #mergeSources(input: YamlNode, offset: number, path: KeyPath): YamlMap[] {
    const resolve = (node: YamlNode) => (node.kind === "alias" ? this.#resolve(node.name, offset, path) : node);
    const value = resolve(input);
    return (value.kind === "list" ? value.items.map(resolve) : [value]).map((source) => {
      this.#count(offset, path);
      if (source.kind === "map") return source;
      return this.#fail(offset, path, "the merge key << needs an alias of a map, or a list of such aliases");
    });
  }

  #resolve(anchor: string, offset: number, path: KeyPath): YamlNode {
    const node = this.#anchors.get(anchor);
    if (node !== undefined) return node;
    return this.#fail(offset, path, "an alias without an anchor before it (put text that starts with * in quotes)");
  }

  #readScalar({ value, text, isPlain }: YamlScalar, path: KeyPath, placed: Placed): unknown {
    if (typeof value !== "string") {
      if (isPlain && text !== "") placed.source = text;
      // Ids are text: 0123, 1e3 and 20 digits keep their spelling.
      return typeof value === "number" && path.at(-1) === "id" ? text : value;
    }
    if (this.#env === undefined) return value;
    const outcome = interpolate(value, this.#env);
    if (outcome.kind === "text") {
      if (outcome.variables.length > 0) placed.reference = outcome;
      return outcome.text;
    }
    const unset = outcome.kind === "unset";
    this.#problems.push({
      code: unset ? "CONFIG_VARIABLE_UNSET" : "CONFIG_INVALID",
      ...this.#placeAt(placed.value, path),
      text: unset
        ? `environment variable ${outcome.variables.join(" and ")} is not set`
        : "expected ${NAME} or ${NAME:-default}; write $$ for a literal dollar",
    });
    return UNRESOLVED;
  }

  #placeAt(offset: number, path: KeyPath): Place {
    const position: Position = this.#yaml.positionAt(offset);
    return { location: `${this.#file}:${position.line}:${position.column}`, ...position, key: formatKey(path) };
  }

  #fail(offset: number, path: KeyPath, text: string): never {
    throw new ConfigError([{ code: "CONFIG_SYNTAX", ...this.#placeAt(offset, path), text }]);
  }
}
