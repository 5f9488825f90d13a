import type { Dispatcher } from "undici";
import { onAbort } from "../abort.ts";
import type { ResponseHeaders } from "./headers.ts";

/** Takes an answer while it arrives. What it throws ends the exchange, which rejects with just that. */
export interface AnswerTaker {
  /** Whether `head` was called. */
  readonly hasBegun: boolean;
  /** An interim answer (1xx) has come. */
  interim(): void;
  head(statusCode: number, statusText: string, headers: ResponseHeaders): void;
  /** No further chunk comes before the promise has resolved, if there is one; but those that are left where the connection has ended. */
  data(chunk: Buffer): Promise<void> | undefined;
  /** The rest is not wanted: the exchange resolves, and its connection ends. */
  readonly isEnough: boolean;
}

const NOT_WANTED = new Error("the rest of the answer is not wanted");

/**
 * One request and its answer, handed on as undici reads it. By `request` of undici each body would be a stream, and what reads it an
 * asynchronous iteration: with hundreds of servers and their small answers that takes a quarter of the time of a request.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Resolves when the answer is complete or enough; rejects with the reason of the signal, and with what went wrong. */
  readonly ended: Promise<void>;
  readonly #taker: AnswerTaker;
  readonly #signal: AbortSignal;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  readonly #forgetSignal: () => void;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(taker: AnswerTaker, signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#taker = taker;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#forgetSignal = onAbort(signal, () => this.#abort());
  }

  #abort(): void {
    // Before it has a connection there is nothing to end: see `onRequestStart`.
    this.#controller?.abort(this.#signal.reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: ResponseHeaders,
    statusText = "",
  ): void {
    if (statusCode < 200) this.#taker.interim();
    else this.#taker.head(statusCode, statusText, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Such one, after a pause, is a buffer of undici's own, which is used again.
    if (chunk.length === 0) return;
    const turn = this.#taker.data(chunk);
    if (this.#taker.isEnough) {
      this.#end(this.#resolve);
      controller.abort(NOT_WANTED);
    } else if (turn !== undefined) {
      controller.pause();
      turn.then(
        () => controller.resume(),
        (error) => controller.abort(error),
      );
    }
  }

  onResponseEnd(): void {
    this.#end(this.#resolve);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    this.#end(() => this.#reject(error));
  }

  #end(settle: () => void): void {
    this.#forgetSignal();
    settle();
  }
}
