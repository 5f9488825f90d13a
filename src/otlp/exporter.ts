import { describeFault } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { UntrustedCertificate, WrongFingerprint } from "../lib/http/tls.ts";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { Encodings } from "./encoding.ts";
import type { OtlpProtocol } from "./environment.ts";
import { type ExportOutcome, parseExportResponse, type RequestOutcome } from "./export-response.ts";
import { type Receiver, ReceiverHeld } from "./receivers.ts";
import type { OtlpTransport } from "./transport.ts";

/** What is final: the receiver has the data, but for what it refused. */
export type FinalOutcome = Extract<ExportOutcome, { readonly kind: "accepted" | "refused" }>;

/** Items to send, each of which travels in one request. */
export interface ExportBatch<Item, Request> {
  /** Taken one by one, so that no more of them need to be there than one request holds. */
  readonly items: Iterable<Item>;
  /** Bytes on the wire, roughly; see RequestSize. */
  readonly estimateSize: (item: Item) => number;
  /** Data points, or log records, in the item. */
  readonly count: (item: Item) => number;
  readonly toRequest: (items: readonly Item[]) => Request;
  readonly settled: (items: readonly Item[], outcome: FinalOutcome) => void;
  readonly failed: (items: readonly Item[]) => void;
}

export interface OtlpExporterOptions<Request> {
  readonly transport: OtlpTransport;
  readonly receiver: Receiver;
  readonly protocol: OtlpProtocol;
  /** Of the signal. */
  readonly encodings: Encodings<Request>;
  readonly clock: Clock;
  /** The most that the body of a request may have, before compression. */
  readonly maxRequestBytes: number;
}

/**
 * Sends one signal, metrics or logs, to one receiver in requests of a size that it takes.
 *
 * The SDK's own OTLP exporters cannot be used for this. Of a partial success they only write to the diagnostics log;
 * their callback loses status and `Retry-After`; and their transport, which cannot be exchanged, repeats a request on
 * its own for as long as the timeout lasts, so that a caller that remembers what arrived learns late, and never knows how
 * often it did. So this puts the SDK's serializers (what those exporters send, byte for byte) on a transport of
 * our own that tries once. Trying again is up to the caller, who has the data, the order and the time.
 */
export class OtlpExporter<Request> {
  readonly #options: OtlpExporterOptions<Request>;
  readonly #size: RequestSize;

  constructor(options: OtlpExporterOptions<Request>) {
    this.#options = options;
    this.#size = new RequestSize(options.maxRequestBytes);
  }

  /**
   * Sends items in their order, request after request, up to the first that fails; never rejects.
   * The outcome is that of all requests together: `refused` when the receiver refused every one of them.
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

  /** For one request with history: takes its turn and returns 0, or returns the milliseconds to wait for one. */
  takeHistoryTurn(): number {
    return this.#options.receiver.rate.takeTurn();
  }

  /** Ends all connections, also busy ones. */
  close(): Promise<void> {
    return this.#options.transport.close();
  }

  /** Into what one request each is likely to hold. */
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

  /** `too large` only for what can still be divided. */
  async #send<Item>(
    batch: ExportBatch<Item, Request>,
    items: readonly Item[],
    signal: AbortSignal,
  ): Promise<RequestOutcome> {
    const { transport, receiver, protocol, encodings, clock } = this.#options;
    try {
      receiver.assertOpen();
      // Putting requests together must not keep others from the event loop for longer than one takes.
      await yieldToEventLoop();
      signal.throwIfAborted();
      const body = encodings[protocol].encode(batch.toRequest(items));
      this.#size.measured(sum(items, batch.estimateSize), body.length);
      if (items.length > 1 && !this.#size.fits(body.length)) return { kind: "too large", message: "" };
      const answer = await transport.post(body, signal);
      const outcome = parseExportResponse(answer, { protocol, encodings, count: countAll(batch, items) }, clock.now());
      if (outcome.kind === "failed") receiver.hold(outcome.retryAfterMs ?? 0);
      if (outcome.kind !== "too large") return outcome;
      if (items.length === 1) return { ...outcome, kind: "refused" };
      this.#size.refused(body.length);
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

/** Node joins the errors of several addresses (IPv6 and IPv4) in one that says nothing itself. */
function describeFailure(error: unknown): string {
  if (error instanceof UntrustedCertificate || error instanceof WrongFingerprint) {
    const line = `otlp: { tls: { fingerprints: ["${error.seen}"] } }`;
    return `${error.message}; to trust exactly this certificate, if the receiver itself shows the same: ${line}`;
  }
  return describeFault(error instanceof AggregateError && error.message === "" ? error.errors[0] : error);
}

/**
 * Where a request is filled up to. Larger ones save nothing worth having, while putting one together keeps everything
 * else waiting: about 5 ms for this much.
 */
const USUAL_BYTES = 512 * 1024;

/** Room for rows that are wordier than those before. */
const HEADROOM = 0.9;

/** A receiver that finds even this too large means something else. */
const SMALLEST_LIMIT = 16 * 1024;

/** Requests below this say little about the size of points: most of it is the resource. */
const TELLING_BYTES = 8 * 1024;

/**
 * How much goes into one request. What points will take on the wire is estimated from the lengths of their texts (see
 * estimatePointSize) and corrected by what the last request took; the body that was really made is the one that
 * counts, so a wrong estimate costs time, never a limit.
 */
export class RequestSize {
  #limit: number;
  #bytesPerEstimated = 2;

  /** @param maxBytes the most that a body may have, before compression */
  constructor(maxBytes: number) {
    this.#limit = maxBytes;
  }

  fits(bytes: number): boolean {
    return bytes <= this.#limit;
  }

  /** Estimated bytes of the points to put into the next request. */
  get maxEstimate(): number {
    return Math.min(USUAL_BYTES, this.#limit * HEADROOM) / this.#bytesPerEstimated;
  }

  /** Points that were estimated at this size took so many bytes. */
  measured(estimate: number, bytes: number): void {
    if (bytes >= TELLING_BYTES) this.#bytesPerEstimated = bytes / estimate;
  }

  /** The receiver found so many bytes too large: it, or a proxy before it, has a lower limit than the protocol. */
  refused(bytes: number): void {
    this.#limit = Math.max(SMALLEST_LIMIT, Math.floor(Math.min(bytes, this.#limit) / 2));
  }
}
