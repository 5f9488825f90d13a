import type { SelectRules } from "../config/select-schema.ts";
import type { TimeSlices } from "../lib/yielding.ts";
import { placeBelow } from "../model/placement.ts";
import { EMPTY_TREE, type ListedNode, NODE_KINDS, ROOT_ID, type Tree, type TreeNode } from "../model/tree.ts";
import type { NodeKind, NodeRecord } from "../prtg/node-record.ts";
import type { ChannelList, ChannelRecord, ListResult, Reference } from "../prtg/records.ts";
import { Containers } from "./containers.ts";
import { isSelected, Judge, type Verdict } from "./verdict.ts";

export type ContainerKind = Exclude<NodeKind, "sensor">;
export const CONTAINER_KINDS = NODE_KINDS.filter((kind): kind is ContainerKind => kind !== "sensor");

const NONE: ReadonlySet<string> = new Set();

/**
 * The monitored part of a server. An object is selected if it or a parent is included, and neither is excluded. Other
 * parents still give labels.
 */
export class Selection {
  readonly judge: Judge;
  readonly containers: Containers;
  /** An object is gone when two lists lack it. */
  #sensors: ReadonlySet<string> = NONE;
  #sensorsBefore: ReadonlySet<string> = NONE;
  /** Selected sensors of the last list below unselected devices. */
  #single: ReadonlySet<string> = NONE;
  #devicesOfSingle: ReadonlySet<string> = NONE;
  /** The last list has sensors without a visible parent. */
  #hasOrphans = false;
  /** Unselected sensors of the last list. */
  #others: ReadonlySet<string> = NONE;
  /** Sensors that left the selection. */
  readonly #leftSensors = new Set<string>();
  /** Shared by siblings. */
  readonly #ancestors = new WeakMap<TreeNode, readonly Reference[]>();
  /** A container left the selection. */
  #hasLeft = false;

  /**
   * @param before Of the same server with other rules.
   * @param tree The served tree. Complete if there was no selection before.
   */
  constructor(rules: SelectRules, before?: Selection, tree: Tree = EMPTY_TREE) {
    this.judge = new Judge(rules, before?.judge);
    this.containers = new Containers(this.judge, before === undefined ? tree : before.containers.tree);
    const sensors = [...tree.nodes.values()].filter((node) => node.kind === "sensor" && this.selects(node));
    this.#sensors = new Set(sensors.map(({ id }) => id));
    this.#hasLeft = tree.nodes.size > 0;
  }

  get sensorsBelowOthers(): ReadonlySet<string> {
    return this.#single;
  }

  get hasOrphans(): boolean {
    return this.#hasOrphans;
  }

  /** Sensors of the last list. */
  get sensors(): ReadonlySet<string> {
    return this.#sensors;
  }

  /** `undefined` for an unknown id. */
  includesObject(id: string): boolean | undefined {
    if (this.#sensors.has(id)) return true;
    if (this.#others.has(id)) return false;
    const verdict = this.containers.verdict(id);
    return verdict === undefined ? undefined : isSelected(verdict);
  }

  selects(sensor: Pick<NodeRecord, "id" | "kind" | "name" | "tags" | "parent">): boolean {
    return isSelected(this.#judgeSensor(sensor));
  }

  /**
   * Takes the answer to a filter.
   * @param hides There may be others with unreadable records.
   */
  takeFilter(filter: string, kind: NodeKind, ids: ReadonlySet<string>, hides = false): void {
    const changed = this.judge.found(filter, kind, ids, hides);
    if (kind === "sensor" ? changed.size > 0 : this.containers.rejudge(changed)) this.#hasLeft = true;
  }

  /** Takes probes, groups or devices, from the top down. Resolves with the selected part. */
  async takeContainers(
    kind: ContainerKind,
    list: ListResult<NodeRecord>,
    slices: TimeSlices,
  ): Promise<ListResult<ListedNode>> {
    if (await this.containers.update({ [kind]: list }, slices)) this.#hasLeft = true;
    const items: ListedNode[] = [];
    for (const record of list.items) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (this.containers.isSelected(record.id)) {
        items.push(this.#placed(record, this.containers.node(record.id)?.parentId));
      }
    }
    return { ...list, items };
  }

  /** Takes all sensors, or those that the server selected. Resolves with the selected part. */
  async takeSensors(list: ListResult<NodeRecord>, slices: TimeSlices): Promise<ListResult<ListedNode>> {
    const items: ListedNode[] = [];
    const sensors = new Set<string>(list.complete ? NONE : this.#sensors);
    const others = new Set<string>();
    const single = new Set<string>();
    const devicesOfSingle = new Set<string>(list.complete ? NONE : this.#devicesOfSingle);
    this.#hasOrphans = false;
    for (const record of list.items) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (this.selects(record)) {
        items.push(this.#placed(record, record.parent?.id));
        sensors.add(record.id);
        const above = record.parent === undefined ? undefined : this.containers.verdict(record.parent.id);
        if (above === undefined) this.#hasOrphans = true;
        if (!isSelected(above)) {
          single.add(record.id);
          if (record.parent !== undefined) devicesOfSingle.add(record.parent.id);
        }
      } else {
        others.add(record.id);
        sensors.delete(record.id);
        const wasSelected = this.#sensors.has(record.id) || this.#sensorsBefore.has(record.id);
        if (wasSelected && this.#knowsAbove(record)) this.#leftSensors.add(record.id);
      }
    }
    this.#sensorsBefore = this.#sensors.difference(others);
    this.#sensors = sensors;
    this.#others = others;
    this.#single = single;
    this.#devicesOfSingle = devicesOfSingle;
    return { ...list, items };
  }

  async takeChannels(list: ChannelList, slices: TimeSlices): Promise<ChannelList> {
    const items: ChannelRecord[] = [];
    for (const record of list.items) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (this.#sensors.has(record.sensorId) || this.#sensorsBefore.has(record.sensorId)) items.push(record);
    }
    return { ...list, items };
  }

  /** Unselected probes above selected objects. */
  get probesAbove(): ReadonlySet<string> {
    const { containers } = this;
    const parents = new Set(this.#devicesOfSingle);
    for (const { id, parentId } of containers.all) {
      if (containers.isSelected(id) && !containers.isSelected(parentId)) parents.add(parentId);
    }
    const probes = new Set<string>();
    for (const id of parents) {
      let above = containers.node(id);
      while (above !== undefined && above.kind !== "probe") above = containers.node(above.parentId);
      if (above !== undefined && !containers.isSelected(above.id)) probes.add(above.id);
    }
    return probes;
  }

  /** Objects of `tree` that left the selection, each once. */
  leaving({ nodes }: Pick<Tree, "nodes">): ReadonlySet<string> | undefined {
    // Nothing is known before all filters are answered.
    if (!this.judge.isComplete(NODE_KINDS)) return undefined;
    const left = new Set<string>();
    for (const id of this.#leftSensors) if (nodes.has(id)) left.add(id);
    this.#leftSensors.clear();
    if (this.#hasLeft) {
      const { probesAbove } = this;
      for (const node of nodes.values()) if (!probesAbove.has(node.id) && this.#isOut(node)) left.add(node.id);
    }
    this.#hasLeft = false;
    return left.size === 0 ? undefined : left;
  }

  #isOut(node: TreeNode): boolean {
    if (node.kind === "sensor") {
      return this.#knowsAbove(node) && !this.selects(node);
    }
    const verdict = this.containers.verdict(node.id);
    return verdict !== undefined && !isSelected(verdict);
  }

  /** Later lists decide about a sensor whose parent is unknown. */
  #knowsAbove({ parent }: Pick<NodeRecord, "parent">): boolean {
    return parent === undefined || this.containers.verdict(parent.id) !== undefined;
  }

  #judgeSensor(sensor: Pick<NodeRecord, "id" | "kind" | "name" | "tags" | "parent">): Verdict {
    const parent = sensor.parent === undefined ? undefined : this.containers.node(sensor.parent.id);
    const { judge } = this;
    const needsPath = judge.include.paths.length + judge.exclude.paths.length > 0;
    const path = parent !== undefined && needsPath ? placeBelow(sensor, parent).path : undefined;
    const above = parent === undefined ? judge.root : (this.containers.verdict(parent.id) ?? judge.root);
    return judge.judge({ id: sensor.id, tags: sensor.tags, path }, above);
  }

  /** Adds parents that are not selected. */
  #placed(record: NodeRecord, parentId = ROOT_ID): ListedNode {
    if (this.containers.isSelected(parentId)) return record;
    const above = this.containers.node(parentId);
    return above === undefined ? record : { ...record, above, ancestors: this.#ancestorsOf(above) };
  }

  #ancestorsOf(node: TreeNode): readonly Reference[] {
    const known = this.#ancestors.get(node);
    if (known !== undefined) return known;
    const { id, name, kind, parentId, unseen } = node;
    const above = this.containers.node(parentId);
    const ancestors = [...(above === undefined ? [] : this.#ancestorsOf(above)), ...unseen, { id, name, kind }];
    this.#ancestors.set(node, ancestors);
    return ancestors;
  }
}
