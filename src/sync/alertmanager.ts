import type { Dispatcher } from "undici";
import { z } from "zod";
import type { ReadFile } from "../config/reading-files.ts";
import { proxyOptions } from "../config/resolve.ts";
import type { AlertmanagerConfig } from "../config/sync-config.ts";
import { ERROR_CATALOGUE } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { Clock } from "../lib/clock.ts";
import { withDeadline } from "../lib/deadline.ts";
import { errorCode } from "../lib/error-code.ts";
import { ConnectionPool } from "../lib/http/connection-pool.ts";
import { DamagedBody, decodedBody, isSupportedEncoding } from "../lib/http/decoded-body.ts";
import { headerValue } from "../lib/http/headers.ts";
import { wholeBody } from "../lib/http/whole-body.ts";
import { parsedJson } from "../lib/parsed-json.ts";
import { printable, shortLine } from "../lib/printable-text.ts";
import { networkError } from "../prtg/request/network-error.ts";
import type { Labels, Matcher } from "./matchers.ts";

export interface SilenceContent {
  readonly matchers: readonly Matcher[];
  /** Milliseconds since the epoch. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
  readonly comment: string;
}

export interface Silence extends SilenceContent {
  readonly id: string;
  readonly state: "active" | "pending";
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** Alertmanager creates a silence if there is no `id`, and updates it otherwise. */
export interface PutSilence extends SilenceContent {
  readonly id?: string | undefined;
}

export interface Alert {
  readonly labels: Labels;
  /** Ids of active silences. */
  readonly silencedBy: readonly string[];
}

/**
 * Sends each request once. Rejects with ExporterError ALERTMANAGER_UNREACHABLE, ALERTMANAGER_REFUSED, ALERTMANAGER_ANSWER, SECRET_UNREADABLE,
 * SECRET_EXPOSED or CA_UNREADABLE, or with the signal's reason.
 */
export interface AlertmanagerClient {
  /** Active and pending silences. */
  silences(signal: AbortSignal): Promise<readonly Silence[]>;
  alerts(signal: AbortSignal): Promise<readonly Alert[]>;
  /**
   * Returns the id, which can be a new one. If the request fails with ALERTMANAGER_UNREACHABLE, Alertmanager may have applied it. Alertmanager
   * replaces an updated silence if its matchers or its start differ.
   */
  putSilence(silence: PutSilence, signal: AbortSignal): Promise<string>;
  /** Succeeds if the silence is unknown or already expired. */
  expireSilence(id: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface AlertmanagerContext {
  /** `prtg-exporter/1.2.3` */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly readFile: ReadFile;
}

const MAX_ANSWER_BYTES = 64 << 20;
/** Length of a quoted answer in a message. */
const MAX_SHOWN = 200;
/** Longer than the quoted part, which may end within a secret. */
const MAX_REDACTED = 8_192;

const ALERTS = "/alerts?active=true&silenced=true&inhibited=true&unprocessed=true";

const time = z
  .string()
  .transform((text) => Date.parse(text))
  .refine(Number.isFinite);

const silenceList = z.array(
  z.object({
    id: z.string().min(1),
    matchers: z.array(
      z.object({
        name: z.string(),
        value: z.string(),
        isRegex: z.boolean(),
        // Alertmanager before 0.22 has no negative matchers.
        isEqual: z.boolean().default(true),
      }),
    ),
    startsAt: time,
    endsAt: time,
    updatedAt: time,
    createdBy: z.string(),
    comment: z.string(),
    status: z.object({ state: z.enum(["active", "pending", "expired"]) }),
  }),
);

const alertList = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    status: z.object({ silencedBy: z.array(z.string()).nullish() }),
  }),
);

const putAnswer = z.object({ silenceID: z.string().min(1) });

/** Of answers with status 500: Alertmanager before 0.24 for an expired silence, and 0.25 for an unknown one. */
const HAS_ENDED = /already expired|silence not found/;

/** Answers of Go and nginx to HTTP on a port for HTTPS. */
const WANTS_TLS = /HTTP request (was sent )?to (an )?HTTPS/i;

const SCHEME_REMEDY = "Check that the scheme of sync.alertmanager.url matches the port: perhaps it is http://.";

const refusal = z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]);

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Method = "GET" | "POST" | "DELETE";

export function createAlertmanagerClient(config: AlertmanagerConfig, context: AlertmanagerContext): AlertmanagerClient {
  const { url, timeoutMs, tls, proxy, headers, authorization } = config;
  const { userAgent, clock, redactor, readFile } = context;
  const { origin, pathname } = new URL(url);
  const base = `${pathname.replace(/\/$/, "")}/api/v2`;
  const pool = new ConnectionPool({
    ...{ origin, timeoutMs, clock, tls },
    proxy: proxy && proxyOptions(proxy, readFile),
  });
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

  const exchange = async (method: Method, path: string, body: string | undefined, signal: AbortSignal) => {
    const credentials = authorization && { authorization: await authorization() };
    signal.throwIfAborted();
    const response = await pool.request({
      method,
      path: base + path,
      signal,
      // The pool repeats idempotent requests. A repeated POST could create a second silence.
      idempotent: method !== "POST",
      body: body ?? null,
      headers: {
        ...given,
        ...credentials,
        accept: "application/json",
        "accept-encoding": "gzip",
        "user-agent": userAgent,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
    });
    return readAnswer(response);
  };

  const send = async (method: Method, path: string, body: string | undefined, signal: AbortSignal): Promise<Answer> => {
    const fail = (what: string, cause?: unknown) => {
      // The host may have died silently, and its name may point elsewhere now.
      pool.renew();
      const remedy = tlsRemedy(origin, cause);
      const options = { cause, ...(remedy !== undefined && { remedy }) };
      return new ExporterError("ALERTMANAGER_UNREACHABLE", `Alertmanager at ${url} ${what}`, options);
    };
    const expired = () => fail(`did not answer within ${timeoutMs / 1_000} s`);
    return await withDeadline({ clock, ms: timeoutMs, parents: [signal], expired }, async (either) => {
      try {
        return await exchange(method, path, body, either);
      } catch (cause) {
        if (cause instanceof ExporterError || either.aborted) throw cause;
        const code = errorCode(cause);
        throw fail(typeof code === "string" ? `is not reachable (${code})` : "is not reachable", cause);
      }
    });
  };

  const quoted = (text: string) => shortLine(redactor.redact(text.slice(0, MAX_REDACTED)), MAX_SHOWN);

  const faultOf = ({ status, text }: Answer, request: string): ExporterError => {
    const said = refusal.safeParse(parsedJson(text)).data ?? text;
    const message = `Alertmanager at ${url} answers ${request} with HTTP ${status}: ${quoted(said)}`;
    if (status >= 500) return new ExporterError("ALERTMANAGER_UNREACHABLE", message);
    if (status === 400 && WANTS_TLS.test(said)) {
      return new ExporterError("ALERTMANAGER_REFUSED", message, { remedy: "Use https:// in sync.alertmanager.url." });
    }
    return new ExporterError(status >= 400 ? "ALERTMANAGER_REFUSED" : "ALERTMANAGER_ANSWER", message);
  };

  const parse = <Output>(schema: z.ZodType<Output>, answer: Answer, request: string): Output => {
    if (!isSuccess(answer)) throw faultOf(answer, request);
    const { data, error } = schema.safeParse(parsedJson(answer.text));
    if (error === undefined) return data;
    const [issue] = error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
    const message = `the answer of Alertmanager at ${url} to ${request} is not the expected JSON${place}: ${quoted(answer.text)}`;
    throw new ExporterError("ALERTMANAGER_ANSWER", message);
  };

  return {
    silences: async (signal) => {
      const answer = await send("GET", "/silences", undefined, signal);
      return parse(silenceList, answer, "GET /silences").flatMap(({ status: { state }, ...silence }) =>
        state === "expired" ? [] : [{ ...silence, state }],
      );
    },
    alerts: async (signal) => {
      const answer = await send("GET", ALERTS, undefined, signal);
      return parse(alertList, answer, "GET /alerts").map(({ labels, status }) => ({
        labels: new Map(Object.entries(labels)),
        silencedBy: status.silencedBy ?? [],
      }));
    },
    putSilence: async ({ id, matchers, startsAt, endsAt, createdBy, comment }, signal) => {
      const body = JSON.stringify({
        ...{ id, matchers, createdBy, comment },
        startsAt: new Date(startsAt).toISOString(),
        endsAt: new Date(endsAt).toISOString(),
      });
      const answer = await send("POST", "/silences", body, signal);
      return parse(putAnswer, answer, "POST /silences").silenceID;
    },
    expireSilence: async (id, signal) => {
      const answer = await send("DELETE", `/silence/${encodeURIComponent(id)}`, undefined, signal);
      if (isSuccess(answer) || answer.status === 404 || HAS_ENDED.test(answer.text)) return;
      throw faultOf(answer, "DELETE /silence");
    },
    close: () => pool.destroy(),
  };
}

/** `undefined`: the fault is not about TLS. */
function tlsRemedy(origin: string, cause: unknown): string | undefined {
  const fault = networkError({ endpoint: "Alertmanager", origin, urlKey: "sync.alertmanager.url" }, cause);
  // The remedy of the catalogue has the ports of PRTG.
  if (fault.remedy === ERROR_CATALOGUE.API_TLS_FAILED.remedy) return SCHEME_REMEDY;
  return fault.code.startsWith("API_TLS_") ? fault.remedy : undefined;
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** @throws ExporterError ALERTMANAGER_ANSWER */
async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Answer> {
  const encoding = headerValue(headers, "content-encoding")?.toLowerCase();
  if (!isSupportedEncoding(encoding)) {
    body.on("error", () => undefined).destroy();
    throw new ExporterError(
      "ALERTMANAGER_ANSWER",
      `Alertmanager uses an unknown content encoding: ${printable(encoding ?? "")}`,
    );
  }
  const whole = await wholeBody(decodedBody(chunksOf(body), encoding), MAX_ANSWER_BYTES).catch((error: unknown) => {
    if (!(error instanceof DamagedBody)) throw error;
    throw new ExporterError("ALERTMANAGER_ANSWER", `Alertmanager sends a damaged answer: ${error.message}`);
  });
  if (whole === undefined) {
    throw new ExporterError("ALERTMANAGER_ANSWER", `the answer of Alertmanager exceeds ${MAX_ANSWER_BYTES >> 20} MiB`);
  }
  return { status: statusCode, text: whole.toString() };
}

async function* chunksOf(body: Dispatcher.ResponseData["body"]): AsyncGenerator<Buffer> {
  for await (const chunk of body) if (Buffer.isBuffer(chunk)) yield chunk;
}
