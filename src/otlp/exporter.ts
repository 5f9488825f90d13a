import { deliver, type Verdict } from "../delivery/round.ts";
import { describeFault } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { UntrustedCertificate, WrongFingerprint } from "../lib/http/tls.ts";
import { RETRIES, retryDelayMs } from "../lib/retry-delay.ts";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { Encodings } from "./encoding.ts";
import type { OtlpProtocol } from "./environment.ts";
import { type ExportOutcome, parseExportResponse, type RequestOutcome } from "./export-response.ts";
import { type OtlpTransport, type Receiver, ReceiverHeld } from "./receivers.ts";

/** The receiver will not change its mind. */
export type FinalOutcome =
  /** It accepted the items, but rejected `rejected` points permanently. */
  | { readonly kind: "accepted"; readonly rejected: number; readonly message: string }
  /** It rejected the items, and accepted something else after that. */
  | { readonly kind: "refused"; readonly message: string };

/** Items that each fit into one request. */
export interface ExportBatch<Item, Request> {
  /** Read one by one, so that only those of one request are in memory. */
  readonly items: Iterable<Item>;
  /** Estimated bytes on the wire. */
  readonly estimateSize: (item: Item) => number;
  readonly count: (item: Item) => number;
  readonly toRequest: (items: readonly Item[]) => Request;
  /** Called after each request. */
  readonly settled: (items: readonly Item[], outcome: FinalOutcome) => void;
  /** Called for each request that failed, or that showed an outage. */
  readonly failed: (items: readonly Item[]) => void;
  /** The order in which items are sent again after a refusal. Default: unchanged. */
  readonly compare?: (a: Item, b: Item) => number;
  /** Makes a request that any working receiver accepts. */
  readonly probe: (nowMs: number) => Request;
}

export interface OtlpExporterOptions<Request> {
  readonly transport: OtlpTransport;
  readonly receiver: Receiver;
  readonly protocol: OtlpProtocol;
  readonly encodings: Encodings<Request>;
  readonly clock: Clock;
  readonly maxRequestBytes: number;
  /** Pause before the second retry of a request. Doubles with each one. */
  readonly retryPauseMs: number;
}

interface ExportSignals {
  /** Ends the request under way. */
  readonly signal: AbortSignal;
  /** No further request begins. */
  readonly stop: AbortSignal | undefined;
}

/**
 * Sends one signal (metrics or logs) to one receiver in requests of a size that it accepts.
 * Does not use the SDK's OTLP exporters, because they only log a partial success, hide status and `Retry-After`, and
 * retry by themselves. Uses their serializers. Retries a request for some seconds. The caller retries what is not settled.
 */
export class OtlpExporter<Request> {
  readonly #options: OtlpExporterOptions<Request>;
  readonly #size: RequestSize;

  constructor(options: OtlpExporterOptions<Request>) {
    this.#options = options;
    this.#size = new RequestSize(options.maxRequestBytes);
  }

  /** Sends items in order until the receiver accepts nothing. Never rejects. */
  async export<Item>(
    batch: ExportBatch<Item, Request>,
    signal: AbortSignal,
    stop?: AbortSignal,
  ): Promise<ExportOutcome> {
    try {
      return await this.#export(batch, { signal, stop });
    } catch (error) {
      return { kind: "failed", retryAfterMs: undefined, message: describeFailure(error) };
    }
  }

  async #export<Item>(batch: ExportBatch<Item, Request>, signals: ExportSignals): Promise<ExportOutcome> {
    const result = { rejected: 0, message: "" };
    let last: RequestOutcome = NOTHING_TO_SEND;
    let refusal = "";
    const round = deliver<Item>({
      parts: this.#split(batch),
      compare: batch.compare,
      settle: (items, verdict) => {
        const outcome: FinalOutcome =
          verdict === "accepted" && last.kind === "accepted" ? last : { kind: "refused", message: refusal };
        batch.settled(items, outcome);
        result.rejected += outcome.kind === "accepted" ? outcome.rejected : sum(items, batch.count);
        if (outcome.message !== "") result.message = outcome.message;
      },
    });
    let items: readonly Item[] = [];
    for (let step = round.next(); ; ) {
      if (step.done && step.value === "done") return { kind: "accepted", ...result };
      if (step.done) break;
      const { value } = step;
      await this.#pause(value.failures, signals);
      if (value.kind === "send") ({ items } = value);
      const began = this.#options.clock.monotonic();
      last = value.kind === "send" ? await this.#send(batch, items, signals) : await this.#probe(batch, signals);
      if (last.kind === "failed" && last.isHeld !== true) batch.failed(items);
      if (last.kind === "refused" || last.kind === "too large") refusal = last.message;
      if (last.kind === "accepted" && last !== NOTHING_TO_SEND && value.kind === "send") this.#size.confirm();
      const isSlow = this.#options.clock.monotonic() - began > QUICK_FAILURE_MS;
      const isProbeRejected = value.kind === "probe" && last.kind === "accepted" && last.rejected > 0;
      const verdict = isProbeRejected ? "refused" : verdictOf(last, isSlow || signals.signal.aborted);
      step = round.next(last === NOTHING_TO_SEND ? "empty" : verdict);
    }
    this.#size.forgetUnconfirmed();
    if (last.kind === "failed") return last;
    batch.failed(items);
    return { kind: "failed", retryAfterMs: undefined, message: refusal };
  }

  async #pause(failures: number, { signal, stop }: ExportSignals): Promise<void> {
    // Another instance of the receiver may answer at once.
    if (failures <= 1) return;
    const either = stop === undefined ? signal : AbortSignal.any([signal, stop]);
    const { clock, retryPauseMs } = this.#options;
    const policy = { ...RETRIES.otlpRequest, firstMs: retryPauseMs };
    await clock.sleep(retryDelayMs(policy, failures - 1), either).catch(() => undefined);
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

  async #send<Item>(
    batch: ExportBatch<Item, Request>,
    items: readonly Item[],
    signals: ExportSignals,
  ): Promise<RequestOutcome> {
    const count = sum(items, batch.count);
    if (count === 0) return NOTHING_TO_SEND;
    return await this.#post(
      () => {
        const { protocol, encodings } = this.#options;
        const body = encodings[protocol].encode(batch.toRequest(items));
        this.#size.calibrate(sum(items, batch.estimateSize), body.length);
        return items.length === 1 || this.#size.fits(body.length) ? body : undefined;
      },
      count,
      signals,
    );
  }

  async #probe<Item>({ probe }: ExportBatch<Item, Request>, signals: ExportSignals): Promise<RequestOutcome> {
    const { clock, protocol, encodings } = this.#options;
    return await this.#post(() => encodings[protocol].encode(probe(clock.now())), 1, signals);
  }

  /** @param encode Returns `undefined` for a body that must be divided. */
  async #post(
    encode: () => Uint8Array | undefined,
    count: number,
    { signal, stop }: ExportSignals,
  ): Promise<RequestOutcome> {
    const { transport, receiver, protocol, encodings, clock } = this.#options;
    try {
      if (stop?.aborted === true) return NO_TIME_LEFT;
      receiver.assertOpen();
      // Encoding must not block the event loop for longer than one request takes.
      await yieldToEventLoop();
      signal.throwIfAborted();
      const body = encode();
      if (body === undefined) return { kind: "too large", message: "" };
      const answer = await transport.post(body, signal);
      const outcome = parseExportResponse(answer, { protocol, encodings, count }, clock.now());
      if (outcome.kind === "failed") receiver.hold(outcome.retryAfterMs ?? 0);
      if (outcome.kind === "too large") this.#size.reduce(body.length);
      return outcome;
    } catch (error) {
      if (error instanceof ReceiverHeld) {
        return { kind: "failed", retryAfterMs: error.retryAfterMs, message: error.message, isHeld: true };
      }
      return { kind: "failed", retryAfterMs: undefined, message: describeFailure(error) };
    }
  }
}

/** A receiver that takes longer to fail is not merely shedding load. */
const QUICK_FAILURE_MS = 1_000;

function verdictOf(outcome: RequestOutcome, isHeld: boolean): Verdict {
  if (outcome.kind !== "failed") return outcome.kind;
  return isHeld || outcome.isHeld === true || outcome.retryAfterMs !== undefined ? "held" : "failed";
}

const NOTHING_TO_SEND: RequestOutcome = { kind: "accepted", rejected: 0, message: "" };

const NO_TIME_LEFT: RequestOutcome = {
  kind: "failed",
  retryAfterMs: undefined,
  message: "no time left for another request",
  isHeld: true,
};

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

/** Smaller requests would take too long. Items are divided further if the receiver refuses this, too. */
const SMALLEST_LIMIT = 16 * 1024;

/** Smaller requests consist mostly of their resource. */
const TELLING_BYTES = 8 * 1024;

/**
 * Decides how much goes into one request. Corrects the estimates with the size of the last body. A wrong estimate costs
 * time, but never exceeds the limit.
 */
export class RequestSize {
  #limit: number;
  /** The limit of the last accepted request. */
  #confirmed: number;
  #bytesPerEstimated = 2;

  constructor(maxBytes: number) {
    this.#limit = maxBytes;
    this.#confirmed = maxBytes;
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

  /** The receiver accepted a request. */
  confirm(): void {
    this.#confirmed = this.#limit;
  }

  /** The receiver refuses all sizes, so this is not about the size. */
  forgetUnconfirmed(): void {
    this.#limit = this.#confirmed;
  }
}
