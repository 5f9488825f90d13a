import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { oncePerNode } from "../mapping/once-per-node.ts";
import { deviceInfoLabels, nodeLabels, nodeSensorsLabels } from "../mapping/series-labels.ts";
import type { TreeNode } from "../model/tree.ts";
import type { NodeKind, NodeRecord } from "../prtg/records.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Owner } from "../store/owner.ts";
import type { Tables } from "../store/store.ts";

/** The kinds of objects that have sensors below them. */
export type ParentKind = Exclude<NodeKind, "sensor">;

/** What the store shows of one server's probes, groups and devices. Call inside a commit. */
export class NodeSeries {
  readonly #countedKinds: ReadonlySet<NodeKind>;
  readonly #statusCode: KeyedSeries;
  readonly #deviceInfo: KeyedSeries;
  readonly #sensors: ReadonlyMap<StatusToken, KeyedSeries>;
  readonly #nodeLabels: (node: TreeNode) => readonly string[];
  readonly #infoLabels: (node: TreeNode) => readonly string[];
  readonly #sensorsLabels: (node: TreeNode) => ReadonlyMap<StatusToken, readonly string[]>;

  constructor(server: string, tables: Tables, countedKinds: Iterable<ParentKind>, ownerOf: (id: string) => Owner) {
    const table = tables.table(TREE_FAMILIES.nodeSensors);
    this.#countedKinds = new Set(countedKinds);
    this.#statusCode = new KeyedSeries(tables.table(TREE_FAMILIES.nodeStatusCode), ownerOf);
    this.#deviceInfo = new KeyedSeries(tables.table(TREE_FAMILIES.deviceInfo), ownerOf);
    this.#sensors = new Map(STATUS_TOKENS.map((token) => [token, new KeyedSeries(table, ownerOf)]));
    this.#nodeLabels = oncePerNode((node) => nodeLabels(server, node));
    this.#infoLabels = oncePerNode((node) => deviceInfoLabels(server, node));
    this.#sensorsLabels = oncePerNode(
      (node) => new Map(STATUS_TOKENS.map((token) => [token, nodeSensorsLabels(server, node, token)])),
    );
  }

  show(node: TreeNode, record: NodeRecord, until: { readonly state: number; readonly property: number }): void {
    this.#statusCode.set(node.id, this.#nodeLabels(node), statusCode(record.status), until.state);
    if (node.kind === "device") this.#deviceInfo.set(node.id, this.#infoLabels(node), 1, until.property);
    if (record.summary === undefined || !this.#countedKinds.has(node.kind)) return;
    const labels = this.#sensorsLabels(node);
    for (const [token, series] of this.#sensors) {
      const count = record.summary.counts.get(token);
      if (count === undefined) series.withdraw(node.id);
      else series.set(node.id, labels.get(token) ?? [], count, until.state);
    }
  }

  /** Own status as it is served; undefined where it is not. */
  status(id: string): StatusToken | undefined {
    const code = this.#statusCode.value(id);
    return code === undefined ? undefined : STATUS_TOKENS[code];
  }

  /** Shows of an object what `before` shows. */
  takeOver(node: TreeNode, before: NodeSeries): void {
    copy(node.id, before.#statusCode, this.#statusCode, () => this.#nodeLabels(node));
    copy(node.id, before.#deviceInfo, this.#deviceInfo, () => this.#infoLabels(node));
    if (!this.#countedKinds.has(node.kind)) return;
    for (const [token, series] of this.#sensors) {
      const shown = before.#sensors.get(token);
      if (shown !== undefined) copy(node.id, shown, series, () => this.#sensorsLabels(node).get(token) ?? []);
    }
  }

  relabel(node: TreeNode): void {
    this.#statusCode.relabel(node.id, this.#nodeLabels(node));
    if (node.kind === "device") this.#deviceInfo.relabel(node.id, this.#infoLabels(node));
    if (!this.#countedKinds.has(node.kind)) return;
    const labels = this.#sensorsLabels(node);
    for (const [token, series] of this.#sensors) series.relabel(node.id, labels.get(token) ?? []);
  }

  remove(id: string): void {
    this.#statusCode.delete(id);
    this.#deviceInfo.delete(id);
    for (const series of this.#sensors.values()) series.delete(id);
  }
}

function copy(key: string, from: KeyedSeries, to: KeyedSeries, labels: () => readonly string[]): void {
  const value = from.value(key);
  if (value !== undefined) to.set(key, labels(), value, from.expiresAt(key));
}
