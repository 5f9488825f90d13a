import { RE2JS } from "re2js";
import type { SimNode, SimSensor, World } from "../world/model.ts";
import { isSensor } from "../world/objects.ts";
import type { Selection } from "./schema.ts";

/** What a selection has that the world lacks. */
export class SelectionError extends Error {
  /** Which part of the selection says so; undefined: all of it together. */
  readonly key: keyof Selection | undefined;

  constructor(key: keyof Selection | undefined, message: string) {
    super(message);
    this.name = "SelectionError";
    this.key = key;
  }
}

/** In the order of the tree. @throws SelectionError for an unknown id, and when nothing fits */
export function selectNodes(world: World, selection: Selection): readonly SimNode[] {
  const { path, type, kind, tag, limited, first } = selection;
  const above = selection.below === undefined ? undefined : nodesAbove(world, selection.below);
  const fitsPath = path === undefined ? undefined : globPattern(path);
  const found = candidates(world, selection).filter(
    (node) =>
      (type === undefined || node.kind === type) &&
      (kind === undefined || node.type === kind) &&
      (tag === undefined || node.tags.includes(tag)) &&
      (above === undefined || isBelow(node, above)) &&
      (limited === undefined || hasErrorLimit(node)) &&
      (fitsPath === undefined || fitsPath.test(pathOf(node))),
  );
  if (found.length === 0) throw new SelectionError(undefined, "no object of the world matches");
  if (first !== undefined && found.length < first) {
    throw new SelectionError("first", `only ${found.length} objects of the world match`);
  }
  return found.slice(0, first);
}

function nodesAbove(world: World, selection: Selection): ReadonlySet<SimNode> {
  try {
    return new Set(selectNodes(world, selection));
  } catch (error) {
    throw error instanceof SelectionError ? new SelectionError("below", error.message) : error;
  }
}

function candidates(world: World, { id }: Selection): readonly SimNode[] {
  if (id !== undefined) {
    return [id].flat().map((one) => {
      const node = world.node(one);
      if (node === undefined) throw new SelectionError("id", `there is no object with the id ${one}`);
      return node;
    });
  }
  const all: SimNode[] = [];
  const visit = (node: SimNode): void => {
    all.push(node);
    node.children.forEach(visit);
  };
  world.root.children.forEach(visit);
  return all;
}

const WILDCARDS: Readonly<Record<string, string>> = { "**": ".*", "*": "[^/]*", "?": "[^/]" };

/** `**` stands for any text, `*` for any text and `?` for one character of one name; brackets too stand for themselves. */
function globPattern(glob: string): RegExp {
  const source = glob.replaceAll(/\*\*|[*?]|[^*?]+/g, (part) => WILDCARDS[part] ?? RE2JS.quote(part));
  return new RegExp(`^${source}$`, "su");
}

function isBelow({ parent }: SimNode, above: ReadonlySet<SimNode>): boolean {
  return parent !== undefined && (above.has(parent) || isBelow(parent, above));
}

function hasErrorLimit(node: SimNode): boolean {
  return isSensor(node) && node.channels.some(({ limits }) => (limits.maxError ?? limits.minError) !== undefined);
}

/** The sensors among the nodes and below them, each once. */
export function sensorsOf(nodes: readonly SimNode[]): readonly SimSensor[] {
  const sensors = new Set<SimSensor>();
  const visit = (node: SimNode): void => {
    if (isSensor(node)) sensors.add(node);
    else node.children.forEach(visit);
  };
  nodes.forEach(visit);
  return [...sensors];
}

/** Names from below the root, joined with `/`: `Berlin Probe/Switches/core-sw-1/Ping`. The root has an empty path. */
export function pathOf(node: SimNode): string {
  const names: string[] = [];
  for (let one: SimNode | undefined = node; one?.parent !== undefined; one = one.parent) names.unshift(one.name);
  return names.join("/");
}
