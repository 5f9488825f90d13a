import type { ApiObserver } from "../../src/prtg/observer.ts";
import type { ServerMetrics } from "../../src/telemetry/server-metrics.ts";

/** Counts nothing: what the exporter tells of itself is not what is measured. */
export const SILENT_SERVER: ServerMetrics = {
  up: () => undefined,
  collector: () => ({ enabled: () => undefined, finished: () => undefined, skipped: () => undefined }),
  decodeProblem: () => undefined,
  waitingChannels: () => undefined,
  unmappedChannels: () => undefined,
  orphans: () => undefined,
  clockOffset: () => undefined,
};

export const SILENT_API: ApiObserver = {
  requestStarted: () => undefined,
  requestFinished: () => undefined,
  retried: () => undefined,
  breakerChanged: () => undefined,
  listMoved: () => undefined,
  totalMismatch: () => undefined,
  decodeProblem: () => undefined,
};
