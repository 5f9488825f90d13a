import type { IncomingMessage, ServerResponse } from "node:http";
import { onAbort } from "../../lib/abort.ts";
import { clientGoneSignal } from "./response-lifetime.ts";
import { type RouteHandler, respondBusy } from "./responses.ts";

/** Pages that take work, so that polls get their turns of the event loop. */
const MAX_AT_ONCE = 2;
/** Readers; others come again. */
const MAX_WAITING = 16;

/**
 * `gone` aborts when the reader leaves. `made` lets the next one begin while the answer is sent: a slow reader holds up
 * nobody.
 */
export type PageHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
  made: () => void,
) => Promise<void>;

/** Few pages at a time, and none for readers that left. */
export class ConcurrencyLimit {
  readonly #refused: () => void;
  readonly #waiting = new Set<() => void>();
  #active = 0;

  /** `refused`: at each 503. */
  constructor(refused: () => void = () => undefined) {
    this.#refused = refused;
  }

  limit(handler: PageHandler): RouteHandler {
    return async (request, response) => {
      const gone = clientGoneSignal(response);
      if (!(await this.#enter(gone))) {
        if (gone.aborted) return;
        this.refuse(response);
        return;
      }
      let isMade = false;
      const made = () => {
        if (!isMade) this.#leave();
        isMade = true;
      };
      try {
        await handler(request, response, gone, made);
      } catch (error) {
        if (!gone.aborted || error !== gone.reason) throw error;
      } finally {
        made();
      }
    };
  }

  /** Answers 503 and counts it. Takes the arguments of `respondBusy`. */
  refuse(...answer: Parameters<typeof respondBusy>): void {
    this.#refused();
    respondBusy(...answer);
  }

  /** False when the reader left, or too many wait. */
  async #enter(gone: AbortSignal): Promise<boolean> {
    if (gone.aborted) return false;
    if (this.#active < MAX_AT_ONCE) {
      this.#active++;
      return true;
    }
    if (this.#waiting.size >= MAX_WAITING) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begin = () => resolve(true);
    this.#waiting.add(begin);
    const forget = onAbort(gone, () => {
      if (this.#waiting.delete(begin)) resolve(false);
    });
    try {
      return await promise;
    } finally {
      forget();
    }
  }

  /** The next one takes the place. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#active--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
