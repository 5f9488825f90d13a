/** Time from start to the first complete page, and its parts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { Child } from "../processes/child.ts";
import { startExporter } from "../processes/exporter.ts";
import type { ProcessorTime } from "../processes/probe.ts";
import { readWire } from "../processes/scrape.ts";
import { startSimulator } from "../processes/simulator.ts";
import { type Budget, type PartResult, ratioBudget } from "../results/result.ts";
import { ratiosOf } from "../statistics.ts";
import { sampleOf } from "./page.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";
import { measureStart } from "./start.ts";

const BARE = "bare loop of requests and JSON.parse";
const FIRST_PAGE = "first complete page, rendered, compressed and read";
const UNTIL_PAGE = "processor time until then";
const MAX_UNTIL_PAGE = 8;
const MAX_ROUNDS = 5;
const COLLECTORS = ["health", "tree", "status", "channels"];

export async function benchStartup(options: PartOptions): Promise<PartResult> {
  const { size, rounds, quick } = options;
  const start = await measureStart(quick);
  const simulator = await startSimulator(size);
  const compileCache = await mkdtemp(path.join(tmpdir(), "prtg-exporter-bench-compiled-"));
  // As for users.
  const begin = () => startExporter({ server: simulator.url, limits: {}, compileCache });
  try {
    // Fills the compile cache.
    const first = await begin();
    await first.ready().finally(() => first.stop());
    await using bare = Child.node("bench/peers/poll-bare.ts", [simulator.url]);
    await bare.said(/ready/);
    const bareSeconds = async () => (await bare.ask<ProcessorTime>("poll")).cpuMs / 1_000;
    await bareSeconds();
    const takes = new Map<string, number[]>();
    const note = (name: string, seconds: number) => takes.set(name, [...(takes.get(name) ?? []), seconds]);
    for (let round = 0; round < (quick ? 1 : Math.min(MAX_ROUNDS, rounds)); round++) {
      await using exporter = await begin();
      const since = () => (performance.now() - exporter.startedAt) / 1_000;
      const listening = since();
      await exporter.ready();
      const ready = since();
      const wire = await readWire(exporter.url);
      const read = since();
      note(FIRST_PAGE, read);
      note("of this: from the last poll to the page", read - ready);
      // Before limits and time series.
      note(UNTIL_PAGE, (await exporter.processorTime()).cpuMs / 1_000);
      const page = gunzipSync(wire).toString("utf8");
      const value = (name: string) => sampleOf(page, name) ?? Number.NaN;
      note("of this: process start until it listens", listening);
      for (const name of COLLECTORS) {
        note(
          `of this: ${name} read`,
          value(`prtg_exporter_collector_duration_seconds{server="hq",collector="${name}"}`),
        );
      }
      if (value('prtg_up{server="hq"}') !== 1) throw new Error("the first poll did not work");
      note(BARE, await bareSeconds());
    }
    const ratios = ratiosOf(takes.get(UNTIL_PAGE) ?? [], takes.get(BARE) ?? []);
    const polled = [...takes].map(([name, seconds]) => {
      const row = rowOf(name, "s", seconds);
      return name === UNTIL_PAGE ? { ...row, ratio: { spread: ratios, to: BARE } } : row;
    });
    const rows = [...start.rows, ...polled];
    const notes = [
      "Status and channels are read at the same time. The page has all statuses and values; limits are read after it.",
      "A second start: Node.js has what it compiled at the first one, as the service and the image keep it.",
    ];
    const untilPage: Budget = ratioBudget(
      "Processor time until the first complete page, to a bare loop of requests and `JSON.parse` over the channels",
      ratios,
      MAX_UNTIL_PAGE,
    );
    const budgets = [...start.budgets, ...forLarge(options, [untilPage])];
    return { part: "startup", size, title: "startup: time to the first complete page", rows, budgets, notes };
  } finally {
    await simulator.stop();
    await rm(compileCache, { recursive: true, force: true });
  }
}
