import type { Logger } from "pino";

/** Pairs of a list that are named. */
const MAX_NAMED = 10;
/** Pairs that the log names before it goes quiet. */
const MAX_LOGGED = 100;

/** Two records of one list with the same id. */
export interface Duplicate {
  readonly id: string;
  readonly shown: string;
  readonly leftOut: string;
}

/** Records of one list that have the id of an earlier record. */
export class Duplicates {
  readonly #named: Duplicate[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The first ones. */
  get named(): readonly Duplicate[] {
    return this.#named;
  }

  add(duplicate: Duplicate): void {
    this.#count++;
    if (this.#named.length < MAX_NAMED) this.#named.push(duplicate);
  }
}

/** Logs each pair of records with the same id once. */
export class DuplicateLog {
  readonly #log: Logger;
  readonly #logged = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  report(endpoint: string, duplicates: Duplicates): void {
    for (const { id, shown, leftOut } of duplicates.named) {
      const pair = JSON.stringify([endpoint, id, shown, leftOut]);
      if (this.#logged.has(pair) || this.#logged.size >= MAX_LOGGED) continue;
      this.#logged.add(pair);
      this.#log.warn(
        { endpoint, id, shown, left_out: leftOut },
        "two records of a list have the same id: only the first one is shown",
      );
    }
  }
}
