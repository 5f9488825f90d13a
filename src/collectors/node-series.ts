import type { NodeKind, NodeRecord } from "../api/records.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../api/status.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { oncePerNode } from "../mapping/once-per-node.ts";
import { deviceInfoLabels, nodeLabels, nodeSensorsLabels } from "../mapping/series-labels.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Store } from "../store/store.ts";
import type { TreeNode } from "../tree/model.ts";

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

  constructor(server: string, store: Store, countedKinds: Iterable<ParentKind>) {
    const table = store.table(TREE_FAMILIES.nodeSensors);
    this.#countedKinds = new Set(countedKinds);
    this.#statusCode = new KeyedSeries(store.table(TREE_FAMILIES.nodeStatusCode));
    this.#deviceInfo = new KeyedSeries(store.table(TREE_FAMILIES.deviceInfo));
    this.#sensors = new Map(STATUS_TOKENS.map((token) => [token, new KeyedSeries(table)]));
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
