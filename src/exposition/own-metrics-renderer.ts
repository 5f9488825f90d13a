import pLimit from "p-limit";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { TimeSlices } from "../lib/yielding.ts";
import { OWN_METRICS } from "../telemetry/own-metrics.ts";
import { type InstrumentState, readInstrument } from "../telemetry/recording.ts";
import { LineBuffer } from "./line-buffer.ts";
import { SeriesLines, writeSeries } from "./series-lines.ts";
import { type ExpositionFormat, formatEnd, formatHeader, formatLabels, formatValue } from "./text-format.ts";

type MetricJson = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number];
type ValueJson = MetricJson["values"][number] & { metricName?: string };

interface MeasuredProcess {
  readonly text: string;
  /** Monotonic. */
  readonly since: number;
}

/** What was measured of the process is shown for so long, milliseconds: a little longer than until it is measured anew. */
const SHOWN_FOR = 1_500;

/** What is measured each second rests for so many times as long as it took. */
const REST = 20;

/** Series that are looked at before others may have the event loop: a few milliseconds, and ten turns for those of 500 servers. */
const STEPS_PER_LOOK = 4_096;

/** What others than us measure: they ask the system. */
const OF_PROCESS = /^(process|nodejs)_/;

/**
 * The exporter's own metrics, and the end of the page. What the process needs is measured each second for regular
 * scrapes, as a scrape would take as long for it as for sending all else; what the exporter did is always as it is.
 *
 * With hundreds of servers these are tens of thousands of lines: only what changed is made, in slices, one page at a time,
 * and those who wait for their turn share the next one. Pages are buffers, most of them those of the page before: as one text
 * they would be most of what the heap has to free.
 */
export class OwnMetricsRenderer {
  readonly #registry: Registry;
  readonly #clock: Clock;
  #ofProcess: ReadonlyMap<ExpositionFormat, MeasuredProcess> = new Map();
  /** How long that is shown, milliseconds. */
  #shownFor = SHOWN_FOR;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Of the page, or family, that is made. */
  readonly #buffer = new LineBuffer();
  readonly #lines = new Map<string, SeriesLines>();
  readonly #work = pLimit(1);
  /** Pages that have not been begun. */
  readonly #waiting = new Map<ExpositionFormat, Promise<readonly Buffer[]>>();

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /** The buffers, many of them small, may be on other pages, too: nobody may write to them, or free them. */
  render(format: ExpositionFormat): Promise<readonly Buffer[]> {
    const waiting = this.#waiting.get(format);
    if (waiting !== undefined) return waiting;
    const page = this.#work(async () => {
      this.#waiting.delete(format);
      return this.#make(format);
    });
    this.#waiting.set(format, page);
    return page;
  }

  async #make(format: ExpositionFormat): Promise<readonly Buffer[]> {
    const slices = new TimeSlices(this.#clock, undefined, "reader", STEPS_PER_LOOK);
    const now = this.#clock.monotonic();
    const known = this.#ofProcess.get(format);
    const isRecent = known !== undefined && now - known.since < this.#shownFor;
    const own = await this.#renderOwn(format, slices);
    const ofProcess = isRecent ? known.text : await renderMetrics(await this.#readProcess(), format, slices);
    return [...own, Buffer.from(ofProcess), Buffer.from(formatEnd(format))];
  }

  async #renderOwn(format: ExpositionFormat, slices: TimeSlices): Promise<readonly Buffer[]> {
    const buffers: Buffer[] = [];
    for (const { name, help } of this.#registry.getMetricsAsArray()) {
      const metric = this.#registry.getSingleMetric(name);
      if (metric === undefined || OF_PROCESS.test(name)) continue;
      const state = readInstrument(metric);
      if (state === undefined) {
        buffers.push(Buffer.from(await renderMetric(await metric.get(), format, slices)));
        continue;
      }
      const lines = mapEntry(this.#lines, name, () => new SeriesLines(name, this.#buffer));
      const samples = await lines.render(state, slices);
      if (samples.length === 0) continue;
      buffers.push(Buffer.from(formatHeader(format, { name, help, type: state.type })), samples);
    }
    return buffers;
  }

  /** Those about these servers, and which exporter this is. Nothing of other servers, and of the process nothing else. */
  renderOfServers(format: ExpositionFormat, servers: readonly string[]): Promise<readonly Buffer[]> {
    return this.#work(async () => [await this.#makeOfServers(format, servers)]);
  }

  async #makeOfServers(format: ExpositionFormat, servers: readonly string[]): Promise<Buffer> {
    const wanted = new Set(servers);
    const slices = new TimeSlices(this.#clock, undefined, "reader", STEPS_PER_LOOK);
    const lines = this.#buffer;
    lines.clear();
    for (const { name, help } of this.#registry.getMetricsAsArray()) {
      const state = readInstrument(this.#registry.getSingleMetric(name));
      if (state === undefined) continue;
      const ofServers = name === OWN_METRICS.process.build.name ? state : seriesOf(wanted, state);
      if (Object.keys(ofServers.series).length === 0) continue;
      lines.text(formatHeader(format, { name, help, type: state.type }));
      await writeSeries(name, ofServers, lines, slices);
    }
    lines.text(formatEnd(format));
    return lines.take();
  }

  /** To be called each second, with the formats that are asked for. */
  async measureProcess(formats: ReadonlySet<ExpositionFormat>): Promise<void> {
    const since = this.#clock.monotonic();
    if (since < this.#restsUntil) return;
    const metrics = formats.size === 0 ? [] : await this.#readProcess();
    const slices = new TimeSlices(this.#clock);
    const measured: [ExpositionFormat, MeasuredProcess][] = [];
    for (const format of formats)
      measured.push([format, { text: await renderMetrics(metrics, format, slices), since }]);
    this.#ofProcess = new Map(measured);
    const rest = REST * (this.#clock.monotonic() - since);
    this.#restsUntil = since + rest;
    this.#shownFor = SHOWN_FOR + rest;
  }

  #readProcess(): Promise<readonly MetricJson[]> {
    const metrics = this.#registry.getMetricsAsArray().flatMap(({ name }) => {
      const metric = this.#registry.getSingleMetric(name);
      return metric !== undefined && OF_PROCESS.test(name) ? metric.get() : [];
    });
    return Promise.all(metrics);
  }
}

function seriesOf(servers: ReadonlySet<string>, state: InstrumentState): InstrumentState {
  const wanted = Object.entries(state.series).filter(([, { labels }]) => servers.has(labels.server ?? ""));
  return { ...state, series: Object.fromEntries(wanted) };
}

async function renderMetrics(
  metrics: readonly MetricJson[],
  format: ExpositionFormat,
  slices: TimeSlices,
): Promise<string> {
  let text = "";
  for (const metric of metrics) text += await renderMetric(metric, format, slices);
  return text;
}

async function renderMetric(metric: MetricJson, format: ExpositionFormat, slices: TimeSlices): Promise<string> {
  let samples = "";
  for (const value of metric.values) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    samples += renderSample(metric.name, value);
  }
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
