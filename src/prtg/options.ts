import type { Redactor } from "../errors/redactor.ts";
import type { ConnectionPoolOptions } from "../lib/http/connection-pool.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import type { BudgetLimits } from "../lib/request-budget.ts";
import type { Runtime } from "../lib/runtime.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";

/** Functions return secrets, so that changed files take effect. */
export type ApiAuth =
  | { readonly kind: "api_key"; readonly key: () => Promise<string> }
  | { readonly kind: "login"; readonly username: string; readonly password: () => Promise<string> };

export interface ApiLimits extends BudgetLimits {
  /** From sending a request to the end of its answer. */
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  /** With all pages, and a second read if the list moved. */
  readonly listTimeoutMs: number;
  /** Size of one response body. */
  readonly maxResponseBytes: number;
  /** Records of one list, and values of one time series. */
  readonly maxObjects: number;
  /** Characters kept of one list. */
  readonly maxTextSize: number;
  readonly maxTextLength: number;
}

export interface ApiClientOptions extends Pick<ConnectionPoolOptions, "proxy" | "permit" | "lookup">, Runtime {
  readonly name: string;
  /** `https://prtg.example.com:1616`, with an optional path prefix. A `/` or `/api/v2` at the end is ignored. */
  readonly url: string;
  readonly auth: ApiAuth;
  readonly tls?: TlsClientOptions;
  readonly limits: ApiLimits;
  /** Clients with the same key share session, connections and budget. Default: no sharing. */
  readonly accessKey?: string | undefined;
  /** Counts lists while they are read. Default: no bound. */
  readonly memory?: MemoryBudget;
  /** Including the first. Default: depends on the failure. */
  readonly maxAttempts?: number;
  readonly userAgent: string;
  /** Gets every secret, session tokens included. */
  readonly redactor: Redactor;
  readonly observer: ServerRecorder;
}
