import { resolve } from "node:path";
import { type Options, SingleBar } from "cli-progress";
import type { Logger } from "pino";
import type { BackfillOutcome } from "../../backfill/backfill.ts";
import type { BackfillProgress } from "../../backfill/parameters.ts";
import { formatDuration } from "../../config/quantities.ts";
import type { Clock } from "../../lib/clock.ts";

const TITLES = { sensors: "reading sensors", days: "writing days", values: "pushing values" } as const;

export function progressBar(stream: NodeJS.WritableStream, clock: Clock): BackfillProgress {
  const options: Options = {
    stream,
    format: "{title} [{bar}] {percentage}% | {value}/{total} | {rate}/s | {left} left",
    barCompleteChar: "=",
    barIncompleteChar: " ",
    barsize: 30,
    hideCursor: true,
    // A second signal ends the process at once, so restore the cursor before.
    gracefulExit: true,
  };
  const bar = new SingleBar(options);
  let progressRate = new ProgressRate(clock, 0);
  let total = 0;
  return {
    begin: (what, all, done) => {
      total = all;
      progressRate = new ProgressRate(clock, done);
      bar.start(total, done, { title: TITLES[what], ...UNKNOWN });
    },
    advance: (done) => bar.update(Math.floor(done), { ...estimate(progressRate, done, total) }),
    end: () => bar.stop(),
  };
}

/** Logs every few seconds, for output without a terminal. */
export function progressLines(log: Logger, clock: Clock): BackfillProgress {
  let begun = { what: "sensors" as keyof typeof TITLES, total: 0, progressRate: new ProgressRate(clock, 0) };
  let nextLine = 0;
  return {
    begin: (what, total, done) => {
      begun = { what, total, progressRate: new ProgressRate(clock, done) };
      nextLine = clock.monotonic() + LINE_EVERY_MS;
      log.info({ done, total }, TITLES[what]);
    },
    advance: (done) => {
      const { what, total, progressRate } = begun;
      const { rate, left } = estimate(progressRate, done, total);
      if (clock.monotonic() < nextLine) return;
      nextLine = clock.monotonic() + LINE_EVERY_MS;
      log.info({ done: Math.floor(done), total, per_second: rate, left }, TITLES[what]);
    },
    end: () => undefined,
  };
}

const LINE_EVERY_MS = 5_000;
const UNKNOWN = { rate: "?", left: "?" };

function estimate(progressRate: ProgressRate, done: number, total: number): typeof UNKNOWN {
  const rate = progressRate.perSecond(done);
  if (rate === undefined) return UNKNOWN;
  const seconds = Math.round((total - done) / rate);
  return { rate: rate.toPrecision(2), left: formatDuration(seconds * 1_000) };
}

/** An outage says nothing about the time left. A slow request is not one. */
const MAX_STEP_MS = 30_000;

/**
 * For an estimate of the time left. Covers the whole run: neighbouring sensors are alike, so the last minute says little
 * about the rest.
 */
export class ProgressRate {
  readonly #clock: Clock;
  readonly #first: number;
  #lastAt: number;
  #activeMs = 0;

  constructor(clock: Clock, done: number) {
    this.#clock = clock;
    this.#first = done;
    this.#lastAt = clock.monotonic();
  }

  /** Call it with each progress. `undefined` while unknown. */
  perSecond(done: number): number | undefined {
    const now = this.#clock.monotonic();
    this.#activeMs += Math.min(now - this.#lastAt, MAX_STEP_MS);
    this.#lastAt = now;
    if (this.#activeMs === 0 || done <= this.#first) return undefined;
    return ((done - this.#first) * 1000) / this.#activeMs;
  }
}

/** Includes the next step for the user. */
export function concludeFiles(outcome: BackfillOutcome, output: string): string {
  if (outcome.kind === "interrupted") return interrupted(outcome);
  const { files, samples, series, sensors } = outcome.run;
  if (files.length === 0) return nothingFound(sensors);
  const folder = resolve(output);
  const paths = outcome.shared ? files.map((name) => quote(`${folder}/${name}`)).join(" ") : `${quote(folder)}/*.om`;
  return [
    `wrote ${samples} samples of up to ${series} series into ${files.length} files in ${output}`,
    "next, on the machine with the data folder of Prometheus (see https://prtg-exporter.github.io/prtg-exporter/backfill):",
    `  for file in ${paths}; do promtool tsdb create-blocks-from --max-block-duration=24h openmetrics --quiet "$file" DATA_FOLDER || break; done`,
  ].join("\n");
}

export function concludePush(outcome: BackfillOutcome, url: string): string {
  if (outcome.kind === "interrupted") return interrupted(outcome);
  const { samples, series, sensors, push } = outcome.run;
  const { rejected = 0, message = "" } = push ?? {};
  if (samples + rejected === 0) return nothingFound(sensors);
  const pushed = `pushed ${samples} values of up to ${series} series to ${url}`;
  if (rejected === 0) return pushed;
  return `${pushed}\nthe receiver rejected ${rejected} values permanently${message === "" ? "" : `: ${message}`}`;
}

function interrupted({ done, sensors, pushed }: Extract<BackfillOutcome, { readonly kind: "interrupted" }>): string {
  const reading = sensors === 0 ? "before any sensor was read" : `${done} of ${sensors} sensors are done`;
  const state = pushed === undefined ? reading : `${pushed.done} of ${pushed.values} values are pushed`;
  return `interrupted: ${state}. Run the same command again to continue.`;
}

function nothingFound(sensors: number): string {
  return `the server has no measurements of these ${sensors} sensors in this time`;
}

function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
