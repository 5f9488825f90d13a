export interface LogOnChangeOptions {
  /** Which kinds are not news: all since it began (outages often alternate), or only the last one. */
  readonly knows?: "all" | "last";
  readonly remindEveryMs?: number;
  /** Monotonic milliseconds. Needed for reminders. */
  readonly now?: () => number;
}

export interface LogOccasion {
  /** It began or changed its kind. Otherwise this is a reminder. */
  readonly isNew: boolean;
  /** Since it began, this one included. */
  readonly times: number;
  /** Since the last line, this one included. */
  readonly sinceLine: number;
}

/**
 * Decides when a lasting or repeated problem is worth a log line: when it begins, changes its kind, as a reminder, and
 * when it ends.
 */
export class LogOnChange {
  readonly #options: Required<LogOnChangeOptions>;
  /** Created on demand: each server has about 15 of these. */
  #kinds: Set<string> | undefined;
  #times = 0;
  #sinceLine = 0;
  #saidAt = 0;

  constructor(options: LogOnChangeOptions = {}) {
    this.#options = { knows: "all", remindEveryMs: Number.POSITIVE_INFINITY, now: () => 0, ...options };
  }

  /**
   * Returns `undefined` if it is not worth a line.
   * @param kind `undefined` if it adds nothing new.
   * @param count Occurrences.
   */
  record(kind: string | undefined = undefined, count = 1): LogOccasion | undefined {
    const isNew = this.#times === 0 || (kind !== undefined && !this.knows(kind));
    if (kind !== undefined) {
      if (this.#options.knows === "last") this.#kinds = undefined;
      this.#kinds ??= new Set();
      this.#kinds.add(kind);
    }
    this.#times += count;
    this.#sinceLine += count;
    const now = this.#options.now();
    if (!isNew && now - this.#saidAt < this.#options.remindEveryMs) return undefined;
    const occasion = { isNew, times: this.#times, sinceLine: this.#sinceLine };
    this.#saidAt = now;
    this.#sinceLine = 0;
    return occasion;
  }

  get isOngoing(): boolean {
    return this.#times > 0;
  }

  knows(kind: string): boolean {
    return this.#kinds?.has(kind) === true;
  }

  /** The next occurrence of this kind is news again. */
  kindOver(kind: string): void {
    this.#kinds?.delete(kind);
  }

  /** Ends it. Returns the number of occurrences. */
  over(): number {
    const times = this.#times;
    this.#kinds = undefined;
    this.#times = 0;
    this.#sinceLine = 0;
    return times;
  }
}
