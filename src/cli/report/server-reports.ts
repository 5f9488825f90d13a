import { clientOptions } from "../../app/connect-server.ts";
import type { ServerClientContext } from "../../app/context.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { Requester } from "../../prtg/request/requester.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { type ServerRecorder, serverRecorder } from "../../telemetry/recorders.ts";
import type { FinishedRequest } from "../../telemetry/run-trace.ts";
import { writeReport } from "./files.ts";
import type { ServerReport } from "./format.ts";
import { reportServer } from "./reporter.ts";

/** Writes nothing if the signal aborts. @throws ExporterError REPORT_UNWRITABLE */
export async function writeServerReports(
  file: string,
  servers: readonly ServerConfig[],
  context: ServerClientContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    const reports = await Promise.all(servers.map((server) => reportOn(server, context, signal)));
    await writeReport(file, context.build.version, reports);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Sends each request once. Rejects with the signal's reason. */
export async function reportOn(
  server: ServerConfig,
  context: ServerClientContext,
  signal: AbortSignal,
): Promise<ServerReport> {
  const log = context.log.child({ server: server.name });
  const metrics = new ExporterMetrics(context.build, () => []);
  let lastMs = 0;
  const observer: ServerRecorder = {
    ...serverRecorder(metrics, server.name),
    requestFinished: ({ durationMs }: FinishedRequest) => {
      lastMs = durationMs;
    },
  };
  const requester = new Requester(
    { ...clientOptions(server, observer, log, context), maxAttempts: 1 },
    context.outgoing.accesses,
  );
  try {
    return await reportServer({
      ask: (endpoint, path) => {
        lastMs = 0;
        return endpoint === "/health" ? requester.health(signal) : requester.get({ endpoint, path }, signal);
      },
      lastMs: () => lastMs,
    });
  } finally {
    await requester.close();
  }
}
