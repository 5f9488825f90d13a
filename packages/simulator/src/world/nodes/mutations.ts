import type { SimEdit, SimKind, SimSettings } from "../model.ts";
import { DEFAULT_SENSOR_KIND, SENSOR_KINDS } from "../sensors/sensor-kinds.ts";
import type { Timeline } from "../timeline.ts";
import type { Dependencies } from "./dependencies.ts";
import type { NodeFactory } from "./node-factory.ts";
import { DeviceNode, SensorNode, type TreeNode } from "./nodes.ts";
import { attach, type Registry } from "./registry.ts";
import { adoptIntervals, subtree } from "./settings.ts";

/** What can hold what. */
const PARENTS: Readonly<Record<SimKind, readonly SimKind[]>> = {
  root: [],
  probe: ["root"],
  group: ["probe", "group"],
  device: ["probe", "group"],
  sensor: ["device"],
};

export interface MutationParts {
  readonly registry: Registry;
  readonly factory: NodeFactory;
  readonly timeline: Timeline;
  readonly dependencies: Dependencies;
}

/** Changes of the tree at run time. Each throws a RangeError for an unknown id, or when the tree cannot be as asked. */
export class Mutations {
  readonly #registry: Registry;
  readonly #factory: NodeFactory;
  readonly #timeline: Timeline;
  readonly #dependencies: Dependencies;

  constructor({ registry, factory, timeline, dependencies }: MutationParts) {
    this.#registry = registry;
    this.#factory = factory;
    this.#timeline = timeline;
    this.#dependencies = dependencies;
  }

  remove(id: string, at?: number): void {
    const node = this.#registry.require(id);
    if (node.kind === "root") throw new RangeError("the root cannot be removed");
    const removed = [...subtree(node)];
    this.#dependencies.invalidate(node);
    this.#registry.remove(node);
    for (const one of removed) {
      this.#timeline.forget(one);
      this.#dependencies.release(one, at);
    }
  }

  rename(id: string, name: string): void {
    this.#registry.require(id).name = name;
  }

  edit(id: string, edit: SimEdit, at: number): void {
    const node = this.#registry.require(id);
    const { name, tags, priority, host, hostv6, ipVersion, interval, dependency, windows, inherits = [] } = edit;
    if (inherits.length > 0) this.#inherit(node, inherits, at);
    if (dependency !== undefined) {
      const { dependsOn } = dependency;
      this.#dependencies.set(node, dependsOn === undefined ? undefined : this.#registry.require(dependsOn), at);
      this.#set(node, { dependency });
    }
    if (windows !== undefined) this.#set(node, { windows });
    if (interval !== undefined) {
      this.#set(node, { interval });
      adoptIntervals(node, at);
      this.#dependencies.invalidate(node);
    }
    if (name !== undefined) node.name = name;
    if (tags !== undefined) node.tags = [...tags];
    if (priority !== undefined) node.priority = priority;
    if (node instanceof DeviceNode) {
      if (host !== undefined) node.host = host;
      if (hostv6 !== undefined) node.hostv6 = hostv6;
      if (ipVersion !== undefined) node.ipVersion = ipVersion;
    }
  }

  move(id: string, newParentId: string, options: { readonly index?: number; readonly at?: number } = {}): void {
    const node = this.#registry.require(id);
    const target = this.#parentFor(node.kind, newParentId);
    for (let above: TreeNode | undefined = target; above !== undefined; above = above.parent) {
      if (above === node) throw new RangeError(`the ${node.kind} ${id} cannot be moved into itself`);
    }
    if (node.parent === target) {
      attach(node, target, options.index);
      return;
    }
    this.#dependencies.rejectLoopsBelow(target, node);
    attach(node, target, options.index);
    adoptIntervals(node, options.at ?? -Infinity);
    this.#dependencies.invalidate(node);
  }

  addGroup(parentId: string, name: string, at: number): TreeNode {
    const parent = this.#parentFor("group", parentId);
    return this.#add(this.#factory.group({ parent, name: () => name, tags: [], createdAt: at }));
  }

  addDevice(parentId: string, name: string, at: number, host?: string): DeviceNode {
    const parent = this.#parentFor("device", parentId);
    const hostOf = (salt: number): string => host ?? `10.250.${salt % 250}.${(salt >>> 8) % 250}`;
    const own = { parent, name: () => name, type: "device", tags: [], host: hostOf, createdAt: at };
    return this.#add(this.#factory.device(own));
  }

  /** Its first scan comes within an interval after `at`. */
  addSensor(deviceId: string, name: string, at: number, type?: string): SensorNode {
    const parent = this.#parentFor("sensor", deviceId);
    const spec = type === undefined ? DEFAULT_SENSOR_KIND : SENSOR_KINDS.get(type);
    if (spec === undefined) throw new RangeError(`there is no kind of sensor ${type}`);
    const sibling = parent.children.find((child) => child instanceof SensorNode);
    const zone = sibling?.zone ?? 0;
    const channels = Math.max(spec.channels.length, spec.usual[0]);
    return this.#add(
      this.#factory.sensor({ parent, name: () => name, spec, channels, zone, createdAt: at, inherits: true }),
    );
  }

  clone(id: string, parentId: string, name: string, at: number): TreeNode {
    const original = this.#registry.require(id);
    const parent = this.#parentFor(original.kind, parentId);
    if (original.kind === "probe") throw new RangeError("a probe cannot be cloned");
    // What is there now is copied, not the copy itself, should it come to lie in it.
    const originals = [...subtree(original)];
    const copies = new Map<TreeNode, TreeNode>();
    for (const one of originals) {
      const above = one === original ? parent : one.parent && copies.get(one.parent);
      if (above !== undefined) copies.set(one, this.#factory.copy(one, above, one === original ? name : one.name, at));
    }
    this.#registry.add([...copies.values()]);
    for (const copy of copies.values()) this.#dependencies.invalidate(copy);
    const byId = new Map([...copies].map(([one, { id: copyId }]) => [one.id, copyId]));
    for (const copy of copies.values()) this.#depend(copy, byId, at);
    const copy = copies.get(original);
    if (copy === undefined) throw new RangeError(`the ${original.kind} ${id} cannot be cloned`);
    adoptIntervals(copy, -Infinity);
    return copy;
  }

  /** What depends on something that was copied with it depends on that one's copy. */
  #depend(copy: TreeNode, byId: ReadonlyMap<string, string>, at: number): void {
    const { dependency } = copy.settings;
    if (dependency?.dependsOn === undefined) return;
    const dependsOn = byId.get(dependency.dependsOn) ?? dependency.dependsOn;
    this.#dependencies.set(copy, this.#registry.require(dependsOn), at);
    this.#set(copy, { dependency: { ...dependency, dependsOn } });
  }

  /** Those that people add are of no importance of their own. */
  #add<Node extends TreeNode>(node: Node): Node {
    node.priority = 3;
    node.favorite = false;
    this.#registry.add([node]);
    this.#dependencies.invalidate(node);
    return node;
  }

  #inherit(node: TreeNode, sections: readonly (keyof SimSettings)[], at: number): void {
    if (node.parent === undefined) throw new RangeError("the root has nothing to inherit from");
    if (sections.includes("dependency")) this.#dependencies.set(node, undefined, at);
    const own = Object.entries(node.settings).filter(([section]) => !sections.includes(section as keyof SimSettings));
    node.settings = Object.fromEntries(own);
    adoptIntervals(node, at);
    this.#dependencies.invalidate(node);
  }

  #set(node: TreeNode, settings: SimSettings): void {
    node.settings = { ...node.settings, ...settings };
  }

  #parentFor(kind: SimKind, id: string): TreeNode {
    const parent = this.#registry.require(id);
    if (!PARENTS[kind].includes(parent.kind)) throw new RangeError(`a ${parent.kind} (${id}) cannot hold a ${kind}`);
    return parent;
  }
}
