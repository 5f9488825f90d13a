import { Histogram, type Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import { type BodyFormat, formatEnd, formatHeader } from "./format.ts";
import { formatLabels, formatValue } from "./text.ts";

type MetricJson = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number];
type ValueJson = MetricJson["values"][number] & { metricName?: string };

/** What was measured of the process is shown for so long, milliseconds: a little longer than until it is measured anew. */
const SHOWN_FOR = 1_500;

/** They ask the system. */
const OF_PROCESS = /^(process|nodejs)_/;

/**
 * The exporter's own metrics, and the end of the page. What the process needs is measured each second for whoever asks
 * regularly, as a scrape would take as long for it as for sending all else; what the exporter did is always as it is.
 */
export class SelfPages {
  readonly #registry: Registry;
  readonly #clock: Clock;
  #ofProcess: ReadonlyMap<BodyFormat, { readonly text: string; readonly since: number }> = new Map();

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  async page(format: BodyFormat): Promise<string> {
    const now = this.#clock.monotonic();
    const known = this.#ofProcess.get(format);
    const isRecent = known !== undefined && now - known.since < SHOWN_FOR;
    const own = renderMetrics(await this.#read(false), format);
    const ofProcess = isRecent ? known.text : renderMetrics(await this.#read(true), format);
    return own + ofProcess + formatEnd(format);
  }

  /** To be called each second, with the formats that are asked for. */
  async measureProcess(formats: ReadonlySet<BodyFormat>): Promise<void> {
    const since = this.#clock.monotonic();
    const metrics = formats.size === 0 ? [] : await this.#read(true);
    this.#ofProcess = new Map(
      [...formats].map((format) => [format, { text: renderMetrics(metrics, format), since }] as const),
    );
  }

  /** A histogram is a dozen series for each of its own: it takes long, as those of the process do. */
  #read(whatTakesLong: boolean): Promise<readonly MetricJson[]> {
    const metrics = this.#registry.getMetricsAsArray().flatMap(({ name }) => {
      const metric = this.#registry.getSingleMetric(name);
      const takesLong = OF_PROCESS.test(name) || metric instanceof Histogram;
      return metric !== undefined && takesLong === whatTakesLong ? metric.get() : [];
    });
    return Promise.all(metrics);
  }
}

function renderMetrics(metrics: readonly MetricJson[], format: BodyFormat): string {
  return metrics.map((metric) => renderMetric(metric, format)).join("");
}

function renderMetric(metric: MetricJson, format: BodyFormat): string {
  const samples = metric.values.map((value) => renderSample(metric.name, value)).join("");
  if (samples === "") return "";
  // The declared type is a numeric enum, the value at run time its lower-case name.
  const type =
    String(metric.type) === "histogram" ? "histogram" : String(metric.type) === "counter" ? "counter" : "gauge";
  return formatHeader(format, { name: metric.name, help: metric.help, type }) + samples;
}

function renderSample(family: string, sample: ValueJson): string {
  const labels = Object.entries(sample.labels).filter(([, value]) => value !== undefined);
  const names = labels.map(([name]) => name);
  const values = labels.map(([, value]) => String(value));
  return `${sample.metricName ?? family}${formatLabels(names, values)} ${formatValue(sample.value)}\n`;
}
