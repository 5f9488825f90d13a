import type { Logger } from "pino";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { ApiError } from "../prtg/api-error.ts";

const REMIND_EVERY_MS = 10 * 60_000;

/**
 * Logs a failure when it begins and when another kind of it joins in, then every ten minutes, and says when it is
 * over.
 */
export class FailureLog {
  readonly #log: Logger;
  readonly #what: string;
  readonly #failures: LogOnChange;

  /** `what` begins each line: "collector tree". */
  constructor(what: string, log: Logger, clock: Clock) {
    this.#what = what;
    this.#log = log;
    this.#failures = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => clock.monotonic() });
  }

  failed(error: unknown): void {
    const occasion = this.#failures.record(failureKind(error));
    const fields = failureFields(error);
    const text = describeError(error);
    if (occasion === undefined) this.#log.debug(fields, `${this.#what} failed again: ${text}`);
    else if (occasion.isNew) this.#log.error(fields, `${this.#what} failed: ${text}`);
    else this.#log.warn(fields, `${this.#what} still fails, ${occasion.times} times so far: ${text}`);
  }

  worked(): void {
    const failures = this.#failures.over();
    if (failures > 0) this.#log.info(`${this.#what} works again after ${times(failures)}`);
  }
}

function times(failures: number): string {
  return failures === 1 ? "one failure" : `${failures} failures`;
}

/** Undefined where requests are held back because of failures that were logged. */
function failureKind(error: unknown): string | undefined {
  if (error instanceof ApiError && error.code === "API_SUSPENDED") return undefined;
  if (error instanceof ApiError) return `${error.code} ${error.endpoint}`;
  return error instanceof ExporterError ? error.code : String(error);
}

/** What finds the request in the server's logs, and an unforeseen error in ours. */
export function failureFields(error: unknown): Record<string, unknown> {
  if (error instanceof ApiError) return { code: error.code, endpoint: error.endpoint, request_id: error.requestId };
  if (error instanceof ExporterError) return { code: error.code };
  return { stack: error instanceof Error ? error.stack : undefined };
}
