import type { Logger } from "pino";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { ApiError } from "../prtg/api-error.ts";

const REMIND_EVERY_MS = 10 * 60_000;

/**
 * Logs a failure when it begins and when another kind of it joins in, then every ten minutes, and says when it is
 * over.
 */
export class FailureLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #what: string;
  /** Kinds met since it last worked: an outage often shows two faces in turn. */
  readonly #kinds = new Set<string>();
  #failures = 0;
  #loggedAt = 0;

  /** `what` begins each line: "collector tree". */
  constructor(what: string, log: Logger, clock: Clock) {
    this.#what = what;
    this.#log = log;
    this.#clock = clock;
  }

  failed(error: unknown): void {
    const kind = failureKind(error);
    // Requests are held back because of failures that were logged.
    const isNew = !this.#kinds.has(kind) && !(kind.startsWith("API_SUSPENDED") && this.#failures > 0);
    this.#kinds.add(kind);
    this.#failures++;
    const fields = failureFields(error);
    const now = this.#clock.monotonic();
    if (isNew) this.#log.error(fields, `${this.#what} failed: ${describeError(error)}`);
    else if (now - this.#loggedAt >= REMIND_EVERY_MS) {
      this.#log.warn(fields, `${this.#what} still fails, ${this.#failures} times so far: ${describeError(error)}`);
    } else {
      this.#log.debug(fields, `${this.#what} failed again: ${describeError(error)}`);
      return;
    }
    this.#loggedAt = now;
  }

  worked(): void {
    if (this.#failures > 0) this.#log.info(`${this.#what} works again after ${times(this.#failures)}`);
    this.#kinds.clear();
    this.#failures = 0;
  }
}

function times(failures: number): string {
  return failures === 1 ? "one failure" : `${failures} failures`;
}

function failureKind(error: unknown): string {
  if (error instanceof ApiError) return `${error.code} ${error.endpoint}`;
  return error instanceof ExporterError ? error.code : String(error);
}

/** What finds the request in the server's logs, and an unforeseen error in ours. */
export function failureFields(error: unknown): Record<string, unknown> {
  if (error instanceof ApiError) return { code: error.code, endpoint: error.endpoint, request_id: error.requestId };
  if (error instanceof ExporterError) return { code: error.code };
  return { stack: error instanceof Error ? error.stack : undefined };
}
