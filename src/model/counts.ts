import { Rows } from "./rows.ts";

/** A number that the server counts itself, or that is counted from its lists. */
export interface Count {
  /** Of no other count of the server. */
  readonly row: number;
  /** Status, or kind of object. */
  readonly name: string;
  readonly count: number;
  /** Monotonic ms. */
  readonly until: number;
}

/** Counts by name, in the order in which they came first. */
export class Counts {
  readonly #rows = new Rows();
  readonly #counts = new Map<string, Count>();

  [Symbol.iterator](): Iterator<Count> {
    return this.#counts.values();
  }

  set(name: string, count: number, until: number): Count {
    const row = this.#counts.get(name)?.row ?? this.#rows.take();
    const told = { row, name, count, until };
    this.#counts.set(name, told);
    return told;
  }

  /** Forgets those whose name `isKept` refuses, and returns them. Their rows may be others' from the next `set` on. */
  retain(isKept: (name: string) => boolean): readonly Count[] {
    const gone = [...this.#counts.values()].filter(({ name }) => !isKept(name));
    for (const { name, row } of gone) {
      this.#counts.delete(name);
      this.#rows.release(row);
    }
    return gone;
  }
}
