import { ApiError } from "../api/api-error.ts";
import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { ErrorCode } from "../errors/catalogue.ts";
import { describeFault, ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { PrometheusServerMetrics } from "../telemetry/prometheus-server-metrics.ts";
import { checkSteps, type Step } from "./check-steps.ts";
import { type CommandContext, createContext, loadFlaggedConfig } from "./context.ts";
import { connect } from "./exporter.ts";
import { concludeFindings, type Finding, findingsTable } from "./findings-table.ts";
import type { ConfigFlags, LogFlags, WebConfigFlags } from "./flags.ts";
import { interruption } from "./signals.ts";
import { openWebConfig } from "./web-config.ts";

export interface CheckFlags extends LogFlags, ConfigFlags, WebConfigFlags {}

/**
 * A person is waiting, and a server that needs longer than this for a page is in trouble anyway. A little longer than
 * the 10 s after which an attempt to connect is given up, since that says more.
 */
const LONGEST_TIMEOUT_MS = 11_000;

/** After one of these the next request would only say the same, or take as long. */
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

const REST = "the rest";

/** Tries everything that `serve` needs, and prints what it finds as it finds it. Resolves with the exit code. */
export async function check(flags: CheckFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = createContext(flags, redactor);
  const { config, source } = await loadFlaggedConfig(flags, context);
  context.print(`${source}: the configuration is valid`);
  const web = await openWebConfig(flags, context);
  if (web !== undefined) context.print(`${flags["web.config.file"]}: the web configuration is valid`);
  const checks = config.servers.map((server) => new ServerCheck(server, config, context, interrupted.signal));
  const formatFinding = findingsTable(
    config.servers.map(({ name }) => name),
    [...checks.flatMap(({ steps }) => steps.map(({ subject }) => subject)), REST],
  );
  const findings: Finding[] = [];
  // All servers at the same time, but shown one after the other.
  for (const stream of checks.map((each) => each.start())) {
    for await (const finding of stream) {
      findings.push(finding);
      context.print(formatFinding(finding));
    }
  }
  if (interrupted.exitCode !== undefined) return interrupted.exitCode;
  context.print(concludeFindings(findings));
  return findings.some(({ verdict }) => verdict === "FAILED") ? 1 : 0;
}

/** The check of one server. */
class ServerCheck {
  readonly steps: readonly Step[];
  readonly #server: ServerConfig;
  readonly #api: MonitoringApi;
  readonly #interrupted: AbortSignal;

  constructor(server: ServerConfig, config: Config, context: CommandContext, interrupted: AbortSignal) {
    const metrics = new PrometheusServerMetrics(new ExporterMetrics(context.build, () => []), server.name);
    const log = context.log.child({ server: server.name });
    const limits = { ...server.limits, timeoutMs: Math.min(server.limits.timeoutMs, LONGEST_TIMEOUT_MS) };
    this.steps = checkSteps(server, config);
    this.#server = server;
    this.#api = connect({ ...server, limits }, metrics, log, context, { maxAttempts: 1 });
    this.#interrupted = interrupted;
  }

  /** Runs the steps; the stream has each finding as soon as it is there. */
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
      for (const [index, { subject, run }] of this.steps.entries()) {
        const { finding, fatal } = await this.#attempt(run);
        if (this.#interrupted.aborted) return;
        const unconnected = finding.verdict === "FAILED" && subject === "connection";
        const text = unconnected ? `${this.#server.url}: ${finding.text}` : finding.text;
        found({ server, subject, ...finding, text });
        if (!fatal && !unconnected) continue;
        const rest = this.steps.slice(index + 1).map((step) => step.subject);
        if (rest.length > 0)
          found({ server, subject: REST, verdict: "skipped", text: `not tried: ${rest.join(", ")}` });
        return;
      }
    } finally {
      await this.#api.close();
    }
  }

  async #attempt(run: Step["run"]): Promise<{ finding: Omit<Finding, "server" | "subject">; fatal: boolean }> {
    try {
      return { finding: { verdict: "ok", ...(await run(this.#api, this.#interrupted)) }, fatal: false };
    } catch (error) {
      return { finding: this.#describeFailure(error), fatal: error instanceof ExporterError && FATAL.has(error.code) };
    }
  }

  #describeFailure(error: unknown): Omit<Finding, "server" | "subject"> {
    const requestId = error instanceof ApiError ? error.requestId : undefined;
    const text = describeFault(error).concat(requestId === undefined ? "" : ` (request ID ${requestId})`);
    if (!(error instanceof ExporterError)) return { verdict: "FAILED", text };
    const ownTimeout = error.code === "API_TIMEOUT" && this.#server.limits.timeoutMs > LONGEST_TIMEOUT_MS;
    const remedy = ownTimeout ? "Look at the load of the core server, and at what lies between." : error.remedy;
    return { verdict: "FAILED", text, remedy };
  }
}
