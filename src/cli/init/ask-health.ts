import { randomBytes } from "node:crypto";
import { connectServer } from "../../app/connect-server.ts";
import type { ServerClientContext } from "../../app/context.ts";
import { Redactor } from "../../errors/redactor.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../telemetry/recorders.ts";
import { loadDraft, type ServerDraft } from "./draft.ts";

/** A closed port may never answer. */
const TIMEOUT_MS = 5_000;

/** Resolves if API v2 answers there and its certificate fits. Sends no credentials. @throws ApiError */
export async function askHealth(draft: ServerDraft, context: ServerClientContext): Promise<void> {
  // Stands in for the key, which the client does not send.
  const apiKey = { value: randomBytes(16).toString("hex") };
  const { server } = await loadDraft({ ...draft, apiKey }, { redactor: new Redactor() });
  const limits = { ...server.limits, timeoutMs: TIMEOUT_MS, totalTimeoutMs: TIMEOUT_MS };
  const recorder = serverRecorder(new ExporterMetrics(context.build, () => []), server.name);
  const api = connectServer({ ...server, limits }, recorder, context.log, context, { maxAttempts: 1 });
  try {
    await api.health(new AbortController().signal);
  } finally {
    await api.close();
  }
}
