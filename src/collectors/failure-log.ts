import type { Logger } from "pino";
import { describeError, ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { ApiError } from "../prtg/api-error.ts";
import { isOfServer } from "../prtg/request/circuit-breaker.ts";
import { failureFields, isOutOfReach } from "./failures.ts";

const REMIND_EVERY_MS = 10 * 60_000;

/** Logs a failure at its start, if another kind joins in, every ten minutes, and at its end. */
export class FailureLog {
  readonly #log: Logger;
  readonly #what: string;
  readonly #failures: LogOnChange;
  #hasLine = false;

  /** `what` begins each line: "collector tree". */
  constructor(what: string, log: Logger, clock: Clock) {
    this.#what = what;
    this.#log = log;
    this.#failures = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => clock.monotonic() });
  }

  get isOngoing(): boolean {
    return this.#failures.isOngoing;
  }

  knows(error: unknown): boolean {
    const kind = failureKind(error);
    return kind !== undefined && this.#failures.knows(kind);
  }

  recordFailure(error: unknown): void {
    const occasion = this.#failures.record(failureKind(error));
    const fields = failureFields(error);
    const text = lineText(error);
    if (occasion !== undefined) this.#hasLine = true;
    if (occasion === undefined) this.#log.debug(fields, `${this.#what} failed again: ${text}`);
    else if (occasion.isNew) this.#log.error(fields, `${this.#what} failed: ${text}`);
    else this.#log.warn(fields, `${this.#what} still fails, ${occasion.times} times so far: ${text}`);
  }

  /** Another log has the line. */
  countFailure(error: unknown): void {
    this.#failures.record(failureKind(error));
    this.#log.debug(failureFields(error), `${this.#what} failed: ${lineText(error)}`);
  }

  recordSuccess(): void {
    const failures = this.#failures.over();
    if (this.#hasLine) this.#log.info(`${this.#what} works again after ${times(failures)}`);
    this.#hasLine = false;
  }
}

/** The failure logs of one server. A failure of the whole server has one line, however many readings it stops. */
export class ServerFailureLogs {
  /** @param what See `FailureLog`. */
  readonly open: (what: string) => ReadingFailureLog;

  constructor(log: Logger, clock: Clock) {
    const server = new FailureLog("reading the server", log, clock);
    this.open = (what) => new ReadingFailureLog(new FailureLog(what, log, clock), server);
  }
}

/** Failures of a collector, or of another reading of a server. */
export class ReadingFailureLog {
  readonly #own: FailureLog;
  readonly #server: FailureLog;

  constructor(own: FailureLog, server: FailureLog) {
    this.#own = own;
    this.#server = server;
  }

  recordFailure(error: unknown): void {
    const failure = serverFailure(error);
    // If other readings work meanwhile, it concerns only this one.
    if (failure === undefined || (this.#own.knows(failure) && !this.#server.isOngoing)) {
      this.#own.recordFailure(error);
    } else {
      this.#own.countFailure(failure);
      this.#server.recordFailure(failure);
    }
  }

  /** @param isProof The server answered a request with credentials. */
  recordSuccess(isProof = true): void {
    if (isProof || this.#own.isOngoing) this.#server.recordSuccess();
    this.#own.recordSuccess();
  }
}

function times(failures: number): string {
  return failures === 1 ? "one failure" : `${failures} failures`;
}

/** The failure of the server as a whole; `undefined` if only this reading failed. */
function serverFailure(error: unknown): ExporterError | undefined {
  if (!(error instanceof ExporterError)) return undefined;
  const failure = error.code === "API_SUSPENDED" && error.cause instanceof ApiError ? error.cause : error;
  const isOfAll = isOutOfReach(failure) || failure.code === "API_RATE_LIMITED";
  return isOfAll || (failure instanceof ApiError && isOfServer(failure)) ? failure : undefined;
}

/** `undefined` if requests are suspended because of earlier failures, which the log has. */
function failureKind(error: unknown): string | undefined {
  if (!(error instanceof ExporterError)) return String(error);
  if (error.code === "API_SUSPENDED") return undefined;
  // Each endpoint of an unreachable server has the same cause.
  return error instanceof ApiError && serverFailure(error) === undefined
    ? `${error.code} ${error.endpoint}`
    : error.code;
}

/** The line has endpoint and code as fields. */
function lineText(error: unknown): string {
  const text = describeError(error);
  if (!(error instanceof ApiError)) return text;
  const prefix = `${error.endpoint}: `;
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return rest.replace(new RegExp(`\\.? \\[${error.code}\\]`), ".");
}
