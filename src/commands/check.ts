import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { NodeKind } from "../api/records.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { ErrorCode } from "../errors/catalogue.ts";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { PrometheusServerMetrics } from "../telemetry/prometheus-server-metrics.ts";
import { type CommandContext, createContext, loadFlaggedConfig } from "./context.ts";
import { connect } from "./exporter.ts";
import { formatFindings } from "./findings-table.ts";
import type { ConfigFlags, LogFlags } from "./flags.ts";

export interface CheckFlags extends LogFlags, ConfigFlags {}

/** What one step of the check found out. */
export interface Finding {
  readonly server: string;
  readonly subject: string;
  readonly passed: boolean;
  /** One line; the remedy comes last where there is something to do. */
  readonly text: string;
}

/** After one of these the next request would only say the same. */
const FATAL: ReadonlySet<ErrorCode> = new Set([
  "API_CONNECTION_FAILED",
  "API_TLS_UNTRUSTED",
  "API_TLS_FAILED",
  "API_TIMEOUT",
  "API_REDIRECTED",
  "API_NOT_JSON",
  "API_UNAUTHORIZED",
  "API_LOGIN_FAILED",
  "API_UNAVAILABLE",
  "API_LICENSE_INACTIVE",
  "API_SUSPENDED",
  "SECRET_UNREADABLE",
]);

interface Step {
  readonly subject: string;
  /** Resolves with what to say about the success. */
  readonly run: (api: MonitoringApi, signal: AbortSignal) => Promise<string>;
}

const STEPS: readonly Step[] = [
  {
    subject: "connection",
    run: async (api, signal) => {
      await api.health(signal);
      return "the application server is up and connected to its core";
    },
  },
  {
    subject: "login and version",
    run: async (api, signal) => [...(await api.version(signal))].map(([name, value]) => `${name} ${value}`).join(", "),
  },
  {
    subject: "status summary",
    run: async (api, signal) => {
      const summary = await api.statusSummary(signal);
      if (summary === undefined) return "not offered by this server; statuses are counted from the sensor list";
      return [...summary.counts].map(([status, count]) => `${count} ${status}`).join(", ");
    },
  },
  {
    subject: "object counts",
    run: async (api, signal) => {
      const counts = await api.objectCounts(signal);
      if (counts === undefined) return "not offered by this server; objects are counted from the lists";
      return [...counts].map(([kind, count]) => `${count} of kind ${kind}`).join(", ");
    },
  },
  listStep("probe", "probes"),
  listStep("group", "groups"),
  listStep("device", "devices"),
  listStep("sensor", "sensors"),
  {
    subject: "channels",
    run: async (api, signal) => {
      const { items, skipped } = await api.channels({}, signal);
      return describeList(items.length, skipped);
    },
  },
];

/** Tries everything that `serve` needs, server by server, and prints what it found. Resolves with the exit code. */
export async function check(flags: CheckFlags): Promise<number> {
  const context = createContext(flags);
  const { config, source } = await loadFlaggedConfig(flags, context);
  context.print(`${source}: the configuration is valid`);
  const findings = (await Promise.all(config.servers.map((server) => checkServer(server, context)))).flat();
  context.print(formatFindings(findings));
  return findings.every(({ passed }) => passed) ? 0 : 1;
}

async function checkServer(server: ServerConfig, context: CommandContext): Promise<Finding[]> {
  const metrics = new ExporterMetrics(context.build, () => []);
  const api = connect(server, new PrometheusServerMetrics(metrics, server.name), context.log, context);
  const findings: Finding[] = [];
  try {
    for (const { subject, run } of STEPS) {
      const [passed, text, fatal] = await attempt(() => run(api, AbortSignal.timeout(server.limits.totalTimeoutMs)));
      findings.push({ server: server.name, subject, passed, text });
      if (fatal || (!passed && subject === "connection")) break;
    }
  } finally {
    await api.close();
  }
  return findings;
}

async function attempt(run: () => Promise<string>): Promise<[passed: boolean, text: string, fatal: boolean]> {
  try {
    return [true, await run(), false];
  } catch (error) {
    return [false, describeError(error), error instanceof ExporterError && FATAL.has(error.code)];
  }
}

function listStep(kind: NodeKind, subject: string): Step {
  return {
    subject,
    run: async (api, signal) => {
      const { items, skipped } = await api.nodes(kind, {}, signal);
      if (items.length > 0 || kind === "group") return describeList(items.length, skipped);
      throw new ExporterError("API_FORBIDDEN", `the user sees no ${subject}`);
    },
  };
}

function describeList(visible: number, skipped: number): string {
  return skipped === 0 ? `${visible} visible` : `${visible} visible, ${skipped} could not be read`;
}
