/** 300 small servers with all time series due, compared with none. */
import { setTimeout as sleep } from "node:timers/promises";
import { type ExporterProcess, startExporter } from "../processes/exporter.ts";
import { readGzipped, scrape } from "../processes/scrape.ts";
import { startMirrors } from "../processes/simulator.ts";
import { type Budget, type PartResult, type Row, ratioBudget } from "../results/result.ts";
import { elapsed, spreadOf } from "../statistics.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

const SERVERS = 300;
const QUICK_SERVERS = 5;
/** From a report: 200 sensors with 773 channels. */
const CHANNELS_PER_SENSOR = 3.9;
const INTERVAL_SECONDS = 10;
/** The default. Time series get half: 3,000 requests a second in total. */
const LIMITS = { requests_per_second: 20 };
/** Two cycles end within the measurement. */
const TIME_SERIES = { mode: "all", schedule: "30s" };
/** At least one period of the channels. */
const WATCHED_MS = 75_000;
const QUICK_MS = 3_000;
/** For the first reads and the detection of load. */
const SETTLING_MS = 20_000;
const SCRAPE_EVERY_MS = 2_500;

const MEGABYTE = 1e6;
const MAX_SCRAPE_TO_UNLOADED = 3;
const MAX_MEMORY_TO_UNLOADED = 1.3;

interface Course {
  readonly scrapes: readonly number[];
  readonly resident: readonly number[];
  readonly processor: number;
  readonly notUp: number;
  readonly channelRequests: number;
  readonly seriesRead: number;
  readonly deferred: number;
}

export async function benchOverload(options: PartOptions): Promise<PartResult> {
  const { size, quick } = options;
  const addresses = quick ? QUICK_SERVERS : SERVERS;
  const channels = Math.ceil(size / addresses);
  const sensors = Math.ceil(channels / CHANNELS_PER_SENSOR);
  await using mirrors = await startMirrors({ addresses, sensors, channels, intervalSeconds: INTERVAL_SECONDS });
  const [unloaded, loaded] = await measure(mirrors.urls, quick);
  return {
    part: "overload",
    size,
    title: `overload: ${addresses} servers with ${sensors} sensors each, all due for their time series all the time`,
    rows: [...rowsOf("without time series", unloaded), ...rowsOf("with time series", loaded)],
    budgets: budgetsOf(options, unloaded, loaded),
    notes: [`${addresses * sensors} sensors are due in each cycle of ${TIME_SERIES.schedule}.`],
  };
}

/** Both at once, so that noise hits both. */
async function measure(urls: readonly string[], quick: boolean): Promise<readonly [Course, Course]> {
  await using unloaded = await started(urls, { enabled: false });
  await using loaded = await started(urls, TIME_SERIES);
  await sleep(quick ? 0 : SETTLING_MS);
  const ms = quick ? QUICK_MS : WATCHED_MS;
  return await Promise.all([watch(unloaded, urls.length, ms), watch(loaded, urls.length, ms)]);
}

async function started(server: readonly string[], timeseries: object): Promise<ExporterProcess> {
  const exporter = await startExporter({ server, limits: LIMITS, settings: { collectors: { timeseries } } });
  await exporter.ready();
  // The first scrape starts the refreshing of the page.
  await scrape(`${exporter.url}/metrics`, "gzip");
  return exporter;
}

async function watch(exporter: ExporterProcess, servers: number, ms: number): Promise<Course> {
  const scrapes: number[] = [];
  const resident: number[] = [];
  const before = await exporter.processorTime();
  const end = performance.now() + ms;
  while (performance.now() < end) {
    scrapes.push(await elapsed(() => scrape(`${exporter.url}/metrics`, "gzip")));
    resident.push((await exporter.memory()).residentBytes / MEGABYTE);
    await sleep(SCRAPE_EVERY_MS);
  }
  const after = await exporter.processorTime();
  const { text } = await readGzipped(exporter.url);
  const lines = text.toString("utf8").split("\n");
  return {
    ...{ scrapes, resident },
    processor: (after.cpuMs - before.cpuMs) / (after.wallMs - before.wallMs),
    notUp: servers - lines.filter((line) => /^prtg_up\{.*\} 1$/.test(line)).length,
    channelRequests: sumOf(lines, /^prtg_exporter_api_endpoint_requests_total\{.*channels.*code="200"/),
    seriesRead: sumOf(lines, /^prtg_exporter_api_endpoint_requests_total\{.*timeseries.*code="200"/),
    deferred: sumOf(lines, /^prtg_exporter_extra_reads_deferred_total\{/),
  };
}

function sumOf(lines: readonly string[], series: RegExp): number {
  const values = lines.filter((line) => series.test(line)).map((line) => Number(line.split(" ").at(-1)));
  return values.reduce((sum, value) => sum + value, 0);
}

function rowsOf(name: string, course: Course): Row[] {
  return [
    rowOf(`scrape, gzip, ${name}`, "ms", course.scrapes),
    rowOf(`resident memory, ${name}`, "MB", course.resident),
    rowOf(`processors in use, ${name}`, "count", [course.processor]),
    rowOf(`servers that are not up, ${name}`, "count", [course.notUp]),
    rowOf(`requests for channels, ${name}`, "count", [course.channelRequests]),
    rowOf(`time series read, ${name}`, "count", [course.seriesRead]),
    rowOf(`time series left for later, ${name}`, "count", [course.deferred]),
  ];
}

function budgetsOf(options: PartOptions, unloaded: Course, loaded: Course): readonly Budget[] {
  const ratio = (values: (course: Course) => number) => values(loaded) / values(unloaded);
  return [
    {
      what: "Servers that are not up with more time series due than can be read",
      unit: "count",
      value: loaded.notUp,
      atMost: 0,
    },
    ...forLarge(options, [
      {
        what: "A scrape with more time series due than can be read, to one without, the mean of all",
        unit: "ratio",
        // A median would hide the slow scrape of each minute.
        value: ratio(({ scrapes }) => scrapes.reduce((sum, ms) => sum + ms, 0) / scrapes.length),
        atMost: MAX_SCRAPE_TO_UNLOADED,
      },
      ratioBudget(
        "Resident memory, the most with more time series due than can be read, to that without",
        ratio(({ resident }) => spreadOf(resident).maximum),
        MAX_MEMORY_TO_UNLOADED,
      ),
      {
        what: "Time series that are told as left for later where more are due than can be read",
        unit: "count",
        value: loaded.deferred,
        atLeast: 1,
      },
    ] satisfies Budget[]),
  ];
}
