import type { Logger } from "pino";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { OWN_METRICS } from "../telemetry/own-metrics.ts";

/**
 * What vmagent and VictoriaMetrics take unless told otherwise (`-promscrape.maxScrapeSize`), before compression but in
 * releases from 1.115 to 1.134.
 */
const VMAGENT_BYTES = 16 * 1024 * 1024;
/** Fewer or more series are told in the log when they differ by this share; values come and go all the time. */
const WORTH_TELLING = 0.1;

/** Says when the metrics page is cut short, or is larger than some scrapers take. */
export class PageWatch {
  readonly #metrics: ExporterMetrics;
  readonly #log: Logger;
  #dropped: ReadonlyMap<string, number> = new Map();
  #toldDropped = 0;
  readonly #large = new LogOnChange();

  constructor(metrics: ExporterMetrics, log: Logger) {
    this.#metrics = metrics;
    this.#log = log;
  }

  /** Series of the family that the page lacks. */
  droppedOf(family: string): number {
    return this.#dropped.get(family) ?? 0;
  }

  /** Series that the page lacks because of its limits, by family. */
  dropped(series: ReadonlyMap<string, number>): void {
    this.#dropped = series;
    this.#metrics.clear(OWN_METRICS.exposition.droppedSeries);
    for (const [family, count] of series) this.#metrics.exposition.droppedSeries(family, count);
    const total = series.values().reduce((sum, count) => sum + count, 0);
    if (Math.abs(total - this.#toldDropped) <= WORTH_TELLING * this.#toldDropped) return;
    this.#toldDropped = total;
    if (total === 0) this.#log.info("the metrics page is whole again: it keeps within limits.max_series and max_bytes");
    else {
      const fields = { dropped: total, families: Object.fromEntries(series) };
      this.#log.warn(fields, "series are left out of the metrics page: it would exceed limits.max_series or max_bytes");
    }
  }

  /** Bytes of the largest page or part that is asked for, before compression. */
  rendered(bytes: number): void {
    if (bytes <= VMAGENT_BYTES || !this.#large.record()) return;
    this.#log.warn(
      { bytes },
      "the metrics page is larger than the 16 MiB that vmagent and VictoriaMetrics take by default: raise -promscrape.maxScrapeSize, scrape parts (?shard=i/n), or leave labels out (labels)",
    );
  }
}
