import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { connectServer } from "../../app/connect-server.ts";
import type { CommandContext, ServerClientContext } from "../../app/context.ts";
import { parseServerUrl } from "../../config/fields.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import { Redactor } from "../../errors/redactor.ts";
import { ApiError } from "../../prtg/api-error.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../telemetry/recorders.ts";
import { loadDraft, type ServerDraft } from "./draft.ts";

const HTTPS_PORT = 1616;
const HTTP_PORT = 1615;
const PLAIN = "REST API v2 answers, but without TLS. To use it without TLS, give this URL";

export interface FoundApi {
  /** URL of API v2. */
  readonly url: string;
  /** The given URL, if something else answers there. */
  readonly other?: { readonly url: string; readonly fault: string };
}

/**
 * Asks the given URL and the ports of API v2, all at the same time, without credentials.
 * @throws ExporterError INIT_URL_INVALID, INIT_NO_API
 */
export async function findApi(text: string, context: CommandContext): Promise<FoundApi> {
  const given = givenUrl(text);
  const candidates = candidateUrls(given);
  const answers = await Promise.all(candidates.map(async (url) => ({ url, error: await faultOf(url, context) })));
  // Without TLS only on request: the key would be readable on the way.
  const mayBePlain = given.startsWith("http:");
  const found = answers.find(({ url, error }) => error === undefined && (mayBePlain || url.startsWith("https:")));
  if (found === undefined) {
    const faults = answers.map(({ url, error }) => `${url}: ${error === undefined ? PLAIN : describeFault(error)}`);
    throw new ExporterError("INIT_NO_API", `no REST API v2 found. ${faults.join(". ")}`);
  }
  const { url } = found;
  const other = answers.find((answer) => answer.url === given)?.error;
  const answered = other instanceof ApiError && other.httpStatus !== undefined;
  return answered ? { url, other: { url: given, fault: describeFault(other) } } : { url };
}

/**
 * Accepts what people copy: a name without scheme, an IPv6 address without brackets, the address of a page.
 * @throws ExporterError INIT_URL_INVALID
 */
export function givenUrl(text: string): string {
  const address = isIPv6(text) ? `[${text}]` : text;
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const parsed = parseServerUrl(whole.replace(/[?#].*$/s, "").replace(/\/[^/]*\.html?$/i, ""));
  if ("fault" in parsed) throw new ExporterError("INIT_URL_INVALID", `not the URL of a server: ${parsed.fault}`);
  return parsed.url;
}

/** Most likely first. The default port of a scheme is that of the web interface. */
export function candidateUrls(given: string): readonly string[] {
  const { hostname, port } = new URL(given);
  const https = `https://${hostname}:${HTTPS_PORT}`;
  const http = `http://${hostname}:${HTTP_PORT}`;
  return [...new Set(port === "" ? [https, given, http] : [given, https, http])];
}

async function faultOf(url: string, context: CommandContext): Promise<unknown> {
  try {
    // Sends no credentials, so any certificate will do until the port is known.
    await askHealth({ file: "init.yaml", url, trust: { insecureSkipVerify: true } }, context);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExporterError)) throw error;
    return error;
  }
}

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
