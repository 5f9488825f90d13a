import { connectSelected } from "../../app/connect-server.ts";
import type { ServerClientContext } from "../../app/context.ts";
import type { CollectorName } from "../../collectors/collector.ts";
import { goesOnWithout, READINGS } from "../../collectors/failures.ts";
import { createTimetable } from "../../collectors/timetable.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { type ErrorCode, scopeOf } from "../../errors/catalogue.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { Runtime } from "../../lib/runtime.ts";
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

/** Ends with the first failure that would repeat itself. */
export interface ServerCheck {
  readonly subjects: readonly string[];
  start(): ReadableStream<Finding>;
}

export function createServerCheck(
  server: ServerConfig,
  steps: readonly PlannedStep[],
  config: Config,
  context: ServerClientContext,
  interrupted: AbortSignal,
): ServerCheck {
  const recorder = checkRecorder(new ExporterMetrics(context.build, () => []), server.name);
  const log = context.log.child({ server: server.name });
  const api = connectSelected(server, recorder, log, context, { maxAttempts: 1 });
  const run: Run = { server, steps, api, recorder, interrupted, clock: context.clock };
  const durations = createRunDurations(config, server.limits.timeoutMs, context);
  return {
    subjects: [...steps.map(({ subject }) => subject), CLOCK, SPEED],
    start: () =>
      new ReadableStream({
        start: async (stream) => {
          await runSteps(run, durations, (subject, finding) => {
            stream.enqueue({ server: server.name, subject, status: "ok", ...finding });
          });
          stream.close();
        },
      }),
  };
}

interface Run extends Pick<ServerClientContext, "clock"> {
  readonly server: ServerConfig;
  readonly steps: readonly PlannedStep[];
  readonly api: MonitoringApi;
  readonly recorder: CheckRecorder;
  readonly interrupted: AbortSignal;
}

type Result = Pick<Finding, "text" | "remedy"> & Partial<Pick<Finding, "status">>;

async function runSteps(run: Run, durations: RunDurations, found: (subject: string, result: Result) => void) {
  const { server, steps, api, recorder, interrupted, clock } = run;
  try {
    for (const [index, step] of steps.entries()) {
      const { subject } = step;
      const startedAt = clock.monotonic();
      const { result, isLast } = await attempt(step, run);
      if (interrupted.aborted) return;
      durations.took(step.collectors, clock.monotonic() - startedAt);
      const unconnected = result.status === "FAILED" && subject === "connection";
      found(subject, unconnected ? { ...result, text: `${server.url}: ${result.text}` } : result);
      if (!isLast && !unconnected) continue;
      const rest = steps.slice(index + 1).map((after) => after.subject);
      if (rest.length > 0) found(REST, { status: "skipped", text: `not tested: ${rest.join(", ")}` });
      return;
    }
    found(CLOCK, judgeClock(api.clockOffset()));
    found(SPEED, durations.judge(recorder.slowestMs()));
  } finally {
    await api.close();
  }
}

async function attempt(step: Step, { api, interrupted: signal, recorder }: Run) {
  recorder.takeProblems();
  try {
    const result: Result = await step.run({ api, signal, problems: () => recorder.takeProblems() });
    return { result, isLast: false };
  } catch (error) {
    const result = describeFailure(error, step);
    return { result, isLast: result.status === "FAILED" && error instanceof ExporterError && isFatal(error) };
  }
}

/** A warning if `serve` continues without the reading. A rejection applies to all requests, even if this one is optional. */
function describeFailure(error: unknown, step: Step): Result {
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

export type RunDurations = ReturnType<typeof createRunDurations>;

export function createRunDurations(
  config: Pick<Config, "collectors">,
  timeoutMs: number,
  { clock, log }: Pick<Runtime, "clock" | "log">,
) {
  const tookMsBy = new Map<CollectorName, number>();
  const periodOf = (name: CollectorName) => createTimetable(config.collectors[name].schedule, clock, log).period();
  return {
    took: (collectors: readonly CollectorName[], ms: number): void => {
      for (const name of collectors) tookMsBy.set(name, (tookMsBy.get(name) ?? 0) + ms);
    },
    /** @param slowestMs Longest single response. */
    judge: (slowestMs: number): StepResult => {
      const runs = [...tookMsBy]
        // Reads time series one by one, within the budget.
        .filter(([name]) => name !== "timeseries")
        .map(([name, tookMs]) => ({ name, tookMs, periodMs: periodOf(name) }))
        .sort((a, b) => b.tookMs / b.periodMs - a.tookMs / a.periodMs);
      return judgeRuns(runs, slowestMs, timeoutMs);
    },
  };
}

interface TimedRun {
  readonly name: CollectorName;
  readonly tookMs: number;
  readonly periodMs: number;
}

function judgeRuns(runs: readonly TimedRun[], slowestMs: number, timeoutMs: number): StepResult {
  const slow = runs.filter(({ tookMs, periodMs }) => tookMs >= SHARE_AT_RISK * periodMs);
  if (slow.length > 0) {
    const tight = slow.map(({ name, tookMs, periodMs }) => {
      const skips = tookMs >= periodMs ? "runs are skipped" : "runs are skipped if it gets slower";
      return `a run of ${name} takes ${seconds(tookMs)} of ${seconds(periodMs)}: ${skips}`;
    });
    const names = slow.map(({ name }) => `collectors.${name}.schedule`).join(", ");
    return warning(tight.join("; "), `Set longer periods in ${names}, or check the load of the core server.`);
  }
  if (slowestMs >= SHARE_AT_RISK * timeoutMs) {
    const text = `the slowest answer took ${seconds(slowestMs)} of the ${seconds(timeoutMs)} in limits.timeout`;
    return warning(text, "Raise limits.timeout, or check the load of the core server.");
  }
  const [longest] = runs;
  return ok(
    longest === undefined
      ? "nothing was measured"
      : `at most ${seconds(longest.tookMs)} of the ${seconds(longest.periodMs)} that a run may take (${longest.name})`,
  );
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
