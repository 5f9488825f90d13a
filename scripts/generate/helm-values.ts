import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from "yaml";

/** A key of the chart's values.yaml, with what its comment says. */
export interface HelmValue {
  readonly key: string;
  /** Keys from the root on, joined with dots. */
  readonly path: string;
  /** Text after `# --`; empty where the key says it all. */
  readonly description: string;
  readonly preset: unknown;
  /** After `# @schema`; undefined where the type of the preset is schema enough. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Keys of a map that has no schema of its own. */
  readonly children: readonly HelmValue[];
}

const SCHEMA = "@schema ";
const DESCRIPTION = "-- ";

/**
 * The values of a chart with their comments.
 * @throws Error for a comment that cannot be read, and for an empty map or list without a schema
 */
export function readHelmValues(text: string): HelmValue[] {
  const document = parseDocument(text);
  if (!isMap(document.contents)) throw new Error("values.yaml is not a map");
  // What stands above the first key and an empty line is about the file, not about the key.
  return readMap(document.contents, "", undefined);
}

function readMap(map: YAMLMap, parent: string, commentOfMap: string | undefined): HelmValue[] {
  return map.items.map((pair, index) => {
    // The parser gives the comment above the first key of a map to the map.
    const inherited = index === 0 ? commentOfMap : undefined;
    return readPair(pair, parent, inherited);
  });
}

function readPair({ key, value }: Pair, parent: string, inherited: string | undefined): HelmValue {
  if (!isScalar(key)) throw new Error(`a key below ${parent} is not a scalar`);
  const name = String(key.value);
  const path = parent === "" ? name : `${parent}.${name}`;
  const { description, schema } = readComment(key.commentBefore ?? inherited ?? "", path);
  const preset: unknown = isMap(value) || isSeq(value) ? value.toJSON() : isScalar(value) ? value.value : undefined;
  if (isMap(value) && schema === undefined) {
    if (value.items.length === 0) throw new Error(`${path} is an empty map without @schema`);
    const children = readMap(value, path, value.commentBefore ?? undefined);
    return { key: name, path, description, preset, schema, children };
  }
  if ((isSeq(value) || preset === null) && schema === undefined) throw new Error(`${path} needs @schema`);
  return { key: name, path, description, preset, schema, children: [] };
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
