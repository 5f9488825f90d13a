/** Many servers, one of the same total size, and a bare loop of their requests. Default schedules, two Prometheus servers. */
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { FLAGS } from "../../bin/node-settings.js";
import { Child } from "../processes/child.ts";
import { type ExporterProcess, ONCE, startExporter } from "../processes/exporter.ts";
import type { ProcessorTime } from "../processes/probe.ts";
import { readGzipped, scrape } from "../processes/scrape.ts";
import { startSimulators } from "../processes/simulator.ts";
import { type Budget, type PartResult, type Row, ratioBudget } from "../results/result.ts";
import { elapsed, spreadOf } from "../statistics.ts";
import { isOwnLine } from "./page.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

const COUNTS = [1, 500] as const;
const QUICK_COUNTS = [1, 10] as const;
const MINUTE_MS = 60_000;
/** Two Prometheus servers, each every 15 s. */
const SCRAPE_EVERY_MS = 7_500;
const LOOK_EVERY_MS = 250;
/** Two runs of all collectors except tree and limits. */
const SETTLES_FOR_MS = MINUTE_MS;
/** One tree read per server. */
const MEASURED_FOR_MS = 5 * MINUTE_MS;
/** At the default of 15 minutes, only some measurements would include limits. */
const SETTINGS = { collectors: { limits: ONCE } };
const ROUND_MS = MINUTE_MS;
const QUICK_MS = 3_000;
const STATUS_PAGES = 15;
/** Not a multiple of 500 ms (polls), so reads hit all phases. */
const BETWEEN_STATUS_PAGES_MS = 670;

const MEGABYTE = 1e6;
const KILOBYTE = 1e3;
const MAX_MEMORY_TO_ONE = 1.5;
const MAX_PROCESSOR_TO_ONE = 2;
const MAX_SCRAPE_MS = 1_000;
const MAX_STATUS_PAGE_KB = 100;
const MAX_STATUS_FIRST_BYTE_MS = 50;

const BARE = "processor time a minute of a bare loop of the requests and JSON.parse";

interface Course {
  readonly resident: number[];
  readonly cpuPerMinute: number;
  readonly barePerMinute: number;
  readonly scrapes: number[];
  readonly renderEnd: number;
  readonly ownBytes: number;
  readonly pageBytes: number;
  readonly statusBytes: number;
  readonly statusFirstByte: number[];
  /** Failed collectors and down servers at the end. */
  readonly failed: number;
  readonly skipped: number;
}

export async function benchServers(options: PartOptions): Promise<PartResult> {
  const { size, quick } = options;
  // At once, so that noise hits both.
  const counts = quick ? QUICK_COUNTS : COUNTS;
  const courses = new Map(
    await Promise.all(counts.map(async (servers) => [servers, await measure(servers, options)] as const)),
  );
  return {
    part: "servers",
    size,
    title: "servers: the same channels on many servers, with the default schedules",
    rows: [...courses].flatMap(([servers, course]) => rowsOf(servers, course, courses.get(1))),
    budgets: budgetsOf(options, courses),
    notes: [],
  };
}

async function measure(servers: number, { size, quick }: PartOptions): Promise<Course> {
  await using simulators = await startSimulators(servers, size);
  const course = await exporterCourse(simulators.urls, quick);
  return { ...course, barePerMinute: await bareLoop(simulators.urls, quick ? QUICK_MS : ROUND_MS) };
}

async function exporterCourse(urls: readonly string[], quick: boolean): Promise<Omit<Course, "barePerMinute">> {
  await using exporter = await startExporter({ server: urls, settings: SETTINGS });
  await exporter.ready();
  await sleep(quick ? 0 : SETTLES_FOR_MS);
  return await watch(exporter, quick ? QUICK_MS : MEASURED_FOR_MS);
}

async function bareLoop(urls: readonly string[], roundMs: number): Promise<number> {
  await using bare = Child.node("bench/peers/servers-bare.ts", [String(roundMs), ...urls], { flags: FLAGS });
  await bare.said(/ready/);
  const { cpuMs } = await bare.ask<ProcessorTime>("round");
  return (cpuMs / 1_000) * (MINUTE_MS / roundMs);
}

async function watch(exporter: ExporterProcess, ms: number): Promise<Omit<Course, "barePerMinute">> {
  const resident: number[] = [];
  const scrapes: number[] = [];
  const before = await exporter.processorTime();
  const end = performance.now() + ms;
  let nextScrape = performance.now();
  while (performance.now() < end) {
    resident.push((await exporter.memory()).residentBytes / MEGABYTE);
    if (performance.now() >= nextScrape) {
      nextScrape += SCRAPE_EVERY_MS;
      scrapes.push(await elapsed(() => scrape(`${exporter.url}/metrics`, "gzip")));
    }
    await sleep(LOOK_EVERY_MS);
  }
  const after = await exporter.processorTime();
  const statusPages: { readonly bytes: number; readonly firstByteMs: number }[] = [];
  while (statusPages.length < STATUS_PAGES) {
    statusPages.push(await readStatusPage(exporter.url));
    await sleep(BETWEEN_STATUS_PAGES_MS);
  }
  const { text } = await readGzipped(exporter.url);
  const lines = text.toString("utf8").split("\n");
  const own = lines.filter((line) => !line.startsWith("#") && isOwnLine(line));
  const minutes = (after.wallMs - before.wallMs) / MINUTE_MS;
  return {
    ...{ resident, scrapes },
    cpuPerMinute: (after.cpuMs - before.cpuMs) / 1_000 / minutes,
    renderEnd: own.length,
    ownBytes: own.reduce((sum, line) => sum + line.length + 1, 0),
    pageBytes: text.length,
    statusBytes: Math.max(...statusPages.map(({ bytes }) => bytes)),
    statusFirstByte: statusPages.map(({ firstByteMs }) => firstByteMs),
    failed: own.filter((line) => /^(prtg_up|prtg_exporter_collector_success)\{.* 0$/.test(line)).length,
    skipped: sumOf(own, "prtg_exporter_collector_skipped_runs_total"),
  };
}

async function readStatusPage(url: string): Promise<{ readonly bytes: number; readonly firstByteMs: number }> {
  const started = performance.now();
  const { body } = await request(`${url}/`);
  let firstByteMs = Number.NaN;
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes === 0) firstByteMs = performance.now() - started;
    if (chunk instanceof Uint8Array) bytes += chunk.length;
  }
  return { bytes, firstByteMs };
}

function sumOf(lines: readonly string[], name: string): number {
  const values = lines.filter((line) => line.startsWith(`${name}{`)).map((line) => Number(line.split(" ").at(-1)));
  return values.reduce((sum, value) => sum + value, 0);
}

const nameOf = (servers: number) => `${servers} ${servers === 1 ? "server" : "servers"}`;

function rowsOf(servers: number, course: Course, one: Course | undefined): Row[] {
  const of = nameOf(servers);
  const beside = (row: Row, reference: number | undefined): Row => {
    if (servers === 1 || reference === undefined) return row;
    return { ...row, ratio: { spread: spreadOf([row.spread.median / reference]), to: nameOf(1) } };
  };
  const rows = [
    beside(rowOf("resident memory", "MB", course.resident), one && spreadOf(one.resident).median),
    rowOf("resident memory, the most", "MB", [Math.max(...course.resident)]),
    beside(rowOf("processor time a minute", "s", [course.cpuPerMinute]), one?.cpuPerMinute),
    beside(rowOf(BARE, "s", [course.barePerMinute]), one?.barePerMinute),
    rowOf("scrape, gzip", "ms", course.scrapes),
    rowOf("scrape, gzip, the slowest", "ms", [Math.max(...course.scrapes)]),
    rowOf("page", "MB", [course.pageBytes / MEGABYTE]),
    rowOf("lines of own metrics", "count", [course.renderEnd]),
    rowOf("own metrics", "MB", [course.ownBytes / MEGABYTE]),
    rowOf("status page", "kB", [course.statusBytes / KILOBYTE]),
    rowOf("status page, first byte", "ms", course.statusFirstByte),
    rowOf("collectors that failed", "count", [course.failed]),
    rowOf("runs left out, as the one before went on", "count", [course.skipped]),
  ];
  return rows.map((row) => ({ ...row, of }));
}

function budgetsOf(options: PartOptions, courses: ReadonlyMap<number, Course>): readonly Budget[] {
  const one = courses.get(1);
  if (one === undefined) return [];
  const all = [...courses];
  const many = all.filter(([servers]) => servers > 1);
  const ratios = many.flatMap(([servers, { resident, cpuPerMinute }]): Budget[] => [
    ratioBudget(
      `Resident memory with ${nameOf(servers)} to that with one of the same channels`,
      spreadOf(resident).median / spreadOf(one.resident).median,
      MAX_MEMORY_TO_ONE,
    ),
    ratioBudget(
      `Processor time with ${nameOf(servers)} to that with one of the same channels`,
      cpuPerMinute / one.cpuPerMinute,
      MAX_PROCESSOR_TO_ONE,
    ),
  ]);
  const most = (value: (course: Course) => number) => Math.max(...all.map(([, course]) => value(course)));
  const servers = nameOf(Math.max(...courses.keys()));
  return [
    {
      what: "Collectors that failed, and servers that were not up",
      unit: "count",
      value: most(({ failed }) => failed),
      atMost: 0,
    },
    ...forLarge(options, [
      ...ratios,
      {
        what: `The slowest scrape, gzip, with up to ${servers}`,
        unit: "ms",
        value: most(({ scrapes }) => Math.max(...scrapes)),
        atMost: MAX_SCRAPE_MS,
      },
      {
        what: `The status page with up to ${servers}`,
        unit: "kB",
        value: most(({ statusBytes }) => statusBytes / KILOBYTE),
        atMost: MAX_STATUS_PAGE_KB,
      },
      {
        what: `First byte of the status page with up to ${servers}`,
        unit: "ms",
        value: most(({ statusFirstByte }) => spreadOf(statusFirstByte).median),
        atMost: MAX_STATUS_FIRST_BYTE_MS,
      },
    ] satisfies Budget[]),
  ];
}
