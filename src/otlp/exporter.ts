import { describeFault } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { UntrustedCertificate, WrongFingerprint } from "../lib/http/tls.ts";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { Encodings } from "./encoding.ts";
import type { OtlpProtocol } from "./environment.ts";
import { type ExportOutcome, parseExportResponse, type RequestOutcome } from "./export-response.ts";
import { type Receiver, ReceiverHeld } from "./receivers.ts";
import type { OtlpTransport } from "./transport.ts";

/** The receiver will not change its mind. */
export type FinalOutcome = Extract<ExportOutcome, { readonly kind: "accepted" | "refused" }>;

/** Items that each fit into one request. */
export interface ExportBatch<Item, Request> {
  /** Read one by one, so that only those of one request are in memory. */
  readonly items: Iterable<Item>;
  /** Estimated bytes on the wire. */
  readonly estimateSize: (item: Item) => number;
  readonly count: (item: Item) => number;
  readonly toRequest: (items: readonly Item[]) => Request;
  readonly settled: (items: readonly Item[], outcome: FinalOutcome) => void;
  readonly failed: (items: readonly Item[]) => void;
}

export interface OtlpExporterOptions<Request> {
  readonly transport: OtlpTransport;
  readonly receiver: Receiver;
  readonly protocol: OtlpProtocol;
  readonly encodings: Encodings<Request>;
  readonly clock: Clock;
  readonly maxRequestBytes: number;
}

/**
 * Sends one signal (metrics or logs) to one receiver in requests of a size that it accepts.
 * Does not use the SDK's OTLP exporters, because they only log a partial success, hide status and `Retry-After`, and
 * retry by themselves. Uses their serializers. Tries once: the caller retries.
 */
export class OtlpExporter<Request> {
  readonly #options: OtlpExporterOptions<Request>;
  readonly #size: RequestSize;

  constructor(options: OtlpExporterOptions<Request>) {
    this.#options = options;
    this.#size = new RequestSize(options.maxRequestBytes);
  }

  /**
   * Sends items in order until a request fails. Never rejects. The outcome covers all requests: `refused` if the
   * receiver refused each one.
   */
  async export<Item>(batch: ExportBatch<Item, Request>, signal: AbortSignal): Promise<ExportOutcome> {
    try {
      return await this.#export(batch, signal);
    } catch (error) {
      return { kind: "failed", retryAfterMs: undefined, message: describeFailure(error) };
    }
  }

  async #export<Item>(batch: ExportBatch<Item, Request>, signal: AbortSignal): Promise<ExportOutcome> {
    const result = { accepted: 0, refused: 0, rejected: 0, message: "" };
    for (const part of this.#split(batch)) {
      const queue = [part];
      for (let items = queue.shift(); items !== undefined; items = queue.shift()) {
        const outcome = await this.#send(batch, items, signal);
        if (outcome.kind === "too large") {
          queue.unshift(...halves(items));
          continue;
        }
        if (outcome.kind === "failed") {
          if (outcome.isHeld !== true) batch.failed(items);
          return outcome;
        }
        batch.settled(items, outcome);
        result[outcome.kind]++;
        result.rejected += outcome.kind === "accepted" ? outcome.rejected : countAll(batch, items);
        if (outcome.message !== "") result.message = outcome.message;
      }
    }
    const { accepted, refused, rejected, message } = result;
    return accepted === 0 && refused > 0 ? { kind: "refused", message } : { kind: "accepted", rejected, message };
  }

  /** Call before a request with history. Returns 0, or the milliseconds to wait. */
  takeHistoryTurn(): number {
    return this.#options.receiver.rate.takeTurn();
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  *#split<Item>({ items, estimateSize }: ExportBatch<Item, Request>): Generator<readonly Item[]> {
    let part: Item[] = [];
    let estimate = 0;
    for (const item of items) {
      const added = estimateSize(item);
      if (part.length > 0 && estimate + added > this.#size.maxEstimate) {
        yield part;
        part = [];
        estimate = 0;
      }
      part.push(item);
      estimate += added;
    }
    if (part.length > 0) yield part;
  }

  /** `too large` only if the items can still be divided. */
  async #send<Item>(
    batch: ExportBatch<Item, Request>,
    items: readonly Item[],
    signal: AbortSignal,
  ): Promise<RequestOutcome> {
    const { transport, receiver, protocol, encodings, clock } = this.#options;
    try {
      receiver.assertOpen();
      // Encoding must not block the event loop for longer than one request takes.
      await yieldToEventLoop();
      signal.throwIfAborted();
      const body = encodings[protocol].encode(batch.toRequest(items));
      this.#size.calibrate(sum(items, batch.estimateSize), body.length);
      if (items.length > 1 && !this.#size.fits(body.length)) return { kind: "too large", message: "" };
      const answer = await transport.post(body, signal);
      const outcome = parseExportResponse(answer, { protocol, encodings, count: countAll(batch, items) }, clock.now());
      if (outcome.kind === "failed") receiver.hold(outcome.retryAfterMs ?? 0);
      if (outcome.kind !== "too large") return outcome;
      if (items.length === 1) return { ...outcome, kind: "refused" };
      this.#size.reduce(body.length);
      return outcome;
    } catch (error) {
      if (error instanceof ReceiverHeld) {
        return { kind: "failed", retryAfterMs: error.retryAfterMs, message: error.message, isHeld: true };
      }
      return { kind: "failed", retryAfterMs: undefined, message: describeFailure(error) };
    }
  }
}

function halves<Item>(items: readonly Item[]): [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

function countAll<Item>({ count }: Pick<ExportBatch<Item, never>, "count">, items: readonly Item[]): number {
  return sum(items, count);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Node.js joins the errors of several addresses in one without a message. */
function describeFailure(error: unknown): string {
  if (error instanceof UntrustedCertificate || error instanceof WrongFingerprint) {
    const line = `otlp: { tls: { fingerprints: ["${error.seen}"] } }`;
    return `${error.message}. If this is the fingerprint of the receiver, trust only this certificate: ${line}`;
  }
  return describeFault(error instanceof AggregateError && error.message === "" ? error.errors[0] : error);
}

/** Larger requests save nothing, and encoding one takes longer than 5 ms. */
const USUAL_BYTES = 512 * 1024;

const HEADROOM = 0.9;

/** A receiver that refuses even this has another reason. */
const SMALLEST_LIMIT = 16 * 1024;

/** Smaller requests consist mostly of their resource. */
const TELLING_BYTES = 8 * 1024;

/**
 * Decides how much goes into one request. Corrects the estimates with the size of the last body. A wrong estimate costs
 * time, but never exceeds the limit.
 */
export class RequestSize {
  #limit: number;
  #bytesPerEstimated = 2;

  constructor(maxBytes: number) {
    this.#limit = maxBytes;
  }

  fits(bytes: number): boolean {
    return bytes <= this.#limit;
  }

  get maxEstimate(): number {
    return Math.min(USUAL_BYTES, this.#limit * HEADROOM) / this.#bytesPerEstimated;
  }

  /** Points of this estimated size took this many bytes. */
  calibrate(estimate: number, bytes: number): void {
    if (bytes >= TELLING_BYTES) this.#bytesPerEstimated = bytes / estimate;
  }

  /** The receiver, or a proxy, has a lower limit than the protocol. */
  reduce(bytes: number): void {
    this.#limit = Math.max(SMALLEST_LIMIT, Math.floor(Math.min(bytes, this.#limit) / 2));
  }
}
