import { pino } from "pino";
import { onTestFinished } from "vitest";
import { describeError } from "../../../src/errors/exporter-error.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createApiClient } from "../../../src/prtg/client.ts";
import type { MonitoringApi } from "../../../src/prtg/monitoring-api.ts";
import type { ApiClientOptions, ApiLimits } from "../../../src/prtg/options.ts";
import type { ServerAccesses } from "../../../src/prtg/request/server-access.ts";
import { type ServerRecorder, serverRecorder } from "../../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";

export const API_KEY = "KEY-4711-SECRET";

interface Recorded {
  readonly codes: string[];
  readonly retried: string[];
  readonly breaker: boolean[];
  readonly moved: string[];
  readonly mismatches: Map<string, number>;
  readonly problems: Map<string, number>;
  /** Current and highest. */
  inFlight: number;
  mostInFlight: number;
  bytes: number;
}

interface TestClient {
  readonly api: MonitoringApi;
  readonly recorded: Recorded;
  readonly redactor: Redactor;
  logged(): Record<string, unknown>[];
  logText(): string;
}

type Overrides = Partial<Omit<ApiClientOptions, "limits" | "url">> & { readonly limits?: Partial<ApiLimits> };
type ClientOverrides = Overrides & { readonly accesses?: ServerAccesses };

/** Without jitter. Deadlines: short in manual time, long in real time. */
export function testOptions(url: string, overrides: Overrides = {}): ApiClientOptions & { observer: ServerRecorder } {
  const deadlines =
    overrides.clock === undefined
      ? { timeoutMs: 30_000, totalTimeoutMs: 60_000 }
      : { timeoutMs: 5_000, totalTimeoutMs: 20_000 };
  return {
    name: "test",
    url,
    auth: { kind: "api_key", key: async () => API_KEY },
    userAgent: "prtg-exporter/test",
    clock: systemClock,
    random: () => 0,
    log: pino({ level: "silent" }),
    redactor: new Redactor(),
    observer: recorder().observer,
    ...overrides,
    limits: {
      concurrency: 4,
      requestsPerSecond: Number.POSITIVE_INFINITY,
      ...deadlines,
      listTimeoutMs: 3_600_000,
      maxResponseBytes: 1_000_000,
      maxObjects: 100_000,
      maxTextSize: 10_000_000,
      maxTextLength: 1_024,
      ...overrides.limits,
    },
  };
}

/** Closed after the test. */
export function testClient(url: string, { accesses, ...overrides }: ClientOverrides = {}): TestClient {
  const { observer, recorded } = recorder();
  const lines: string[] = [];
  const log = pino({ level: "debug", serializers: { err: describeError } }, { write: (line) => void lines.push(line) });
  const redactor = new Redactor();
  const api = createApiClient(testOptions(url, { observer, log, redactor, ...overrides }), accesses);
  onTestFinished(() => api.close());
  return {
    api,
    recorded,
    redactor,
    logged: () => lines.map((line) => JSON.parse(line)),
    logText: () => lines.join(""),
  };
}

export function recorder(): { readonly observer: ServerRecorder; readonly recorded: Recorded } {
  const recorded: Recorded = {
    codes: [],
    retried: [],
    breaker: [],
    moved: [],
    mismatches: new Map(),
    problems: new Map(),
    inFlight: 0,
    mostInFlight: 0,
    bytes: 0,
  };
  const own: Partial<ServerRecorder> = {
    requestStarted: () => {
      recorded.inFlight++;
      recorded.mostInFlight = Math.max(recorded.mostInFlight, recorded.inFlight);
    },
    requestFinished: ({ endpoint, code, bytes }) => {
      recorded.inFlight--;
      recorded.bytes += bytes;
      recorded.codes.push(`${endpoint} ${code}`);
    },
    retried: ({ endpoint }) => recorded.retried.push(endpoint),
    breakerChanged: (open) => recorded.breaker.push(Boolean(open)),
    listMoved: ({ endpoint }) => recorded.moved.push(endpoint),
    totalMismatch: ({ endpoint }, difference) => recorded.mismatches.set(endpoint, Number(difference)),
    decodeProblem: (problem, count = 1) => {
      recorded.problems.set(problem, (recorded.problems.get(problem) ?? 0) + count);
    },
  };
  return { observer: Object.assign(serverRecorder(emptyMetrics(), "test"), own), recorded };
}

/** The promise's error. Fails if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error("rejected with something that is no error", { cause: error });
  }
  throw new Error("resolved where it should reject");
}
