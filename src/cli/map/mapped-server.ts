import type { Logger } from "pino";
import { PartialPoll } from "../../collectors/failures.ts";
import { readNodeLists } from "../../collectors/node-polls.ts";
import { NodeGaps } from "../../collectors/polled-server.ts";
import { reconcile } from "../../model/reconcile.ts";
import { EMPTY_TREE, NODE_KINDS, type NodePoll, ROOT_ID, type Tree, type TreeNode } from "../../model/tree.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import type { RecordedServer } from "./recording.ts";

/** @throws ApiError if a list fails, and the signal's reason */
export async function recordServer(
  name: string,
  api: MonitoringApi,
  log: Logger,
  signal: AbortSignal,
): Promise<RecordedServer> {
  const parts = new PartialPoll(signal);
  const options = { gaps: new NodeGaps(log), parts, optionsFor: () => ({}) };
  const { lists, complete } = await readNodeLists(api, options, signal);
  if (parts.error !== undefined) throw parts.error;
  const channels = await api.channels({}, signal);
  if (!complete || !channels.complete) log.warn("the lists changed while they were read: some objects may be missing");
  const nodes = NODE_KINDS.flatMap((kind) => lists[kind]?.items ?? []);
  return { name, nodes, channels: [...channels.items] };
}

/** As after the first poll of `serve`. */
export function treeOf({ nodes }: Pick<RecordedServer, "nodes">): Tree {
  const poll = Object.fromEntries(
    NODE_KINDS.map((kind) => {
      const items = nodes.filter((node) => node.kind === kind);
      return [kind, { items, complete: true, skipped: 0 }];
    }),
  );
  return reconcile(EMPTY_TREE, poll satisfies NodePoll).tree;
}

/** Records of one sensor and the objects above it. */
export function onlySensor(recorded: RecordedServer, tree: Tree, sensorId: string): RecordedServer {
  const kept = new Set<string>();
  for (let id = sensorId; id !== ROOT_ID && !kept.has(id); id = tree.nodes.get(id)?.parentId ?? ROOT_ID) kept.add(id);
  return {
    name: recorded.name,
    nodes: recorded.nodes.filter(({ id }) => kept.has(id)),
    channels: recorded.channels.filter((channel) => channel.sensorId === sensorId),
  };
}

export function sensorIn(tree: Tree, id: string): TreeNode | undefined {
  const node = tree.nodes.get(id);
  return node?.kind === "sensor" ? node : undefined;
}
