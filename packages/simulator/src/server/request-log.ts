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
/** Characters of URLs, headers and bodies. */
const MAX_SIZE = 4_000_000;

export interface RequestLogOptions {
  readonly clock: Clock;
  /** Called with each request once it is answered or broken off. */
  readonly log?: ((request: LoggedRequest) => void) | undefined;
  /** Keep headers and bodies: about 1 kB for each request, 4 MB in all with the URLs. */
  readonly keepsContents?: boolean | undefined;
}

/** Counts requests by method, route and status, and keeps the last 1,000, or fewer if their URLs exceed 4 MB. */
export class RequestLog {
  readonly #clock: Clock;
  readonly #log: ((request: LoggedRequest) => void) | undefined;
  readonly keepsContents: boolean;
  #counts = new Map<string, RequestCount>();
  /** Oldest first. */
  readonly #recent = new Set<LoggedRequest>();
  /** By request id, oldest first. Sizes are those at the end of the request: its body may arrive later. */
  readonly #contents = new Map<string, { readonly request: RequestContents; readonly size: number }>();
  #size = 0;
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
        const at = this.#clock.now();
        if (this.keepsContents) this.#keep(requestId, request);
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
    return [...this.#recent];
  }

  /** Headers and body of a recent request. `undefined` if they are not kept or too old. */
  contentsOf(requestId: string): RequestContents | undefined {
    const kept = this.#contents.get(requestId);
    return kept && { headers: kept.request.headers, body: kept.request.body };
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
    this.#recent.clear();
    this.#contents.clear();
    this.#size = 0;
    this.#maxInFlight = this.#inFlight;
  }

  #keep(requestId: string, request: RequestContents): void {
    const size = sizeOf(request);
    this.#contents.set(requestId, { request, size });
    this.#size += size;
  }

  #add(request: LoggedRequest): void {
    const { method, route, status } = request;
    const key = `${method} ${route} ${status}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { method, route, status, count });
    this.#recent.add(request);
    this.#size += request.url.length;
    this.#forgetOldest();
    this.#log?.(request);
  }

  /** A request stays longer than its headers and body. */
  #forgetOldest(): void {
    for (const [id, { size }] of this.#contents) {
      if (this.#size <= MAX_SIZE && this.#contents.size <= MAX_RECENT) break;
      this.#contents.delete(id);
      this.#size -= size;
    }
    for (const oldest of this.#recent) {
      if (this.#size <= MAX_SIZE && this.#recent.size <= MAX_RECENT) break;
      this.#recent.delete(oldest);
      this.#size -= oldest.url.length;
    }
  }
}

function sizeOf({ headers, body = "" }: RequestContents): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length, body.length);
}
