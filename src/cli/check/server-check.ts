import { connectSelected } from "../../app/connect-server.ts";
import type { Runtime, ServerClientContext } from "../../app/context.ts";
import type { CollectorName } from "../../collectors/collector.ts";
import { goesOnWithout, READINGS } from "../../collectors/failures.ts";
import { createTimetable } from "../../collectors/timetable.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { type ErrorCode, scopeOf } from "../../errors/catalogue.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../../prtg/api-error.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import type { PlannedStep } from "./plan.ts";
import { type CheckRecorder, checkRecorder, type Finding, ok, type Step, type StepResult, warning } from "./step.ts";

/** The next request would fail the same way. Without a connection, the first step has ended the check. */
function isFatal({ code }: ExporterError): boolean {
  const others: readonly ErrorCode[] = ["API_TIMEOUT", "API_LICENSE_INACTIVE", "API_SUSPENDED"];
  return scopeOf(code) === "credentials" || others.includes(code);
}

export const REST = "the rest";
const CLOCK = "clock";
export const SPEED = "speed";

/** Runs the steps at one server until a failure would repeat itself. */
export class ServerCheck {
  readonly #steps: readonly PlannedStep[];
  readonly subjects: readonly string[];
  readonly #server: ServerConfig;
  readonly #api: MonitoringApi;
  readonly #recorder: CheckRecorder;
  readonly #durations: RunDurations;
  readonly #clock: Clock;
  readonly #interrupted: AbortSignal;

  constructor(
    server: ServerConfig,
    steps: readonly PlannedStep[],
    config: Config,
    context: ServerClientContext,
    interrupted: AbortSignal,
  ) {
    const recorder = checkRecorder(new ExporterMetrics(context.build, () => []), server.name);
    const log = context.log.child({ server: server.name });
    this.#steps = steps;
    this.subjects = [...steps.map(({ subject }) => subject), CLOCK, SPEED];
    this.#server = server;
    this.#recorder = recorder;
    this.#api = connectSelected(server, recorder, log, context, { maxAttempts: 1 });
    this.#durations = new RunDurations(config, server.limits.timeoutMs, context);
    this.#clock = context.clock;
    this.#interrupted = interrupted;
  }

  start(): ReadableStream<Finding> {
    return new ReadableStream({
      start: async (stream) => {
        await this.#run((finding) => stream.enqueue(finding));
        stream.close();
      },
    });
  }

  async #run(found: (finding: Finding) => void): Promise<void> {
    const server = this.#server.name;
    try {
      for (const [index, step] of this.#steps.entries()) {
        const { subject } = step;
        const startedAt = this.#clock.monotonic();
        const { finding, fatal } = await this.#attempt(step);
        if (this.#interrupted.aborted) return;
        this.#durations.took(step.collectors, this.#clock.monotonic() - startedAt);
        const unconnected = finding.status === "FAILED" && subject === "connection";
        const text = unconnected ? `${this.#server.url}: ${finding.text}` : finding.text;
        found({ server, subject, ...finding, text });
        if (!fatal && !unconnected) continue;
        const rest = this.#steps.slice(index + 1).map((after) => after.subject);
        if (rest.length > 0)
          found({ server, subject: REST, status: "skipped", text: `not tested: ${rest.join(", ")}` });
        return;
      }
      found({ server, subject: CLOCK, status: "ok", ...judgeClock(this.#api.clockOffset()) });
      found({ server, subject: SPEED, status: "ok", ...this.#durations.judge(this.#recorder.slowestMs()) });
    } finally {
      await this.#api.close();
    }
  }

  async #attempt(step: Step): Promise<{ finding: Omit<Finding, "server" | "subject">; fatal: boolean }> {
    const tools = { api: this.#api, signal: this.#interrupted, problems: () => this.#recorder.takeProblems() };
    this.#recorder.takeProblems();
    try {
      return { finding: { status: "ok", ...(await step.run(tools)) }, fatal: false };
    } catch (error) {
      const finding = describeFailure(error, step);
      return {
        finding,
        fatal: finding.status === "FAILED" && error instanceof ExporterError && isFatal(error),
      };
    }
  }
}

/** A warning if `serve` continues without the reading. A rejection applies to all requests, even if this one is optional. */
function describeFailure(error: unknown, step: Step): Omit<Finding, "server" | "subject"> {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const text = describeFault(error).concat(requestId === undefined ? "" : ` (request ID ${requestId})`);
  if (!(error instanceof ExporterError)) return { status: "FAILED", text };
  const without = scopeOf(error.code) === "credentials" ? undefined : whatIsMissed(error, step);
  if (without === undefined) return { status: "FAILED", text, remedy: error.remedy };
  return { status: "warning", text: `${text}: ${without}`, remedy: step.remedy ?? error.remedy };
}

function whatIsMissed(error: unknown, { reading, without }: Step): string | undefined {
  if (reading === undefined) return without;
  return goesOnWithout(reading, error) ? READINGS[reading].without : undefined;
}

/** Share of the period. A slower run could skip the next one. */
const SHARE_AT_RISK = 0.5;
/** Normal difference between synchronized clocks, seconds. */
export const MAX_OFFSET_S = 10;

export class RunDurations {
  readonly #config: Pick<Config, "collectors">;
  readonly #timeoutMs: number;
  readonly #context: Pick<Runtime, "clock" | "log">;
  readonly #tookMs = new Map<CollectorName, number>();

  constructor(config: Pick<Config, "collectors">, timeoutMs: number, context: Pick<Runtime, "clock" | "log">) {
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
