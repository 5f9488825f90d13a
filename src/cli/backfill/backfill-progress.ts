import { type Options, SingleBar } from "cli-progress";
import type { Logger } from "pino";
import { type BackfillProgress, ProgressRate } from "../../backfill/progress.ts";
import { formatDuration } from "../../config/quantities.ts";
import type { Clock } from "../../lib/clock.ts";

const TITLES = { sensors: "reading sensors", days: "writing days", values: "pushing values" } as const;

/** How much is left, and how long it takes. */
interface Estimate {
  /** Per second, two digits. */
  readonly rate: string;
  readonly left: string;
}

/** A bar for a person who watches. */
export function progressBar(stream: NodeJS.WritableStream, clock: Clock): BackfillProgress {
  const options: Options = {
    stream,
    format: "{title} [{bar}] {percentage}% | {value}/{total} | {rate}/s | {left} left",
    barCompleteChar: "=",
    barIncompleteChar: " ",
    barsize: 30,
    hideCursor: true,
    // A second signal ends the process at once: the cursor must be back by then.
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
    advance: (done) => bar.update(done, { ...estimate(progressRate, done, total) }),
    end: () => bar.stop(),
  };
}

/** A line every few seconds for what nobody watches. */
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
      log.info({ done, total, per_second: rate, left }, TITLES[what]);
    },
    end: () => undefined,
  };
}

const LINE_EVERY_MS = 5_000;
const UNKNOWN: Estimate = { rate: "?", left: "?" };

function estimate(progressRate: ProgressRate, done: number, total: number): Estimate {
  const rate = progressRate.perSecond(done);
  if (rate === undefined) return UNKNOWN;
  const seconds = Math.round((total - done) / rate);
  return { rate: rate.toPrecision(2), left: formatDuration(seconds * 1_000) };
}
