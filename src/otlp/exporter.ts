import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { describeFault } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { DeliveryOutcome } from "../sync/measurement.ts";
import { judgeAnswer, type Verdict } from "./answer.ts";
import { ENCODINGS, type OtlpProtocol } from "./encoding.ts";
import { RequestSize } from "./request-size.ts";
import type { OtlpTransport } from "./transport.ts";

/** What is final: the receiver has the points, but for those it refused. */
export type Settlement = Extract<DeliveryOutcome, { readonly kind: "accepted" | "refused" }>;

/** Things to send, each of which travels in one request. */
export interface Shipment<Parcel> {
  /** Taken one by one, so that no more of them need to be there than one request holds. */
  readonly parcels: Iterable<Parcel>;
  /** See RequestSize. */
  readonly weigh: (parcel: Parcel) => number;
  /** Data points in it. */
  readonly count: (parcel: Parcel) => number;
  readonly pack: (parcels: readonly Parcel[]) => ResourceMetrics;
  readonly settled: (parcels: readonly Parcel[], settlement: Settlement) => void;
  readonly failed: (parcels: readonly Parcel[]) => void;
}

export interface OtlpExporterOptions {
  readonly transport: OtlpTransport;
  readonly protocol: OtlpProtocol;
  readonly clock: Clock;
  /** The most that the body of a request may have, before compression. */
  readonly maxRequestBytes: number;
}

/**
 * Sends metrics to one receiver in requests of a size that it takes.
 *
 * The SDK's own OTLP exporters cannot be used for this. Of a partial success they only write to the diagnostics log;
 * their callback loses status and `Retry-After`; and their transport, which cannot be exchanged, repeats a request on
 * its own for as long as the timeout lasts, so that a caller with a watermark learns late, and never knows how often
 * its points arrived. So this puts the SDK's serializers (what those exporters send, byte for byte) on a transport of
 * our own that tries once. Trying again is up to the caller, who has the points, the order and the time.
 */
export class OtlpExporter {
  readonly #options: OtlpExporterOptions;
  readonly #size: RequestSize;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
    this.#size = new RequestSize(options.maxRequestBytes);
  }

  /**
   * Sends parcels in their order, request after request, up to the first that fails; never rejects.
   * The outcome is that of all requests together: `refused` when the receiver refused every one of them.
   */
  async ship<Parcel>(shipment: Shipment<Parcel>, signal: AbortSignal): Promise<DeliveryOutcome> {
    try {
      return await this.#ship(shipment, signal);
    } catch (error) {
      return { kind: "failed", retryAfterMs: undefined, message: describeFailure(error) };
    }
  }

  async #ship<Parcel>(shipment: Shipment<Parcel>, signal: AbortSignal): Promise<DeliveryOutcome> {
    const result = { accepted: 0, refused: 0, rejectedPoints: 0, message: "" };
    for (const batch of this.#batches(shipment)) {
      const waiting = [batch];
      for (let parcels = waiting.shift(); parcels !== undefined; parcels = waiting.shift()) {
        const verdict = await this.#send(shipment, parcels, signal);
        if (verdict.kind === "too large") {
          waiting.unshift(...halves(parcels));
          continue;
        }
        if (verdict.kind === "failed") {
          shipment.failed(parcels);
          return verdict;
        }
        shipment.settled(parcels, verdict);
        result[verdict.kind]++;
        result.rejectedPoints += verdict.kind === "accepted" ? verdict.rejectedPoints : countAll(shipment, parcels);
        if (verdict.message !== "") result.message = verdict.message;
      }
    }
    const { accepted, refused, rejectedPoints, message } = result;
    return accepted === 0 && refused > 0 ? { kind: "refused", message } : { kind: "accepted", rejectedPoints, message };
  }

  /** Ends all connections, also busy ones. */
  close(): Promise<void> {
    return this.#options.transport.close();
  }

  *#batches<Parcel>({ parcels, weigh }: Shipment<Parcel>): Generator<readonly Parcel[]> {
    let batch: Parcel[] = [];
    let weight = 0;
    for (const parcel of parcels) {
      const added = weigh(parcel);
      if (batch.length > 0 && weight + added > this.#size.weight) {
        yield batch;
        batch = [];
        weight = 0;
      }
      batch.push(parcel);
      weight += added;
    }
    if (batch.length > 0) yield batch;
  }

  /** `too large` only for what can still be divided. */
  async #send<Parcel>(shipment: Shipment<Parcel>, parcels: readonly Parcel[], signal: AbortSignal): Promise<Verdict> {
    const { transport, protocol, clock } = this.#options;
    try {
      // Putting requests together must not keep others from the event loop for longer than one takes.
      await yieldToEventLoop();
      signal.throwIfAborted();
      const body = ENCODINGS[protocol].encode(shipment.pack(parcels));
      this.#size.measured(sum(parcels, shipment.weigh), body.length);
      if (parcels.length > 1 && !this.#size.fits(body.length)) return { kind: "too large", message: "" };
      const answer = await transport.post(body, signal);
      const verdict = judgeAnswer(answer, protocol, countAll(shipment, parcels), clock.now());
      if (verdict.kind !== "too large") return verdict;
      if (parcels.length === 1) return { ...verdict, kind: "refused" };
      this.#size.refused(body.length);
      return verdict;
    } catch (error) {
      return { kind: "failed", retryAfterMs: undefined, message: describeFailure(error) };
    }
  }
}

function halves<Parcel>(parcels: readonly Parcel[]): [readonly Parcel[], readonly Parcel[]] {
  const middle = Math.ceil(parcels.length / 2);
  return [parcels.slice(0, middle), parcels.slice(middle)];
}

function countAll<Parcel>({ count }: Shipment<Parcel>, parcels: readonly Parcel[]): number {
  return sum(parcels, count);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Node joins the errors of several addresses (IPv6 and IPv4) in one that says nothing itself. */
function describeFailure(error: unknown): string {
  return describeFault(error instanceof AggregateError && error.message === "" ? error.errors[0] : error);
}
