import { ERROR_CATALOGUE, type ErrorCode } from "./catalogue.ts";

export interface ErrorOptionsWithRemedy extends ErrorOptions {
  /** Replaces the catalogue's. */
  remedy?: string;
}

/** `code` is stable. `message` says what happened, `remedy` what to do. */
export class ExporterError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;

  constructor(code: ErrorCode, message: string, options: ErrorOptionsWithRemedy = {}) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.remedy = options.remedy ?? ERROR_CATALOGUE[code].remedy;
    for (let error: unknown = this; error instanceof Error; error = error.cause) releaseFrames(error);
  }
}

/** V8 formats the stack on first use. Before that, the error keeps alive everything its frames refer to, such as a whole list. */
function releaseFrames(error: Error): void {
  void error.stack;
}

/** What happened, its causes and the remedy, in one line. */
export function describeError(error: unknown): string {
  const fault = describeFault(error);
  return error instanceof ExporterError ? `${fault} ${error.remedy}` : fault;
}

/** `describeError` without the remedy. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    if (cause.message !== "" && !error.message.includes(cause.message)) causes.push(cause.message);
  }
  const text = [error.message, ...causes].join(": ");
  return error instanceof ExporterError ? `${text} [${error.code}]` : text;
}
