export interface LogOnChangeOptions {
  /**
   * Which kinds are no news: all that were met since it began (an outage often shows two faces in turn), or only the
   * last one.
   */
  readonly knows?: "all" | "last";
  /** After this time without a line it is said again, although nothing has changed; milliseconds. Without: never. */
  readonly remindEveryMs?: number;
  /** Milliseconds of a clock that never jumps; needed for reminders. */
  readonly now?: () => number;
}

/** What is worth a line in the log. */
export interface LogOccasion {
  /** It has begun, or is of another kind; otherwise this is a reminder. */
  readonly isNew: boolean;
  /** How often it was met since it began, this time included. */
  readonly times: number;
  /** How often it was met since the last line, this time included. */
  readonly sinceLine: number;
}

/**
 * Says when something that goes on, or happens time and again, is worth a line in the log: when it begins, when it becomes
 * of another kind, then as a reminder, and when it is over. What the lines say, and how loud, is the caller's.
 */
export class LogOnChange {
  readonly #knows: "all" | "last";
  readonly #remindEveryMs: number;
  readonly #now: () => number;
  /** Undefined until there is one: each server has some fifteen of these. */
  #kinds: Set<string> | undefined;
  #times = 0;
  #sinceLine = 0;
  #saidAt = 0;

  constructor({ knows = "all", remindEveryMs = Number.POSITIVE_INFINITY, now = () => 0 }: LogOnChangeOptions = {}) {
    this.#knows = knows;
    this.#remindEveryMs = remindEveryMs;
    this.#now = now;
  }

  /**
   * It was met. Undefined: that is not worth a line.
   * @param kind Undefined where it tells nothing new about what is known to go on.
   * @param count How often at once.
   */
  record(kind: string | undefined = undefined, count = 1): LogOccasion | undefined {
    const isNew = this.#times === 0 || (kind !== undefined && this.#kinds?.has(kind) !== true);
    if (kind !== undefined) {
      if (this.#knows === "last") this.#kinds = undefined;
      this.#kinds ??= new Set();
      this.#kinds.add(kind);
    }
    this.#times += count;
    this.#sinceLine += count;
    const now = this.#now();
    if (!isNew && now - this.#saidAt < this.#remindEveryMs) return undefined;
    const occasion = { isNew, times: this.#times, sinceLine: this.#sinceLine };
    this.#saidAt = now;
    this.#sinceLine = 0;
    return occasion;
  }

  /** This kind is over: it is news when it is met again. */
  kindOver(kind: string): void {
    this.#kinds?.delete(kind);
  }

  /** It is over. Returns how often it was met: where that is 0, nothing is over. */
  over(): number {
    const times = this.#times;
    this.#kinds = undefined;
    this.#times = 0;
    this.#sinceLine = 0;
    return times;
  }
}
