import { connectSelected } from "../../app/connect-server.ts";
import {
  type ConfigFlags,
  createContext,
  type LogFlags,
  loadFlaggedConfig,
  type ServerClientContext,
} from "../../app/context.ts";
import { goesOnWithout, READINGS } from "../../collectors/failures.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { refuseBadFiles } from "../../config/server-files.ts";
import type { ErrorCode } from "../../errors/catalogue.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../../prtg/api-error.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import { inspectStateDirectory } from "../../sync/state-files.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import type { WebConfigFlags } from "../flags.ts";
import { electionTimes, type LeaderElectionFlags } from "../leader-election-flags.ts";
import { interruption } from "../signals.ts";
import { openWebConfig, refuseUnknownUsers } from "../web-config.ts";
import { concludeFindings, type Finding, findingsTable } from "./findings.ts";
import { ELECTION, ELECTION_SUBJECTS, leaseFindings } from "./lease-steps.ts";
import { checkSteps, type PlannedStep } from "./plan.ts";
import { judgeClock, RunDurations } from "./run-durations.ts";
import { type CheckRecorder, checkRecorder, type Step } from "./step.ts";

export interface CheckFlags extends LogFlags, ConfigFlags, WebConfigFlags, LeaderElectionFlags {
  readonly report?: string;
}

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

const REST = "the rest";
const CLOCK = "clock";
const SPEED = "speed";

/** Checks everything that `serve` needs and prints findings immediately. Resolves with the exit code. */
export async function check(flags: CheckFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = await createContext(flags, redactor);
  const { config, source, badServerFiles } = await loadFlaggedConfig(flags, context);
  refuseBadFiles(badServerFiles);
  context.print(`${source}: the configuration is valid`);
  for (const text of config.deprecated ?? []) context.print(`warning: ${text}`);
  const web = await openWebConfig(flags, context);
  refuseUnknownUsers(config, web);
  if (web !== undefined) context.print(`${flags["web.config.file"]}: the web configuration is valid`);
  const directory = config.stateDir && (await inspectStateDirectory(config.stateDir, false));
  if (directory) context.print(`${directory.kind === "open" ? "warning" : "note"}: ${directory.text}`);
  const elects = flags.leaderElect === true;
  if (elects) electionTimes(flags);
  const checks = config.servers.map((server) => new ServerCheck(server, config, context, interrupted.signal));
  const formatFinding = findingsTable(
    [...config.servers.map(({ name }) => name), ...(elects ? [ELECTION] : [])],
    [...checks.flatMap(({ subjects }) => subjects), REST, ...(elects ? ELECTION_SUBJECTS : [])],
  );
  const findings: Finding[] = [];
  const election = elects ? [leaseFindings(flags, context, process.env, interrupted.signal)] : [];
  // Checks servers concurrently and prints them one after another.
  for (const stream of [...checks.map((each) => each.start()), ...election]) {
    for await (const finding of stream) {
      findings.push(finding);
      context.print(formatFinding(finding));
    }
  }
  if (interrupted.exitCode !== undefined) return interrupted.exitCode;
  if (flags.report !== undefined) {
    const { writeServerReports } = await import("../report/server-reports.ts");
    await writeServerReports(flags.report, config.servers, context, interrupted.signal);
    if (interrupted.exitCode !== undefined) return interrupted.exitCode;
    context.print(`${flags.report}: report for a bug report, without names, addresses and values`);
  }
  context.print(concludeFindings(findings));
  return findings.some(({ status }) => status === "FAILED") ? 1 : 0;
}

class ServerCheck {
  readonly steps: readonly PlannedStep[];
  readonly subjects: readonly string[];
  readonly #server: ServerConfig;
  readonly #api: MonitoringApi;
  readonly #recorder: CheckRecorder;
  readonly #durations: RunDurations;
  readonly #clock: Clock;
  readonly #interrupted: AbortSignal;

  constructor(server: ServerConfig, config: Config, context: ServerClientContext, interrupted: AbortSignal) {
    const recorder = checkRecorder(new ExporterMetrics(context.build, () => []), server.name);
    const log = context.log.child({ server: server.name });
    this.steps = checkSteps(server, config);
    this.subjects = [...this.steps.map(({ subject }) => subject), CLOCK, SPEED];
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
      for (const [index, step] of this.steps.entries()) {
        const { subject } = step;
        const startedAt = this.#clock.monotonic();
        const { finding, fatal } = await this.#attempt(step);
        if (this.#interrupted.aborted) return;
        this.#durations.took(step.collectors, this.#clock.monotonic() - startedAt);
        const unconnected = finding.status === "FAILED" && subject === "connection";
        const text = unconnected ? `${this.#server.url}: ${finding.text}` : finding.text;
        found({ server, subject, ...finding, text });
        if (!fatal && !unconnected) continue;
        const rest = this.steps.slice(index + 1).map((after) => after.subject);
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
