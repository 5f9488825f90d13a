/** A request to the control endpoint that cannot be done, and the status that says so. */
export class ControlError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "ControlError";
    this.status = status;
    this.headers = headers;
  }
}
