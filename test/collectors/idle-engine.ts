import { pino } from "pino";
import { SyncEngine, SyncProgress } from "../../src/sync/sync-engine.ts";
import { syncRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { FREE_EXTRAS } from "../support/free-extras.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MINUTE, smallServer } from "./monitored.ts";

export function idleEngine(progress = new SyncProgress()): SyncEngine {
  return new SyncEngine({
    ...{ api: smallServer(), mode: "auto", delivery: undefined, progress },
    ...{ limits: { requests: 1, periodMs: MINUTE }, extras: FREE_EXTRAS, clock: new ManualClock() },
    ...{ log: pino({ level: "silent" }), observer: syncRecorder(emptyMetrics(), "hq"), onFreshest: () => undefined },
  });
}
