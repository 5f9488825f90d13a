/** What is wrong with a filter, and where. The only error that the parts of this folder throw. */
export class FilterError extends Error {
  readonly code: "INVALID_FILTER" | "INVALID_DURATION";
  /** Character of the filter the complaint is about, counted from 1. */
  readonly position: number;

  constructor(code: "INVALID_FILTER" | "INVALID_DURATION", complaint: string, offset: number) {
    const subject = code === "INVALID_FILTER" ? "Filter is invalid" : "Duration is invalid";
    super(`${subject}: ${complaint} at position ${offset + 1}`);
    this.name = "FilterError";
    this.code = code;
    this.position = offset + 1;
  }
}

export function invalidFilter(complaint: string, offset: number): FilterError {
  return new FilterError("INVALID_FILTER", complaint, offset);
}

export function invalidDuration(complaint: string, offset: number): FilterError {
  return new FilterError("INVALID_DURATION", complaint, offset);
}

/** As much of a text as a message can quote. */
export function excerpt(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}...`;
}
