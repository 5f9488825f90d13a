import type { ProcessRuntime } from "../../app/context.ts";
import type { CollectorName } from "../../collectors/collector.ts";
import { createTimetable } from "../../collectors/timetable.ts";
import type { Config } from "../../config/load.ts";
import { ok, type StepResult, warning } from "./step.ts";

/** Share of the period. A slower run could skip the next one. */
const SHARE_AT_RISK = 0.5;
/** Normal difference between synchronized clocks, seconds. */
export const MAX_OFFSET_S = 10;

export class RunDurations {
  readonly #config: Pick<Config, "collectors">;
  readonly #timeoutMs: number;
  readonly #context: Pick<ProcessRuntime, "clock" | "log">;
  readonly #tookMs = new Map<CollectorName, number>();

  constructor(config: Pick<Config, "collectors">, timeoutMs: number, context: Pick<ProcessRuntime, "clock" | "log">) {
    this.#config = config;
    this.#timeoutMs = timeoutMs;
    this.#context = context;
  }

  took(collectors: readonly CollectorName[], ms: number): void {
    for (const name of collectors) this.#tookMs.set(name, (this.#tookMs.get(name) ?? 0) + ms);
  }

  /** @param slowestMs Longest single response. */
  judge(slowestMs: number): StepResult {
    const runs = [...this.#tookMs]
      // Reads time series one by one, within the budget.
      .filter(([name]) => name !== "timeseries")
      .map(([name, tookMs]) => ({ name, tookMs, periodMs: this.#periodMs(name) }))
      .sort((a, b) => b.tookMs / b.periodMs - a.tookMs / a.periodMs);
    const slow = runs.filter(({ tookMs, periodMs }) => tookMs >= SHARE_AT_RISK * periodMs);
    if (slow.length > 0) {
      const tight = slow.map(({ name, tookMs, periodMs }) => {
        const skips = tookMs >= periodMs ? "runs are skipped" : "runs are skipped if it gets slower";
        return `a run of ${name} takes ${seconds(tookMs)} of ${seconds(periodMs)}: ${skips}`;
      });
      const names = slow.map(({ name }) => `collectors.${name}.schedule`).join(", ");
      return warning(tight.join("; "), `Set longer periods in ${names}, or check the load of the core server.`);
    }
    if (slowestMs >= SHARE_AT_RISK * this.#timeoutMs) {
      const text = `the slowest answer took ${seconds(slowestMs)} of the ${seconds(this.#timeoutMs)} in limits.timeout`;
      return warning(text, "Raise limits.timeout, or check the load of the core server.");
    }
    const [longest] = runs;
    return ok(
      longest === undefined
        ? "nothing was measured"
        : `at most ${seconds(longest.tookMs)} of the ${seconds(longest.periodMs)} that a run may take (${longest.name})`,
    );
  }

  #periodMs(name: CollectorName): number {
    const { clock, log } = this.#context;
    return createTimetable(this.#config.collectors[name].schedule, clock, log).period();
  }
}

/** @param offsetMs The server's clock minus ours. */
export function judgeClock(offsetMs: number): StepResult {
  const difference = offsetMs / 1_000;
  const by = seconds(Math.abs(offsetMs));
  if (Math.abs(difference) <= MAX_OFFSET_S) return ok(`the clocks of server and exporter differ by ${by}`);
  return warning(
    `the server clock is ${by} ${difference > 0 ? "ahead" : "behind"}, so timestamps of measurements are off by as much`,
    "Synchronize both clocks with NTP.",
  );
}

function seconds(ms: number): string {
  return `${ms < 10_000 ? (ms / 1_000).toFixed(1) : Math.round(ms / 1_000)} s`;
}
