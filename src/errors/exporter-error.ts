import { ERROR_CATALOGUE, type ErrorCode } from "./catalogue.ts";

export interface ErrorOptionsWithRemedy extends ErrorOptions {
  /** Overrides the catalogue's remedy where the place knows better. */
  remedy?: string;
}

/** An error of the catalogue: `code` is stable, `message` says what happened here, `remedy` what to do. */
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

/**
 * V8 makes the text of a stack when it is first asked for, and until then the error keeps alive what its frames refer to:
 * the error of a list that is too large would keep that list for as long as the poll lasts.
 */
function releaseFrames(error: Error): void {
  void error.stack;
}

/** One line for people: what happened, the chain of causes, and the remedy. */
export function describeError(error: unknown): string {
  const fault = describeFault(error);
  return error instanceof ExporterError ? `${fault} ${error.remedy}` : fault;
}

/** The same without the remedy, for those who show that elsewhere. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    if (cause.message !== "" && !error.message.includes(cause.message)) causes.push(cause.message);
  }
  const text = [error.message, ...causes].join(": ");
  return error instanceof ExporterError ? `${text} [${error.code}]` : text;
}
