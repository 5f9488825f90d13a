import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";

/** Sensors per status, updated with each change. */
export class StatusTally {
  readonly #counts = new Uint32Array(STATUS_TOKENS.length);

  /** `undefined` counts as `unknown`. */
  add(status: StatusToken | undefined): void {
    this.#change(status, 1);
  }

  remove(status: StatusToken | undefined): void {
    this.#change(status, -1);
  }

  move(before: StatusToken | undefined, after: StatusToken | undefined): void {
    this.remove(before);
    this.add(after);
  }

  counts(): ReadonlyMap<StatusToken, number> {
    const counts = new Map<StatusToken, number>();
    for (const [code, token] of STATUS_TOKENS.entries()) {
      const count = this.#counts[code] ?? 0;
      if (count > 0) counts.set(token, count);
    }
    return counts;
  }

  #change(status: StatusToken | undefined, by: number): void {
    const code = statusCode(status ?? "unknown");
    this.#counts[code] = (this.#counts[code] ?? 0) + by;
  }
}
