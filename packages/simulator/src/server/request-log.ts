import type { Clock } from "../clock.ts";

/** One answered or broken off request. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  /** Template of the path relative to `/api/v2`, `(unknown)` where no endpoint was hit. */
  readonly route: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Undefined when the connection ended before the answer was out. */
  readonly status: number | undefined;
  readonly bytes: number;
  readonly durationMs: number;
  /** When it was over, by the real clock; milliseconds since the epoch. */
  readonly at: number;
  /** The faults that applied to it, as written. */
  readonly faults: readonly string[];
}

export interface RequestCount {
  readonly method: string;
  readonly route: string;
  readonly status: number | undefined;
  readonly count: number;
}

/** A request under way. */
export interface OpenRequest {
  route: string;
  faults: readonly string[];
  finish(status: number | undefined, bytes: number): void;
}

const MAX_RECENT = 1000;

/** Counts requests by method, route and status, and keeps the last 1,000. */
export class RequestLog {
  readonly #clock: Clock;
  readonly #log: ((request: LoggedRequest) => void) | undefined;
  #counts = new Map<string, RequestCount>();
  #recent: LoggedRequest[] = [];
  #inFlight = 0;
  #maxInFlight = 0;

  constructor(clock: Clock, log: ((request: LoggedRequest) => void) | undefined) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Notes that a request came in. */
  open(requestId: string, method: string, url: string): OpenRequest {
    const startedAt = this.#clock.monotonic();
    this.#inFlight++;
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight);
    let finished = false;
    const request: OpenRequest = {
      route: "(unknown)",
      faults: [],
      finish: (status, bytes) => {
        if (finished) return;
        finished = true;
        this.#inFlight--;
        const durationMs = this.#clock.monotonic() - startedAt;
        const { route, faults } = request;
        const at = this.#clock.now();
        this.#add({ requestId, method, route, url, status, bytes, durationMs, at, faults });
      },
    };
    return request;
  }

  /** How many requests fit; all of them by default. */
  count(wanted: Partial<Omit<RequestCount, "count">> = {}): number {
    const entries = Object.entries(wanted);
    return this.counts()
      .filter((row) => entries.every(([name, value]) => row[name as keyof RequestCount] === value))
      .reduce((sum, row) => sum + row.count, 0);
  }

  counts(): readonly RequestCount[] {
    return [...this.#counts.values()];
  }

  /** The last requests, oldest first. */
  recent(): readonly LoggedRequest[] {
    return this.#recent.slice(-MAX_RECENT);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The largest number of requests at the same time since the last reset. */
  get maxInFlight(): number {
    return this.#maxInFlight;
  }

  reset(): void {
    this.#counts = new Map();
    this.#recent = [];
    this.#maxInFlight = this.#inFlight;
  }

  #add(request: LoggedRequest): void {
    const { method, route, status } = request;
    const key = `${method} ${route} ${status}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { method, route, status, count });
    this.#recent.push(request);
    if (this.#recent.length >= 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT);
    this.#log?.(request);
  }
}
