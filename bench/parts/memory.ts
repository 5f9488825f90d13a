/** Memory while each poll replaces 1 % of the sensors, after forced collections. */
import { setTimeout as sleep } from "node:timers/promises";
import { type ExporterProcess, startExporter } from "../processes/exporter.ts";
import { type SimulatedServer, sensorsOf, startSimulator } from "../processes/simulator.ts";
import { waitForPollEnd } from "../processes/wait-for-polls.ts";
import type { Budget, PartResult } from "../results/result.ts";
import { growthOf } from "../statistics.ts";
import { seriesOnPage } from "./page.ts";
import type { PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

const POLLS = 100;
const QUICK_POLLS = 6;
const CHURN = 0.01;
/** Has an average number of channels. */
const CHURNING_KIND = "snmptraffic";
const MEGABYTE = 1e6;
/** Noise between two polls. */
const MAX_GROWTH = 0.05;
/** Hash tables double once under churn. A full leak of 80 polls would add 80 %. */
const MAX_HEAP_GROWTH = 0.1;
const MAX_RESIDENT = [
  { series: 200_000, megabytes: 600 },
  { series: 1_000_000, megabytes: 2_000 },
] as const;
/** Below, the runtime dominates the resident memory. */
const LARGE = 100_000;
/** The smallest heap counts: others contain half-read lists. */
const COLLECTIONS = 10;
const COLLECT_EVERY_MS = 400;
const ABOUT = 1.05;

export async function benchMemory(options: PartOptions): Promise<PartResult> {
  const { size, quick } = options;
  const polls = quick ? QUICK_POLLS : POLLS;
  await using simulator = await startSimulator(size);
  const period = quick ? "1s" : `${Math.max(1, Math.ceil(size / 100_000))}s`;
  const schedule = { schedule: period };
  const collectors = { tree: schedule, status: schedule, channels: schedule, timeseries: { enabled: false } };
  await using exporter = await startExporter({ server: simulator.url, settings: { collectors } });
  await exporter.ready();
  const course = await pollWithChurn(simulator, exporter, polls, Math.ceil(sensorsOf(size) * CHURN));
  const { resident, heap, lean } = course;
  const series = await seriesOnPage(exporter.url);
  const rows = [
    rowOf(`resident memory during ${polls} polls with 1 % churn each`, "MB", resident),
    rowOf("heap in use", "MB", heap),
    rowOf("heap in use after a collection, at the end", "MB", lean.late),
    rowOf(
      "resident bytes per series",
      "bytes",
      resident.slice(-5).map((megabytes) => (megabytes * MEGABYTE) / series),
    ),
    rowOf("heap bytes per series", "bytes", [(Math.min(...lean.late) * MEGABYTE) / series]),
    rowOf("series", "count", [series]),
  ];
  return {
    part: "memory",
    size,
    title: "memory under churn",
    rows,
    budgets: budgetsOf(options, course, series),
    notes: [],
  };
}

function budgetsOf(options: PartOptions, { resident, lean }: Course, series: number): Budget[] {
  const mostResident = MAX_RESIDENT.find((each) => series <= each.series * ABOUT)?.megabytes;
  const most: Budget = {
    what: `Resident memory with ${series.toLocaleString("en")} series, the most during 100 polls with 1 % churn each`,
    unit: "MB",
    value: Math.max(...resident),
    ...(mostResident !== undefined && { atMost: mostResident }),
  };
  const heapGrowth: Budget = {
    what: "Growth of the heap from the 20th poll to the 100th, each with 1 % churn",
    unit: "percent",
    value: 100 * growthOf([Math.min(...lean.early), Math.min(...lean.late)]),
    atMost: 100 * MAX_HEAP_GROWTH,
  };
  const residentGrowth: Budget = {
    what: "Growth of resident memory, last third of the polls after the 20th to the first",
    unit: "percent",
    value: 100 * growthOf(resident.slice(resident.length / 5)),
    atMost: 100 * MAX_GROWTH,
  };
  return [
    ...(mostResident === undefined ? [] : [most]),
    ...(options.quick ? [] : [heapGrowth]),
    ...(options.size >= LARGE ? [residentGrowth] : []),
  ];
}

interface Course {
  readonly resident: number[];
  readonly heap: number[];
  /** After collections, at the 20th poll and at the end. */
  readonly lean: { readonly early: number[]; readonly late: number[] };
}

async function pollWithChurn(
  { control }: SimulatedServer,
  exporter: ExporterProcess,
  polls: number,
  sensors: number,
): Promise<Course> {
  const course: Course = { resident: [], heap: [], lean: { early: [], late: [] } };
  const devices: string[] = [];
  const channels = await control.total("/api/v2/experimental/channels");
  await control.freeze();
  for (let poll = 0; poll < polls; poll++) {
    // Later polls remove them again to keep the size.
    devices.push(await control.addDevice(PROBE, `Churn ${poll}`, sensors, CHURNING_KIND));
    const old = devices.length > 2 ? devices.shift() : undefined;
    if (old !== undefined) await control.remove(old);
    await control.stepMinute();
    await waitForPollEnd(control, channels);
    const { residentBytes, heapBytes } = await exporter.memory();
    course.resident.push(residentBytes / MEGABYTE);
    course.heap.push(heapBytes / MEGABYTE);
    if (poll === Math.floor(polls / 5)) course.lean.early.push(...(await leanHeap(exporter)));
  }
  course.lean.late.push(...(await leanHeap(exporter)));
  return course;
}

async function leanHeap(exporter: ExporterProcess): Promise<number[]> {
  const heap: number[] = [];
  for (let time = 0; time < COLLECTIONS; time++) {
    heap.push((await exporter.leanMemory()).heapBytes / MEGABYTE);
    await sleep(COLLECT_EVERY_MS);
  }
  return heap;
}

const PROBE = "1";
