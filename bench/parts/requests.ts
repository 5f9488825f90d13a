/** Pages and concurrent requests, counted by the simulator, over HTTP and HTTPS. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { selfSignedCertificate } from "prtg-simulator/src/server/certificate.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type ExporterOptions, startExporter } from "../processes/exporter.ts";
import { type Certificate, type SimulatorControl, startSimulator } from "../processes/simulator.ts";
import type { Budget, PartResult, Row } from "../results/result.ts";
import type { PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

const CONCURRENCY = 4;
const PAGE_STEP = 2_999;
const CROWD_MS = 5_000;
const QUICK_CROWD_MS = 1_000;

/** Lists alone do not exhaust the concurrency. */
const SETTINGS = { collectors: { timeseries: { schedule: "10s", mode: "all" } } };

interface Counted {
  readonly rows: readonly Row[];
  readonly budgets: readonly Budget[];
}

export async function benchRequests({ size, quick }: PartOptions): Promise<PartResult> {
  const crowdMs = quick ? QUICK_CROWD_MS : CROWD_MS;
  const counted: Counted[] = [];
  {
    await using simulator = await startSimulator(size);
    counted.push(await countRequests("HTTP", { server: simulator.url }, simulator.control, crowdMs));
  }
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-bench-"));
  try {
    const certificate = await writeCertificate(folder);
    await using simulator = await startSimulator(size, certificate);
    const reached = { server: simulator.url, caFile: certificate.certFile };
    counted.push(await countRequests("HTTPS", reached, simulator.control, crowdMs));
  } finally {
    await rm(folder, { recursive: true });
  }
  const rows = counted.flatMap((each) => each.rows);
  const budgets = counted.flatMap((each) => each.budgets);
  return { part: "requests", size, title: "requests: one cycle of everything", rows, budgets, notes: [] };
}

async function countRequests(
  scheme: string,
  reached: Pick<ExporterOptions, "server" | "caFile">,
  control: SimulatorControl,
  crowdMs: number,
): Promise<Counted> {
  const limits = { concurrency: CONCURRENCY, requests_per_second: 1_000 };
  await using exporter = await startExporter({ ...reached, limits, settings: SETTINGS });
  await exporter.ready();
  const cycle = (await control.requests()).recent.map(({ url }) => url).filter((url) => !url.includes("/timeseries/"));
  await sleep(crowdMs);
  const { mostInFlight } = await control.requests(0);
  await exporter.stop();
  const lists = listsOf(cycle);
  const excess: number[] = [];
  for (const { list, requests, readings } of lists) {
    excess.push(requests / readings - Math.max(1, Math.ceil((await control.total(list)) / PAGE_STEP)));
  }
  return {
    rows: [
      rowOf(`requests of a cycle, over ${scheme}`, "count", [cycle.length]),
      ...lists.map(({ list, requests, readings }) =>
        rowOf(`${list.replace("/api/v2", "")}, over ${scheme}`, "count", [requests / readings]),
      ),
      rowOf(`requests at the same time, over ${scheme}`, "count", [mostInFlight]),
    ],
    budgets: [
      {
        what: `Requests a list beyond ceil(objects / 2999), over ${scheme}`,
        unit: "count",
        value: Math.max(...excess),
        atMost: 0,
      },
      {
        what: `Requests at the same time with a concurrency of ${CONCURRENCY}, over ${scheme}`,
        unit: "count",
        value: mostInFlight,
        atMost: CONCURRENCY,
      },
    ],
  };
}

async function writeCertificate(folder: string): Promise<Certificate> {
  const { cert, key } = await selfSignedCertificate(["127.0.0.1"], systemClock.now());
  const [certFile, keyFile] = [path.join(folder, "cert.pem"), path.join(folder, "key.pem")];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  return { certFile, keyFile, cert };
}

export interface ListRequests {
  /** Without paging parameters. */
  readonly list: string;
  readonly requests: number;
  readonly readings: number;
}

export function listsOf(urls: readonly string[]): ListRequests[] {
  const lists = new Map<string, { requests: number; readings: number }>();
  for (const text of urls) {
    const { pathname, searchParams } = new URL(text, "http://server");
    const offset = searchParams.get("offset");
    if (offset === null) continue;
    const rest = [...searchParams].filter(([key]) => key !== "offset" && key !== "limit");
    const list =
      rest.length === 0 ? pathname : `${pathname}?${rest.map(([key, value]) => `${key}=${value}`).join("&")}`;
    const counts = lists.get(list) ?? { requests: 0, readings: 0 };
    counts.requests++;
    if (offset === "0") counts.readings++;
    lists.set(list, counts);
  }
  return [...lists].map(([list, counts]) => ({ list, ...counts }));
}
