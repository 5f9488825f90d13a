import type { Logger } from "pino";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import { reconcile } from "../model/reconcile.ts";
import { EMPTY_TREE, type Tree } from "../model/tree.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ChannelRecord, ListResult, NodeKind, NodeRecord } from "../prtg/records.ts";

/** What the server has now. */
export interface Inventory {
  readonly tree: Tree;
  readonly channels: readonly ChannelRecord[];
}

const ATTEMPTS = 3;

/**
 * Reads the tree and all channels. Needs complete lists: a missing sensor would be a permanent hole in the history.
 * @throws ExporterError BACKFILL_LIST_MOVED, and what the client throws
 */
export async function readInventory(api: MonitoringApi, log: Logger, signal: AbortSignal): Promise<Inventory> {
  const poll: { [Kind in NodeKind]?: ListResult<NodeRecord> } = {};
  // The list of sensors comes later, so it has the sensor of a new channel.
  const channels = await readComplete("channels", () => api.channels({}, signal));
  for (const kind of api.readingOrder) {
    try {
      poll[kind] = await readComplete(`${kind}s`, () => api.nodes(kind, {}, signal));
    } catch (error) {
      const missing = error instanceof ExporterError && error.code === "API_ENDPOINT_MISSING";
      if (kind === "sensor" || !missing) throw error;
      log.warn(`going on without the list of ${kind}s, as serve does: ${describeError(error)}`);
    }
  }
  return { tree: reconcile(EMPTY_TREE, poll).tree, channels: channels.items };
}

async function readComplete<Item>(what: string, read: () => Promise<ListResult<Item>>): Promise<ListResult<Item>> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const list = await read();
    if (list.complete) return list;
  }
  throw new ExporterError(
    "BACKFILL_LIST_MOVED",
    `the list of ${what} changed each of ${ATTEMPTS} times while it was read`,
  );
}
