import type { IncomingHttpHeaders } from "node:http";
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

/** What a client sent with a request. */
export interface RequestContents {
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** `undefined` if it is larger than the API allows, or was never read. */
  readonly body: string | undefined;
}

/** A request under way. */
export interface OpenRequest {
  route: string;
  faults: readonly string[];
  headers: IncomingHttpHeaders;
  /** Can be set after the end, too. */
  body: string | undefined;
  finish(status: number | undefined, bytes: number): void;
}

const MAX_RECENT = 1000;
/** Characters of headers and bodies. */
const MAX_CONTENTS = 4_000_000;

export interface RequestLogOptions {
  readonly clock: Clock;
  /** Called with each request once it is answered or broken off. */
  readonly log?: ((request: LoggedRequest) => void) | undefined;
  /** Keep headers and bodies: about 1 kB for each request, 4 MB in all. */
  readonly keepsContents?: boolean | undefined;
}

/** Counts requests by method, route and status, and keeps the last 1,000. */
export class RequestLog {
  readonly #clock: Clock;
  readonly #log: ((request: LoggedRequest) => void) | undefined;
  readonly keepsContents: boolean;
  #counts = new Map<string, RequestCount>();
  #recent: LoggedRequest[] = [];
  /** By request id, oldest first. */
  readonly #contents = new Map<string, RequestContents>();
  #contentsSize = 0;
  #inFlight = 0;
  #maxInFlight = 0;

  constructor({ clock, log, keepsContents = false }: RequestLogOptions) {
    this.#clock = clock;
    this.#log = log;
    this.keepsContents = keepsContents;
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
      headers: {},
      body: undefined,
      finish: (status, bytes) => {
        if (finished) return;
        finished = true;
        this.#inFlight--;
        const durationMs = this.#clock.monotonic() - startedAt;
        const { route, faults } = request;
        if (this.keepsContents) this.#keep(requestId, request);
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

  /** Headers and body of a recent request. `undefined` if they are not kept or too old. */
  contentsOf(requestId: string): RequestContents | undefined {
    const request = this.#contents.get(requestId);
    return request && { headers: request.headers, body: request.body };
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
    this.#contents.clear();
    this.#contentsSize = 0;
    this.#maxInFlight = this.#inFlight;
  }

  #keep(requestId: string, contents: RequestContents): void {
    this.#contents.set(requestId, contents);
    this.#contentsSize += sizeOf(contents);
    for (const [id, oldest] of this.#contents) {
      if (this.#contentsSize <= MAX_CONTENTS && this.#contents.size <= MAX_RECENT) return;
      this.#contents.delete(id);
      this.#contentsSize -= sizeOf(oldest);
    }
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

function sizeOf({ headers, body = "" }: RequestContents): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length, body.length);
}
