import type { IncomingMessage, ServerResponse } from "node:http";
import { onAbort } from "../../lib/clock.ts";
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

/** Builds few pages at a time, and none for clients that disconnected. */
export class ConcurrencyLimit {
  readonly #refused: () => void;
  readonly #queue = new Set<() => void>();
  #active = 0;

  /** @param refused Runs at each 503. */
  constructor(refused: () => void = () => undefined) {
    this.#refused = refused;
  }

  limit(handler: PageHandler): RouteHandler {
    return async (request, response) => {
      const signal = disconnectSignal(response);
      if (!(await this.#enter(signal))) {
        if (signal.aborted) return;
        this.refuse(response);
        return;
      }
      let isMade = false;
      const made = () => {
        if (!isMade) this.#leave();
        isMade = true;
      };
      try {
        await handler(request, response, signal, made);
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error;
      } finally {
        made();
      }
    };
  }

  refuse(...answer: Parameters<typeof respondBusy>): void {
    this.#refused();
    respondBusy(...answer);
  }

  async #enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#active < MAX_AT_ONCE) {
      this.#active++;
      return true;
    }
    if (this.#queue.size >= MAX_QUEUE) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begin = () => resolve(true);
    this.#queue.add(begin);
    const forget = onAbort(signal, () => {
      if (this.#queue.delete(begin)) resolve(false);
    });
    try {
      return await promise;
    } finally {
      forget();
    }
  }

  #leave(): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#active--;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}
