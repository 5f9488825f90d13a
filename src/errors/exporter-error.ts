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
    this.name = "ExporterError";
    this.code = code;
    this.remedy = options.remedy ?? ERROR_CATALOGUE[code].remedy;
  }
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
