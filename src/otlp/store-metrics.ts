import type { HrTime } from "@opentelemetry/api";
import type { GaugeMetricData } from "@opentelemetry/sdk-metrics";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import { gauge } from "./metrics.ts";
import { SeriesPoint } from "./points.ts";

/** Series read before the event loop gets its turn. */
const SLICE = 5_000;

/** The current samples of the store as of `time`, for the families that `includes` takes. */
export function storeMetrics(
  store: Store,
  includes: (family: string) => boolean,
  time: HrTime,
): Promise<GaugeMetricData[]> {
  return store.read(async () => {
    const metrics: GaugeMetricData[] = [];
    for (const table of store.tables) {
      if (table.size > 0 && includes(table.family.name)) metrics.push(await tableMetric(table, time));
    }
    return metrics;
  });
}

async function tableMetric(table: SeriesTable, time: HrTime): Promise<GaugeMetricData> {
  const metric = gauge(table.family);
  for (let slot = 0; slot < table.slots; slot++) {
    if (slot > 0 && slot % SLICE === 0) await yieldToEventLoop();
    const value = table.value(slot);
    // JSON has no word for NaN and the infinities.
    if (!table.isPresent(slot) || !Number.isFinite(value)) continue;
    metric.dataPoints.push(new SeriesPoint(table.family, table.labels(slot), value, time));
  }
  return metric;
}
