import type { Logger } from "pino";
import type { Extras } from "../lib/load/extra-work.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { CycleLimits } from "../sync/series-cycle.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import type { CollectorName } from "./collector.ts";
import type { OneByOne, OneByOneReport, OneByOneRun } from "./one-by-one.ts";

export interface OneByOneWorkOptions {
  readonly extras: Extras;
  /** Milliseconds from one run of a collector to the next. */
  readonly periodMs: (collector: CollectorName) => number;
  /** Of the server's budget, what reading one by one may use in all. */
  readonly requestsPerSecond: number;
  readonly metrics: Pick<ServerRecorder, "oneByOne">;
  readonly log: Logger;
}

/** Limits seldom change: what the others need goes first. */
const WEIGHTS: Readonly<Partial<Record<CollectorName, number>>> = { limits: 0.2 };
const USUAL_WEIGHT = 1;

interface Work<Kind extends string> extends Pick<OneByOneRun<Kind>, "collector" | "known" | "read"> {
  readonly oneByOne: OneByOne;
  /** For the log. */
  readonly what: string;
}

/** Shares the budget among the collectors that read one by one, and tells of it. */
export class OneByOneWork {
  readonly #options: OneByOneWorkOptions;
  readonly #active = new Set<CollectorName>();
  readonly #told = new Map<CollectorName, LogOnChange>();

  constructor(options: OneByOneWorkOptions) {
    this.#options = options;
  }

  /** The collector will read so many objects one by one. */
  begin(collector: CollectorName, oneByOne: OneByOne, count: number): void {
    this.#active.add(collector);
    oneByOne.expect(count, this.#limits(collector));
  }

  /** The collector reads lists again. */
  over(collector: CollectorName, oneByOne: OneByOne): void {
    oneByOne.over();
    this.#active.delete(collector);
    this.#record(collector, oneByOne);
    if (this.#toldOf(collector).over() > 0) this.#options.log.info({ collector }, "lists are there again, and read");
  }

  async run<Kind extends string>(
    { oneByOne, what, ...run }: Work<Kind>,
    signal: AbortSignal,
  ): Promise<OneByOneReport<Kind>> {
    const { collector } = run;
    this.#tell(collector, oneByOne, what);
    const { extras } = this.#options;
    try {
      return await oneByOne.run({ ...run, limits: this.#limits(collector), extras }, signal);
    } finally {
      this.#record(collector, oneByOne);
    }
  }

  #limits(collector: CollectorName): CycleLimits {
    const { requestsPerSecond, periodMs } = this.#options;
    const period = periodMs(collector);
    const sum = [...this.#active].reduce((all, each) => all + weightOf(each), 0);
    const share = (requestsPerSecond * weightOf(collector)) / Math.max(sum, weightOf(collector));
    return { requests: Math.max(1, Math.floor((share * period) / 1_000)), periodMs: period };
  }

  #tell(collector: CollectorName, oneByOne: OneByOne, what: string): void {
    this.#record(collector, oneByOne);
    if (this.#toldOf(collector).met(what) === undefined) return;
    const { count, roundMs = 0 } = oneByOne;
    const each = `each every ${Math.round(roundMs / 1_000)} s`;
    this.#options.log.warn(
      { collector, objects: count, round_seconds: roundMs / 1_000 },
      `the server has no lists of ${what}: those that are known are read one by one, ${each}, and new ones are not found`,
    );
  }

  #toldOf(collector: CollectorName): LogOnChange {
    const told = this.#told.get(collector) ?? new LogOnChange({ knows: "last" });
    this.#told.set(collector, told);
    return told;
  }

  #record(collector: CollectorName, { count, roundMs = 0 }: OneByOne): void {
    this.#options.metrics.oneByOne(collector, count, roundMs / 1_000);
  }
}

function weightOf(collector: CollectorName): number {
  return WEIGHTS[collector] ?? USUAL_WEIGHT;
}
