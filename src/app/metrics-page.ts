import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import { Exposition } from "../exposition/exposition.ts";
import { MEDIA_TYPES } from "../exposition/negotiate.ts";
import { serverLink } from "../http/pages/status/links.ts";
import { REJECTION_REASONS } from "../http/server/rejection-log.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { Store } from "../store/store.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { EXPORTER_METRICS } from "../telemetry/metric-declarations.ts";
import type { ProcessRuntime } from "./context.ts";

export function createMetricsPage(
  store: Store,
  limits: Config["limits"],
  { build, clock, log }: ProcessRuntime,
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
      rendered: (format, seconds, bytes) => {
        metrics.exposition.renderDuration({ format }, seconds);
        metrics.exposition.bytes({ format, encoding: "gzip" }, bytes.gzip);
        metrics.exposition.bytes({ format, encoding: "identity" }, bytes.identity);
        watch.rendered(bytes.identity);
      },
      dropped: (series) => watch.dropped(series),
    },
    limits,
  });
  beginPageCounters(metrics);
  return { metrics, exposition };
}

/** From 0, so that `increase()` sees the first one. */
export function beginPageCounters(metrics: ExporterMetrics): void {
  for (const reason of REJECTION_REASONS) metrics.web.rejected({ reason }, 0);
  for (const format of MEDIA_TYPES) metrics.exposition.scraped({ format }, 0);
}

/** Addresses of the web interface and the status page of each server. */
export function reportLinks(metrics: ExporterMetrics, { servers, web: { externalUrl } }: Config): void {
  metrics.clear(EXPORTER_METRICS.config.webInterface);
  metrics.clear(EXPORTER_METRICS.config.statusPage);
  for (const { name, webUrl } of servers) {
    metrics.config.webInterface({ server: name, web_url: webUrl }, 1);
    if (externalUrl === undefined) continue;
    metrics.config.statusPage({ server: name, page_url: new URL(serverLink(name), `${externalUrl}/`).href }, 1);
  }
}

/** Default of `-promscrape.maxScrapeSize` of vmagent and VictoriaMetrics, before compression (after it in 1.115 to 1.134). */
const VMAGENT_BYTES = 16 * 1024 * 1024;
/** Change in the number of dropped series that is worth a log line. */
const LOG_SHARE = 0.1;

/** Logs if the metrics page is cut, or larger than some scrapers accept. */
export class PageWatch {
  readonly #metrics: ExporterMetrics;
  readonly #log: Logger;
  #dropped: ReadonlyMap<string, number> = new Map();
  #loggedDropped = 0;
  readonly #large = new LogOnChange();

  constructor(metrics: ExporterMetrics, log: Logger) {
    this.#metrics = metrics;
    this.#log = log;
  }

  droppedOf(family: string): number {
    return this.#dropped.get(family) ?? 0;
  }

  /** Series that exceed the limits of the page, by family. */
  dropped(series: ReadonlyMap<string, number>): void {
    this.#dropped = series;
    this.#metrics.clear(EXPORTER_METRICS.exposition.droppedSeries);
    for (const [family, count] of series) this.#metrics.exposition.droppedSeries({ family }, count);
    const total = series.values().reduce((sum, count) => sum + count, 0);
    if (Math.abs(total - this.#loggedDropped) <= LOG_SHARE * this.#loggedDropped) return;
    this.#loggedDropped = total;
    if (total === 0) this.#log.info("the metrics page is complete again, within limits.max_series and max_bytes");
    else {
      const fields = { dropped: total, families: Object.fromEntries(series) };
      this.#log.warn(
        fields,
        "series are dropped from the metrics page: it would exceed limits.max_series or max_bytes",
      );
    }
  }

  /** @param bytes size before compression */
  rendered(bytes: number): void {
    if (bytes <= VMAGENT_BYTES || !this.#large.record()) return;
    this.#log.warn(
      { bytes },
      "the metrics page exceeds 16 MiB, the default limit of vmagent and VictoriaMetrics: raise -promscrape.maxScrapeSize, scrape parts (?shard=i/n), or omit labels (labels)",
    );
  }
}
