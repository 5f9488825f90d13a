import { connectSelected } from "../../app/connect-server.ts";
import type { ServerClientContext } from "../../app/context.ts";
import { goesOnWithout, READINGS } from "../../collectors/failures.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../../prtg/api-error.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import type { Finding } from "./findings.ts";
import type { PlannedStep } from "./plan.ts";
import { judgeClock, RunDurations } from "./run-durations.ts";
import { type CheckRecorder, checkRecorder, type Step } from "./step.ts";

/** The next request would fail the same way. */
const FATAL: ReadonlySet<ErrorCode> = new Set([
  "API_TIMEOUT",
  "API_REDIRECTED",
  "API_WRONG_PORT",
  "API_UNAUTHORIZED",
  "API_LOGIN_FAILED",
  "API_LICENSE_INACTIVE",
  "API_SUSPENDED",
  "SECRET_UNREADABLE",
]);

/** A rejection applies to all requests, even if this one is optional. */
const CREDENTIAL_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "API_UNAUTHORIZED",
  "API_LOGIN_FAILED",
  "API_REDIRECTED",
  "API_WRONG_PORT",
  "SECRET_UNREADABLE",
]);

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
        fatal: finding.status === "FAILED" && error instanceof ExporterError && FATAL.has(error.code),
      };
    }
  }
}

/** A warning if `serve` continues without the reading. */
function describeFailure(error: unknown, step: Step): Omit<Finding, "server" | "subject"> {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const text = describeFault(error).concat(requestId === undefined ? "" : ` (request ID ${requestId})`);
  if (!(error instanceof ExporterError)) return { status: "FAILED", text };
  const without = CREDENTIAL_FAILURES.has(error.code) ? undefined : whatIsMissed(error, step);
  if (without === undefined) return { status: "FAILED", text, remedy: error.remedy };
  return { status: "warning", text: `${text}: ${without}`, remedy: step.remedy ?? error.remedy };
}

function whatIsMissed(error: unknown, { reading, without }: Step): string | undefined {
  if (reading === undefined) return without;
  return goesOnWithout(reading, error) ? READINGS[reading].without : undefined;
}
