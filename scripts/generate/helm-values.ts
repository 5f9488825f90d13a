import { load } from "js-yaml";
import { parseYamlTree, type YamlMap } from "../../src/lib/yaml-tree.ts";

export interface HelmValue {
  readonly key: string;
  /** Joined with dots. */
  readonly path: string;
  /** From `# --`. */
  readonly description: string;
  readonly preset: unknown;
  /** From `# @schema`. Undefined: the preset's type is enough. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Of a map without schema. */
  readonly children: readonly HelmValue[];
}

const SCHEMA = "@schema ";
const DESCRIPTION = "-- ";

/** @throws Error for an unreadable comment, or an empty map or list without a schema */
export function readHelmValues(text: string): HelmValue[] {
  const tree = parseYamlTree(text);
  if (tree.kind !== "map") throw new Error("values.yaml is not a map");
  return readMap(text, tree, mapOf(load(text)), "");
}

function readMap(
  text: string,
  { entries }: YamlMap,
  values: ReadonlyMap<string, unknown>,
  parent: string,
): HelmValue[] {
  return entries.map(({ key, value }) => {
    if (key.kind !== "scalar") throw new Error(`a key below ${parent} is not a scalar`);
    const name = String(key.value);
    const path = parent === "" ? name : `${parent}.${name}`;
    const { description, schema } = readComment(commentAbove(text, key.offset), path);
    const preset = values.get(name);
    if (value.kind === "map" && schema === undefined) {
      if (value.entries.length === 0) throw new Error(`${path} is an empty map without @schema`);
      const children = readMap(text, value, mapOf(preset), path);
      return { key: name, path, description, preset, schema, children };
    }
    if ((value.kind === "list" || preset === null) && schema === undefined) throw new Error(`${path} needs @schema`);
    return { key: name, path, description, preset, schema, children: [] };
  });
}

function mapOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}

/** Text before an empty line is about the file. */
function commentAbove(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n").slice(0, -1);
  const begin = lines.findLastIndex((line) => !line.trimStart().startsWith("#")) + 1;
  return lines
    .slice(begin)
    .map((line) => line.trimStart().slice(1))
    .join("\n");
}

function readComment(comment: string, path: string): Pick<HelmValue, "description" | "schema"> {
  const lines = comment.split("\n").map((line) => line.trim());
  const annotation = lines.find((line) => line.startsWith(SCHEMA));
  const begin = lines.findLastIndex((line) => line.startsWith(DESCRIPTION));
  const text = begin === -1 ? [] : lines.slice(begin).filter((line) => !line.startsWith(SCHEMA));
  return {
    description: text.join(" ").replace(DESCRIPTION, "").trim(),
    schema: annotation === undefined ? undefined : readSchema(annotation.slice(SCHEMA.length), path),
  };
}

function readSchema(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === "object" && schema !== null) return { ...schema };
  } catch (error) {
    throw new Error(`the @schema of ${path} is no JSON: ${text}`, { cause: error });
  }
  throw new Error(`the @schema of ${path} is no map`);
}
