import type { LookupFunction } from "node:net";
import type { Logger } from "pino";
import type { Redactor } from "../errors/redactor.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProxyOptions } from "../lib/http/proxy.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";

/** How to prove who we are. Secrets come from functions, so that a changed file is seen without a restart. */
export type ApiAuth =
  | { readonly kind: "api_key"; readonly key: () => Promise<string> }
  | { readonly kind: "login"; readonly username: string; readonly password: () => Promise<string> };

/** What one server may be asked. */
export interface ApiLimits {
  /** Requests under way at the same time. */
  readonly concurrency: number;
  /** Requests are sent at least 1/requestsPerSecond apart; Infinity for no pacing. */
  readonly requestsPerSecond: number;
  /** From sending a request to the last byte of its answer. */
  readonly timeoutMs: number;
  /** All attempts at one request, with the waits before and between them. */
  readonly totalTimeoutMs: number;
  /** One list with all of its pages, read twice where it moved. */
  readonly listTimeoutMs: number;
  /** Size of a response body at which reading stops. */
  readonly maxResponseBytes: number;
  /** Records of one list, and values of one time series, beyond which it is given up. */
  readonly maxObjects: number;
  /** Characters of text kept of one list beyond which it is given up. */
  readonly maxTextSize: number;
  /** Characters at which one text, such as a name, is cut. */
  readonly maxTextLength: number;
}

export interface ApiClientOptions {
  /** Name of the server in the configuration. */
  readonly name: string;
  /** `https://prtg.example.com:1616`; a path prefix is kept, a `/` or `/api/v2` at the end is not needed. */
  readonly url: string;
  readonly auth: ApiAuth;
  readonly tls?: TlsClientOptions;
  /** By which connections go; left out: by none. */
  readonly proxy?: ProxyOptions | undefined;
  /** See `ConnectionPoolOptions`. */
  readonly permit?: (() => void) | undefined;
  readonly limits: ApiLimits;
  /** Clients with the same key share session, connections and budget; undefined: with none. */
  readonly accessKey?: string | undefined;
  /** What lists hold while they are read is counted against it; undefined: without a bound. */
  readonly memory?: MemoryBudget;
  /** How the name of the host is resolved; by the system by default. */
  readonly lookup?: LookupFunction | undefined;
  /** Attempts at one request, the first included; by default as many as the kind of failure deserves. */
  readonly maxAttempts?: number;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
  /** Bound to the server: the client's lines do not name it. */
  readonly log: Logger;
  /** Learns every secret that is used, also session tokens. */
  readonly redactor: Redactor;
  readonly observer: ServerRecorder;
}
