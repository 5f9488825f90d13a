import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { mappingOf } from "../../src/app/mapping.ts";
import { type BackfillOutcome, backfill } from "../../src/backfill/backfill.ts";
import type { BackfillOptions } from "../../src/backfill/begin-run.ts";
import {
  parseExtraLabel,
  parseTimeFlag,
  type ResolutionChoice,
  type SeriesSettings,
  seriesSettings,
} from "../../src/backfill/parameters.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { type ChannelMapper, plainMapper } from "../../src/mapping/channel-mapper.ts";
import { load } from "../config/support.ts";
import { never } from "../support/never-aborted.ts";
import { memoryFolder } from "../support/temporary-folder.ts";
import { NOW } from "./history-server.ts";

/** Only tests and sleeps advance it. */
export class TickingClock implements Clock {
  wall = NOW;
  elapsed = 0;
  readonly slept: number[] = [];

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.elapsed;
  }

  /** Nothing here takes so long. */
  after(): () => void {
    return () => undefined;
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
  readonly configured?: SeriesSettings;
}

export async function configured(
  sections: string,
): Promise<{ readonly mapper: ChannelMapper; readonly configured: SeriesSettings }> {
  const server = "{ url: https://prtg.example.com:1616, auth: { api_key_file: /run/secrets/key } }";
  const { config } = await load(`servers: [${server}]\n${sections}`);
  return { mapper: mappingOf(config).mapper, configured: seriesSettings(config) };
}

const UNCONFIGURED: SeriesSettings = { labels: "", mapping: "" };

/** Default: the last ten days. */
export function run(
  needed: Pick<BackfillOptions, "api" | "output"> & Partial<BackfillOptions>,
  wanted: Wanted = {},
): Promise<BackfillOutcome> {
  const { from = "10d", to = "3h", resolution = "auto", labels = [], paths = [], kinds = [], tags = [] } = wanted;
  const settings = wanted.configured ?? UNCONFIGURED;
  return backfill({
    server: "hq",
    from: parseTimeFlag(from),
    to: parseTimeFlag(to),
    selection: { paths, kinds, tags },
    mapper: plainMapper(),
    extraLabels: labels.map(parseExtraLabel),
    parameters: { server: "hq", from, to, resolution, labels, paths, kinds, tags, configured: settings },
    skipFailed: false,
    concurrency: 3,
    freeBytes: async () => 1e12,
    clock: new TickingClock(),
    log: pino({ level: "silent" }),
    progress: { begin: () => undefined, advance: () => undefined, end: () => undefined },
    signal: never,
    ...needed,
  });
}

/** Removed after the test. */
export function emptyFolder(): string {
  return memoryFolder({});
}

export function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".om"));
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

interface Sample {
  readonly labels: string;
  readonly value: number;
  /** Seconds. */
  readonly time: number;
}

export function samplesOf(text: string, name = "prtg_channel_value"): Sample[] {
  const lines = text.matchAll(new RegExp(`^${name}(\\{.*\\}) (\\S+) (\\S+)$`, "gm"));
  return [...lines].map(([, labels = "", value, time]) => ({
    labels,
    value: Number(value),
    time: Number(time),
  }));
}
