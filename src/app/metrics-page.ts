import type { Config } from "../config/load.ts";
import { Exposition } from "../exposition/exposition.ts";
import { MEDIA_TYPES } from "../exposition/negotiate.ts";
import { REJECTION_REASONS } from "../http/server/rejection-log.ts";
import type { Store } from "../store/store.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import type { Runtime } from "./context.ts";
import { PageWatch } from "./page-watch.ts";

/** The exporter's own metrics, which tell of the page, and the page, which shows them. */
export function createMetricsPage(
  store: Store,
  limits: Config["limits"],
  { build, clock, log }: Runtime,
): { readonly metrics: ExporterMetrics; readonly exposition: Exposition } {
  const metrics = new ExporterMetrics(build, () =>
    [...store.tables].map(({ family: { name }, size }) => [name, size - watch.droppedOf(name)] as const),
  );
  const watch = new PageWatch(metrics, log);
  const exposition = new Exposition({
    store,
    registry: metrics.registry,
    clock,
    observer: {
      rendered: (format, encoding, seconds, bytes, plainBytes) => {
        metrics.exposition.renderDuration(format, seconds);
        metrics.exposition.bytes(format, encoding, bytes);
        watch.rendered(plainBytes);
      },
      dropped: (series) => watch.dropped(series),
    },
    limits,
  });
  // From the start, so that the first of them shows as a rise.
  for (const reason of REJECTION_REASONS) metrics.web.rejected(reason, 0);
  for (const format of MEDIA_TYPES) metrics.exposition.scraped(format, 0);
  return { metrics, exposition };
}
