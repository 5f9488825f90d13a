/** Event-loop delay during polls, scrapes and pushes, next to that of an idle process. */
import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "../processes/child.ts";
import { startExporter } from "../processes/exporter.ts";
import type { LoopTurns } from "../processes/loop-watch.ts";
import { ENCODINGS, scrape } from "../processes/scrape.ts";
import { startSimulator } from "../processes/simulator.ts";
import { type PartResult, ratioBudget } from "../results/result.ts";
import { elapsed, percentileOf, spreadOf } from "../statistics.ts";
import { Calibration } from "./calibration.ts";
import { forLarge, type PartOptions } from "./part.ts";
import { rowOf } from "./rows.ts";

const DURATION_MS = 60_000;
const QUICK_MS = 3_000;
const SCRAPE_EVERY_MS = 500;
const MAX_SCRAPE_MS = 100;
const MAX_TURN = 5;
const LONG_TURN = 2;

/** Short, to overlap all tasks several times in a minute. */
const SETTINGS = {
  collectors: {
    status: { schedule: "10s" },
    channels: { schedule: "15s" },
    tree: { schedule: "20s" },
    limits: { schedule: "30s" },
    timeseries: { schedule: "30s" },
  },
};

export async function benchLoop(options: PartOptions): Promise<PartResult> {
  const { size, quick } = options;
  await using simulator = await startSimulator(size);
  const calibration = await Calibration.of(simulator.url);
  await using receiver = Child.node("bench/peers/otlp-receiver.ts", []);
  await using idle = Child.node("bench/peers/idle.ts", [], { preload: "bench/processes/probe.ts" });
  const [, endpoint = ""] = await receiver.said(/listening on (\S+)/);
  await idle.said(/ready/);
  const settings = { ...SETTINGS, otlp: { endpoint, protocol: "http/protobuf", interval: "10s" } };
  await using exporter = await startExporter({ server: simulator.url, limits: {}, settings });
  await exporter.ready();
  for (const encoding of ENCODINGS) await scrape(`${exporter.url}/metrics`, encoding);
  await receiver.ask("count");
  calibration.measure();
  await Promise.all([exporter.watchLoop(), idle.ask("watchLoop")]);
  const scrapes: number[] = [];
  for (const end = performance.now() + (quick ? QUICK_MS : DURATION_MS); performance.now() < end; ) {
    scrapes.push(await elapsed(() => scrape(`${exporter.url}/metrics`, "gzip")));
    calibration.measure(1);
    await sleep(SCRAPE_EVERY_MS);
  }
  const [turns, others] = await Promise.all([exporter.loopTurns(), idle.ask<LoopTurns>("loopTurns")]);
  const { requests } = await receiver.ask<{ readonly requests: number }>("count");
  calibration.measure();
  const unit = calibration.ownMs.median;
  return {
    part: "loop",
    size,
    title: "loop: turns of the event loop with polls, scrapes and pushes together",
    rows: [
      rowOf("scrape, gzip", "ms", scrapes),
      rowOf("longest turn, processor time of its own", "ms", [turns.longestOwnMs]),
      rowOf("99th percentile, processor time of its own", "ms", [turns.p99OwnMs]),
      rowOf("longest delay by the clock", "ms", [turns.longestMs]),
      rowOf("99th percentile by the clock", "ms", [turns.p99Ms]),
      rowOf("longest delay by the clock of a process that does nothing", "ms", [others.longestMs]),
      rowOf("99th percentile by the clock of a process that does nothing", "ms", [others.p99Ms]),
      { name: "parsing one page, processor time", unit: "ms", spread: calibration.ownMs, samples: 1 },
      { name: "parsing one page, by the clock", unit: "ms", spread: calibration.clockMs, samples: 1 },
    ],
    budgets: forLarge(options, [
      ratioBudget(
        "Longest turn of the event loop with polls, scrapes and pushes together, to parsing one page",
        turns.longestOwnMs / unit,
        MAX_TURN,
      ),
      {
        what: "A scrape, gzip, while polls and pushes go on: 99th percentile",
        unit: "ms",
        value: percentileOf(scrapes, 0.99),
        spread: spreadOf(scrapes),
        atMost: MAX_SCRAPE_MS,
      },
      ratioBudget("99th percentile of turns, to parsing one page", turns.p99OwnMs / unit, LONG_TURN),
    ]),
    notes: [`Meanwhile: ${scrapes.length} scrapes, ${requests} OTLP requests.`],
  };
}
