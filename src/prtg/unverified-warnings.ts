import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";

const EVERY_MS = 24 * 60 * 60_000;

/**
 * Says again each day that nobody checks who the server is: logs are rotated, and what was said at the start is forgotten.
 */
export class UnverifiedWarnings {
  readonly #clock: Clock;
  readonly #log: Logger;
  #saidAt: number;

  /** Whoever sets the switch in force says it the first time. */
  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
    this.#saidAt = clock.monotonic();
  }

  /** To be called at each request. */
  requested(): void {
    const now = this.#clock.monotonic();
    if (now - this.#saidAt < EVERY_MS) return;
    this.#saidAt = now;
    this.#log.warn("tls.insecure_skip_verify is still set: the certificate of the server is not checked");
  }
}
