import { notFound } from "../api-errors.ts";
import type { SimChannel, SimDevice, SimNode, SimSensor, World } from "../world/model.ts";
import { isChannel, kindOf, type ObjectKind, type SimObject } from "../world/objects.ts";
import type { UserGroup } from "./accounts.ts";

/** What a user may see: everything, or some objects with all that is below them (but not what is above). */
export interface Visibility {
  readonly everything: boolean;
  sees(object: SimObject): boolean;
}

export const EVERYTHING: Visibility = { everything: true, sees: () => true };

/** Sees the given objects and what is below them, also what is added or moved there later. */
function onlyBelow(ids: ReadonlySet<string>): Visibility {
  const sees = (object: SimObject): boolean => {
    let node: SimNode | undefined = isChannel(object) ? object.sensor : object;
    while (node !== undefined && !ids.has(node.id)) node = node.parent;
    return node !== undefined;
  };
  return { everything: false, sees };
}

/** What a user sees who is in these groups. */
export function visibilityOf(groups: readonly UserGroup[]): Visibility {
  const ids = new Set<string>();
  for (const { scope } of groups) {
    if (scope === "everything") return EVERYTHING;
    for (const id of scope) ids.add(id);
  }
  return onlyBelow(ids);
}

/** One group, and single devices elsewhere, so that some visible devices have no visible ancestor. */
export function defaultRestriction(world: World): readonly string[] {
  const group = world.list("group")[0];
  const devices = world.list("device").filter((_, index) => index % 7 === 3);
  return [...(group === undefined ? [] : [group]), ...devices].map((node) => node.id);
}

type NodesOf = { probe: SimNode; group: SimNode; device: SimDevice; sensor: SimSensor };

/** The world as one user sees it. */
export class VisibleWorld {
  readonly world: World;
  readonly visibility: Visibility;

  constructor(world: World, visibility: Visibility) {
    this.world = world;
    this.visibility = visibility;
  }

  nodes<Kind extends keyof NodesOf>(kind: Kind): readonly NodesOf[Kind][] {
    const all = listOf(this.world, kind);
    return this.visibility.everything ? all : all.filter((node) => this.visibility.sees(node));
  }

  channels(): readonly SimChannel[] {
    if (this.visibility.everything) return this.world.channels();
    return this.nodes("sensor").flatMap((sensor) => sensor.channels);
  }

  /** All of the tree but its root, as lists of one kind after the other. */
  objects(): readonly (readonly SimObject[])[] {
    return [...(["probe", "group", "device", "sensor"] as const).map((kind) => this.nodes(kind)), this.channels()];
  }

  /** Undefined for unknown and for invisible objects alike. */
  node(id: string): SimNode | undefined {
    const node = this.world.node(id);
    return node !== undefined && this.visibility.sees(node) ? node : undefined;
  }

  channel(id: string): SimChannel | undefined {
    const channel = this.world.channel(id);
    return channel !== undefined && this.visibility.sees(channel) ? channel : undefined;
  }
}

function listOf<Kind extends keyof NodesOf>(world: World, kind: Kind): readonly NodesOf[Kind][];
function listOf(world: World, kind: keyof NodesOf): readonly SimNode[] {
  switch (kind) {
    case "probe":
      return world.list("probe");
    case "group":
      return world.list("group");
    case "device":
      return world.list("device");
    case "sensor":
      return world.list("sensor");
  }
}

type ObjectOf = NodesOf & { channel: SimChannel };

/** The root is a group. @throws RequestRefused NOT_FOUND */
export function requireObject<Kind extends ObjectKind>(visible: VisibleWorld, kind: Kind, id?: string): ObjectOf[Kind];
export function requireObject(visible: VisibleWorld, kind: ObjectKind, id = ""): SimObject {
  const object = kind === "channel" ? visible.channel(id) : visible.node(id);
  if (object === undefined || kindOf(object) !== kind) throw notFound();
  return object;
}
