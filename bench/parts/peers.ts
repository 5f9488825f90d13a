/** The exporter beside programs that only hold and serve the same series. Default schedules, one Prometheus server. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "../processes/child.ts";
import { type ExporterProcess, startExporter } from "../processes/exporter.ts";
import type { Memory, ProcessorTime } from "../processes/probe.ts";
import { findProgram } from "../processes/programs.ts";
import { readPage, readWire, scrape } from "../processes/scrape.ts";
import { startSimulator } from "../processes/simulator.ts";
import { type Budget, type PartResult, type Row, ratioBudget } from "../results/result.ts";
import { elapsed, ratiosOf, type Spread } from "../statistics.ts";
import { countSamples, isOwnLine, sampleOf } from "./page.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

const MINUTES = 5;
const MINUTE_MS = 60_000;
const QUICK_MS = 3_000;
const SCRAPES_A_MINUTE = 4;
/** Also lets the peers collect the garbage of their start. */
const SETTLES_FOR_MS = MINUTE_MS;
const MEGABYTE = 1e6;

const OURS = "prtg-exporter, with polls and decoding";
const CLIENT_GOLANG = "client_golang";
const PROM_CLIENT = "prom-client";

const MAX_PROCESSOR = 0.25;
const MAX_MEMORY = 0.42;
const MAX_SCRAPE = 0.01;

interface Peer extends AsyncDisposable {
  readonly url: string;
  processorMs(): Promise<number>;
  residentBytes(): Promise<number>;
}

interface Course {
  /** Seconds, by minute. */
  readonly cpu: number[];
  /** At each scrape. */
  readonly resident: number[];
  readonly scrapes: number[];
}

export async function benchPeers(options: PartOptions): Promise<PartResult> {
  const { size, quick } = options;
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-bench-"));
  try {
    await using simulator = await startSimulator(size);
    await using exporter = await startExporter({ server: simulator.url });
    await exporter.ready();
    const page = (await readPage(exporter.url)).toString();
    const given = page.split("\n").filter((line) => !isOwnLine(line));
    const file = path.join(folder, "page.txt");
    await writeFile(file, given.join("\n"));
    await using promClient = await startPromClient(file);
    await using clientGolang = await startClientGolang(file);
    const peers = new Map<string, Peer>([[OURS, asPeer(exporter)]]);
    if (clientGolang !== undefined) peers.set(CLIENT_GOLANG, clientGolang);
    peers.set(PROM_CLIENT, promClient);
    await sleep(quick ? 0 : SETTLES_FOR_MS);
    const courses = await watch(
      peers,
      quick ? { minutes: 1, minuteMs: QUICK_MS } : { minutes: MINUTES, minuteMs: MINUTE_MS },
    );
    const pages = await Promise.all(
      [...peers].map(async ([name, { url }]) => [name, (await readWire(url)).length] as const),
    );
    const missing =
      clientGolang === undefined ? [`${CLIENT_GOLANG}: skipped, install it with scripts/install-test-programs.sh`] : [];
    return {
      part: "peers",
      size,
      title: "peers: the same series held and served by client libraries",
      rows: rowsOf(courses, new Map(pages)),
      budgets: forLarge(options, budgetsOf(courses)),
      notes: [`${countSamples(Buffer.from(given.join("\n")))} series, scraped every 15 s with gzip.`, ...missing],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function asPeer({ url, processorTime, memory }: Pick<ExporterProcess, "url" | "processorTime" | "memory">): Peer {
  return {
    url,
    processorMs: async () => (await processorTime()).cpuMs,
    residentBytes: async () => (await memory()).residentBytes,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const SERVES = / on (http:\S+)/;

async function startPromClient(file: string): Promise<Peer> {
  const child = Child.node("bench/peers/prom-client-page.ts", [file], { preload: "bench/processes/probe.ts" });
  const [, url = ""] = await child.said(SERVES);
  return {
    ...asPeer({
      url,
      processorTime: () => child.ask<ProcessorTime>("processorTime"),
      memory: () => child.ask<Memory>("memory"),
    }),
    [Symbol.asyncDispose]: () => child.stop(),
  };
}

async function startClientGolang(file: string): Promise<Peer | undefined> {
  const program = findProgram("client-golang-page");
  if (program === undefined) return undefined;
  const child = new Child(program, [file]);
  const [, url = ""] = await child.said(SERVES);
  const own = async (name: string) => sampleOf(await (await fetch(`${url}/own`)).text(), name) ?? Number.NaN;
  return {
    url,
    processorMs: async () => 1_000 * (await own("process_cpu_seconds_total")),
    residentBytes: () => own("process_resident_memory_bytes"),
    [Symbol.asyncDispose]: () => child.stop(),
  };
}

async function watch(
  peers: ReadonlyMap<string, Peer>,
  { minutes, minuteMs }: { readonly minutes: number; readonly minuteMs: number },
): Promise<ReadonlyMap<string, Course>> {
  const courses = new Map(
    [...peers.keys()].map((name): [string, Course] => [name, { cpu: [], resident: [], scrapes: [] }]),
  );
  const processorMs = async () =>
    new Map(await Promise.all([...peers].map(async ([name, peer]) => [name, await peer.processorMs()] as const)));
  let next = performance.now();
  for (let minute = 0; minute < minutes; minute++) {
    const before = await processorMs();
    for (let turn = 0; turn < SCRAPES_A_MINUTE; turn++) {
      // One after another, so that none waits for another.
      for (const [name, peer] of peers) {
        const course = courses.get(name);
        course?.scrapes.push(await elapsed(() => scrape(`${peer.url}/metrics`, "gzip")));
        course?.resident.push((await peer.residentBytes()) / MEGABYTE);
      }
      next += minuteMs / SCRAPES_A_MINUTE;
      await sleep(Math.max(0, next - performance.now()));
    }
    const after = await processorMs();
    for (const [name, { cpu }] of courses) cpu.push(((after.get(name) ?? 0) - (before.get(name) ?? 0)) / 1_000);
  }
  return courses;
}

function rowsOf(courses: ReadonlyMap<string, Course>, pageBytes: ReadonlyMap<string, number>): Row[] {
  const reference = courses.get(CLIENT_GOLANG);
  return [...courses].flatMap(([name, { cpu, resident, scrapes }]) => {
    const beside = (row: Row, values: readonly number[], to: readonly number[] | undefined): Row =>
      to === undefined || name === CLIENT_GOLANG
        ? row
        : { ...row, ratio: { spread: ratiosOf(values, to), to: CLIENT_GOLANG } };
    return [
      beside(rowOf("processor time a minute", "s", cpu), cpu, reference?.cpu),
      beside(rowOf("resident memory", "MB", resident), resident, reference?.resident),
      beside(rowOf("scrape, gzip", "ms", scrapes), scrapes, reference?.scrapes),
      rowOf("page, gzip", "MB", [(pageBytes.get(name) ?? 0) / MEGABYTE]),
    ].map((row) => ({ ...row, of: name }));
  });
}

function budgetsOf(courses: ReadonlyMap<string, Course>): Budget[] {
  const [ours, theirs] = [courses.get(OURS), courses.get(CLIENT_GOLANG)];
  if (ours === undefined || theirs === undefined) return [];
  const ratio = (part: keyof Course): Spread => ratiosOf(ours[part], theirs[part]);
  return [
    ratioBudget("Processor time a minute, to client_golang with the same series", ratio("cpu"), MAX_PROCESSOR),
    ratioBudget("Resident memory, to client_golang with the same series", ratio("resident"), MAX_MEMORY),
    ratioBudget("A scrape every 15 s, gzip, to client_golang with the same series", ratio("scrapes"), MAX_SCRAPE),
  ];
}
