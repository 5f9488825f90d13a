import type { ErrorCode } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";

/** After these every other request to the server would fail alike. */
const OUT_OF_REACH: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "API_CONNECTION_FAILED",
  "API_PROXY_FAILED",
  "API_PROXY_UNAUTHORIZED",
  "API_TLS_UNTRUSTED",
  "API_TLS_FINGERPRINT",
  "API_TLS_CLIENT_REFUSED",
  "API_TLS_FAILED",
  "API_REDIRECTED",
  "API_WRONG_PORT",
  "API_UNAUTHORIZED",
  "API_LOGIN_FAILED",
  "API_UNAVAILABLE",
  "API_LICENSE_INACTIVE",
]);

/** Whether every other request to the server would fail alike. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof ExporterError && OUT_OF_REACH.has(error.code);
}

/**
 * Reads the parts of a poll one after the other. A part that fails spoils the run but not the other parts, so that one
 * broken list does not cost the user all the rest.
 */
export class PartialPoll {
  readonly #signal: AbortSignal;
  readonly #errors: unknown[] = [];
  #outOfReach = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Undefined when the part failed, or was not tried because the server is out of reach.
   * @throws the signal's reason when it aborts
   */
  async read<Part>(part: () => Promise<Part>): Promise<{ readonly value: Part } | undefined> {
    this.#signal.throwIfAborted();
    if (this.#outOfReach) return undefined;
    try {
      return { value: await part() };
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#errors.push(error);
      this.#outOfReach = isOutOfReach(error);
      return undefined;
    }
  }

  /** @throws what the first failed part threw */
  throwIfFailed(): void {
    this.#signal.throwIfAborted();
    if (this.#errors.length > 0) throw this.#errors[0];
  }
}
