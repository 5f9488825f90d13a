import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Clock } from "../lib/clock.ts";
import { withDeadline } from "../lib/deadline.ts";
import { ConnectionPool } from "../lib/http/connection-pool.ts";
import { headerValue, mediaType } from "../lib/http/headers.ts";
import type { ProxyOptions } from "../lib/http/proxy.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";
import { wholeBody } from "../lib/http/whole-body.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { type BudgetLimits, RequestBudget } from "../lib/request-budget.ts";
import { type Pause, Pauses } from "../lib/retry-delay.ts";
import type { HttpAnswer } from "./export-response.ts";
import type { ReceiverSettings } from "./settings.ts";

/** Nothing was sent, because the receiver asked for a pause. */
export class ReceiverHeld extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super("the receiver asked for a pause that is not over yet");
    this.retryAfterMs = retryAfterMs;
  }
}

export interface GzipSupport {
  refused: boolean;
  /** Monotonic milliseconds. Before it a 400 is about the data. Infinity after a success: applies to one 400. */
  trustEndsAt: number;
}

/** State of one receiver that all connections share: metrics and logs, before and after a reload. */
export class Receiver {
  readonly rate: ByteRate;
  readonly #gzip = new Map<string, GzipSupport>();
  readonly #pause: Pause;

  constructor(clock: Clock, pause: Pause) {
    this.rate = new ByteRate(clock);
    this.#pause = pause;
  }

  gzipAt(url: string): GzipSupport {
    return mapEntry(this.#gzip, url, () => ({ refused: false, trustEndsAt: Number.NEGATIVE_INFINITY }));
  }

  hold(ms: number): void {
    this.#pause.hold(ms);
  }

  /** @throws ReceiverHeld during a pause */
  assertOpen(): void {
    const heldForMs = this.#pause.heldForMs();
    if (heldForMs > 0) throw new ReceiverHeld(heldForMs);
  }
}

/** Receivers by origin. A reload does not end their pauses. */
export class Receivers {
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  readonly #known = new Map<string, Receiver>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pauses = new Pauses(clock);
  }

  at(url: string): Receiver {
    const { origin } = new URL(url);
    return mapEntry(this.#known, origin, () => new Receiver(this.#clock, this.#pauses.of(origin)));
  }
}

/** History may use this much credit at once. */
const BURST_SECONDS = 1;
/** Delays history by at most this time. */
const MAX_DEBT_SECONDS = 10;

/**
 * Spreads history over time. All sent bytes count, but only history waits. If other data exceeds the rate, history
 * still gets a turn every `MAX_DEBT_SECONDS`.
 */
export class ByteRate {
  readonly #clock: Clock;
  #bytesPerSecond = 0;
  #credit = 0;
  #creditAt: number;
  #lastBytes = 0;
  #nextTurn = Number.NEGATIVE_INFINITY;
  #lastTurn = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#creditAt = clock.monotonic();
  }

  limit(bytesPerSecond: number): void {
    if (bytesPerSecond === this.#bytesPerSecond) return;
    this.#bytesPerSecond = bytesPerSecond;
    this.#credit = BURST_SECONDS * bytesPerSecond;
    this.#creditAt = this.#clock.monotonic();
    this.#nextTurn = Number.NEGATIVE_INFINITY;
  }

  count(bytes: number): void {
    if (this.#bytesPerSecond === 0) return;
    this.#earn();
    this.#credit = Math.max(this.#credit - bytes, -MAX_DEBT_SECONDS * this.#bytesPerSecond);
    this.#lastBytes = bytes;
  }

  /** Returns 0 for a turn for one request with history, or the milliseconds to wait. */
  takeTurn(): number {
    if (this.#bytesPerSecond === 0) return 0;
    const now = this.#earn();
    const waitMs = Math.max(this.#nextTurn - now, this.#paidAt(now) - now);
    // Timers ignore fractions of a millisecond.
    if (waitMs > 0) return Math.ceil(waitMs);
    this.#lastTurn = now;
    // The bytes of this request are not counted yet, and several servers share the rate.
    this.#nextTurn = now + (this.#lastBytes / this.#bytesPerSecond) * 1_000;
    return 0;
  }

  #paidAt(now: number): number {
    const paid = this.#credit > 0 ? now : now + ((1 - this.#credit) / this.#bytesPerSecond) * 1_000;
    return Math.min(paid, Math.max(now, this.#lastTurn + MAX_DEBT_SECONDS * 1_000));
  }

  #earn(): number {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#creditAt) / 1_000) * this.#bytesPerSecond;
    this.#credit = Math.min(this.#credit + earned, BURST_SECONDS * this.#bytesPerSecond);
    this.#creditAt = now;
    return now;
  }
}

export type HeaderReader = () => Promise<Readonly<Record<string, string>>>;

/** What connections to receivers have in common. */
export interface TransportContext {
  /** `prtg-exporter/1.2.3` */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly permit?: (() => void) | undefined;
  /** Called if the receiver accepts a request without gzip that it refused with gzip. */
  readonly gzipRefused?: (() => void) | undefined;
}

export interface TransportOptions
  extends TransportContext,
    Pick<ReceiverSettings, "url" | "compression" | "timeoutMs"> {
  readonly contentType: string;
  readonly readHeaders: HeaderReader;
  readonly tls: TlsClientOptions;
  readonly proxy?: ProxyOptions | undefined;
  readonly receiver: Receiver;
}

/** Hundreds of servers can have events at once. */
const LIMITS: BudgetLimits = { concurrency: 8, requestsPerSecond: Number.POSITIVE_INFINITY };
/** The protocol's advice for answers. Longer ones are useless. */
const MAX_ANSWER_BYTES = 4 << 20;
/** OTLP repeats the keys of each point, so the fastest level already saves 90 %. */
const GZIP_LEVEL = 1;

const compress = promisify(gzip);

/** Receivers without gzip answer 415, or 400, which may have another cause. */
const UNSUPPORTED_MEDIA_TYPE = 415;
const BAD_REQUEST = 400;
/** If a receiver refuses both forms, 400 is about the data. */
const GZIP_TRUST_MS = 60_000;

/** POSTs bodies to one OTLP receiver. Tries once, except for a receiver that may lack gzip. */
export class OtlpTransport {
  readonly #options: TransportOptions;
  readonly #pool: ConnectionPool;
  readonly #budget: RequestBudget;
  readonly #path: string;

  constructor(options: TransportOptions) {
    const { tls, proxy, permit, timeoutMs, clock } = options;
    const { origin, pathname, search } = new URL(options.url);
    this.#options = options;
    this.#path = pathname + search;
    this.#pool = new ConnectionPool({ origin, timeoutMs, clock, tls, proxy, permit });
    this.#budget = new RequestBudget(clock, LIMITS);
  }

  /**
   * Waits while eight others are under way. Rejects with ReceiverHeld during a pause, the signal's reason, the deadline's
   * error, or undici's error.
   */
  async post(content: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const release = await this.#budget.acquire(signal);
    try {
      return await this.#postAtOnce(content, signal);
    } finally {
      release();
    }
  }

  async #postAtOnce(content: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { compression, url, receiver, gzipRefused, clock } = this.#options;
    const gzip = receiver.gzipAt(url);
    if (compression === "none" || gzip.refused) return await this.#send(content, undefined, signal);
    const answer = await this.#send(await compress(content, { level: GZIP_LEVEL }), "gzip", signal);
    if (isSuccess(answer)) gzip.trustEndsAt = Number.POSITIVE_INFINITY;
    if (answer.status !== UNSUPPORTED_MEDIA_TYPE && answer.status !== BAD_REQUEST) return answer;
    if (answer.status === BAD_REQUEST && clock.monotonic() < gzip.trustEndsAt) {
      // Another receiver may have taken its place: the next 400 is checked.
      if (gzip.trustEndsAt === Number.POSITIVE_INFINITY) gzip.trustEndsAt = Number.NEGATIVE_INFINITY;
      return answer;
    }
    const plain = await this.#send(content, undefined, signal);
    if (plain.status === BAD_REQUEST) gzip.trustEndsAt = clock.monotonic() + GZIP_TRUST_MS;
    if (isSuccess(plain) && !gzip.refused) {
      gzip.refused = true;
      gzipRefused?.();
    }
    return plain;
  }

  async #send(body: Uint8Array, encoding: "gzip" | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const { clock, timeoutMs: ms } = this.#options;
    const expired = (): Error => {
      // The host may have died silently, and its name may point elsewhere now.
      this.#pool.renew();
      return new Error(`no answer within ${ms / 1_000} s`);
    };
    return await withDeadline({ clock, ms, parents: [signal], expired }, (either) =>
      this.#exchange(body, encoding, either),
    );
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #exchange(body: Uint8Array, encoding: "gzip" | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const { contentType, readHeaders, userAgent, receiver } = this.#options;
    const given = await readHeaders();
    signal.throwIfAborted();
    receiver.assertOpen();
    receiver.rate.count(body.length);
    const response = await this.#pool.request({
      method: "POST",
      // Repeated points with the same time are harmless.
      idempotent: true,
      path: this.#path,
      signal,
      body,
      headers: {
        "user-agent": userAgent,
        ...given,
        "content-type": contentType,
        ...(encoding !== undefined && { "content-encoding": encoding }),
      },
    });
    return readAnswer(response);
  }
}

/** HTML does not come from a receiver. */
function isSuccess({ status, contentType }: HttpAnswer): boolean {
  return status >= 200 && status < 300 && contentType !== "text/html";
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<HttpAnswer> {
  return {
    status: statusCode,
    contentType: mediaType(headers),
    retryAfter: headerValue(headers, "retry-after"),
    date: headerValue(headers, "date"),
    // Without it, the status is enough.
    body: (await wholeBody(body, MAX_ANSWER_BYTES)) ?? Buffer.alloc(0),
  };
}
