import type { AnsweredRequest } from "./truth.ts";

/** Watches that a server is asked for its channels without a break. */
export class PollWatch {
  readonly #maxGapMs: number;
  #lastAt: number | undefined;
  /** The longest time between two requests so far, milliseconds. */
  longestGapMs = 0;

  constructor(maxGapMs: number) {
    this.#maxGapMs = maxGapMs;
  }

  /** The gaps that were too long, in milliseconds, since the call before. `answers`: in any order, some known already. */
  gaps(answers: readonly AnsweredRequest[]): readonly number[] {
    const times = answers.filter(({ url }) => /\/channels\?/.test(url)).map(({ at }) => at);
    const found: number[] = [];
    for (const at of times.toSorted((a, b) => a - b)) {
      if (this.#lastAt !== undefined && at <= this.#lastAt) continue;
      const gap = at - (this.#lastAt ?? at);
      this.longestGapMs = Math.max(this.longestGapMs, gap);
      if (gap > this.#maxGapMs) found.push(gap);
      this.#lastAt = at;
    }
    return found;
  }
}
