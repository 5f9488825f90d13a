import type { IncomingMessage, ServerResponse } from "node:http";
import { FairQueue } from "./fair-queue.ts";
import { disconnectSignal } from "./response-lifetime.ts";
import { type RouteHandler, respondBusy } from "./responses.ts";

/** Leaves turns of the event loop to polls. */
const MAX_AT_ONCE = 2;
const MAX_QUEUE = 16;

/** `signal` aborts if the client disconnects. `made` frees the place while the response is sent, so a slow reader does not block others. */
export type PageHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
  made: () => void,
) => Promise<void>;

export class TooManyPages extends Error {
  constructor() {
    super("the exporter is already creating too many pages");
  }
}

/** Builds few pages at a time, and none for clients that disconnected. */
export class ConcurrencyLimit {
  readonly #refused: () => void;
  readonly #turns = new FairQueue({ atOnce: MAX_AT_ONCE, max: MAX_AT_ONCE + MAX_QUEUE });

  /** @param refused Runs at each 503. */
  constructor(refused: () => void = () => undefined) {
    this.#refused = refused;
  }

  limit(handler: PageHandler): RouteHandler {
    return async (request, response) => {
      const signal = disconnectSignal(response);
      // All readers share one queue.
      const made = await this.#turns.take("", signal);
      if (made === undefined) {
        if (!signal.aborted) this.refuse(response);
        return;
      }
      try {
        await handler(request, response, signal, made);
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error;
      } finally {
        made();
      }
    };
  }

  /** For work that answers by itself. Rejects with the reason of `signal`, or with `TooManyPages` if the queue is full. */
  async turn<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const made = await this.#turns.take("", signal);
    if (made === undefined) {
      signal.throwIfAborted();
      this.#refused();
      throw new TooManyPages();
    }
    try {
      return await work();
    } finally {
      made();
    }
  }

  refuse(...answer: Parameters<typeof respondBusy>): void {
    this.#refused();
    respondBusy(...answer);
  }
}
