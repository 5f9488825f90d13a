import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { type BackfillOutcome, backfill } from "../../src/backfill/backfill.ts";
import { parseExtraLabel } from "../../src/backfill/extra-labels.ts";
import { parseMoment } from "../../src/backfill/moment.ts";
import type { BackfillOptions } from "../../src/backfill/options.ts";
import type { ResolutionChoice } from "../../src/backfill/parameters.ts";
import type { Clock } from "../../src/clock.ts";
import { NOW } from "./history-server.ts";

/** Time that passes only when a test, or a sleeper, says so; the wall clock stands still unless it is moved. */
export class TickingClock implements Clock {
  wall = NOW;
  elapsed = 0;
  /** How long each sleep was. */
  readonly slept: number[] = [];

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.elapsed;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.elapsed += ms;
  }
}

export interface Wanted {
  readonly from?: string;
  readonly to?: string;
  readonly resolution?: ResolutionChoice;
  readonly labels?: readonly string[];
  readonly paths?: readonly string[];
  readonly kinds?: readonly string[];
  readonly tags?: readonly string[];
}

/** Runs a backfill, of the last ten days unless something else is wanted. */
export function run(
  needed: Pick<BackfillOptions, "api" | "output"> & Partial<BackfillOptions>,
  wanted: Wanted = {},
): Promise<BackfillOutcome> {
  const { from = "10d", to = "3h", resolution = "auto", labels = [], paths = [], kinds = [], tags = [] } = wanted;
  return backfill({
    server: "hq",
    from: parseMoment(from),
    to: parseMoment(to),
    selection: { paths, kinds, tags },
    extraLabels: labels.map(parseExtraLabel),
    parameters: { server: "hq", from, to, resolution, labels, paths, kinds, tags },
    skipFailed: false,
    concurrency: 3,
    clock: new TickingClock(),
    log: pino({ level: "silent" }),
    progress: { begin: () => undefined, advance: () => undefined, end: () => undefined },
    signal: new AbortController().signal,
    ...needed,
  });
}

/** An empty folder that ends with the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-backfill-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The OpenMetrics files of a folder. */
export function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".om"));
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

export interface Sample {
  readonly labels: string;
  readonly value: number;
  /** Seconds. */
  readonly time: number;
}

/** The samples of a file, in its order. */
export function samplesOf(text: string): Sample[] {
  return [...text.matchAll(/^prtg_channel_value(\{.*\}) (\S+) (\S+)$/gm)].map(([, labels = "", value, time]) => ({
    labels,
    value: Number(value),
    time: Number(time),
  }));
}
