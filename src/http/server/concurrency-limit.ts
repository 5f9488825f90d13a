import type { IncomingMessage, ServerResponse } from "node:http";
import { onAbort } from "../../lib/abort.ts";
import { clientGoneSignal } from "./response-lifetime.ts";
import { type RouteHandler, respondBusy } from "./responses.ts";

/**
 * Pages that take work are made so many at a time. Long work takes turns with all other long work, polls among it: with
 * many readers at a time polls would get one turn of many.
 */
const MAX_AT_ONCE = 2;
/** Readers that wait for their turn; more are asked to come again. */
const MAX_WAITING = 16;

/**
 * Makes an answer; `gone` aborts when its reader goes away. `made` lets the next one begin, for answers that are
 * still being sent when they are made: a slow reader does not hold up others.
 */
export type PageHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
  made: () => void,
) => Promise<void>;

/** Lets few pages that take work be made at a time, and none for readers that have gone. */
export class ConcurrencyLimit {
  readonly #refused: () => void;
  readonly #waiting = new Set<() => void>();
  #active = 0;

  /** `refused` is called for each request that is answered 503. */
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

  /** False when the reader has gone, or too many wait. */
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

  /** The next one that waits takes the place. */
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
