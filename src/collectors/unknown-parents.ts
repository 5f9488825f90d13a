/**
 * Decides when ids that lists refer to but do not show call for an early tree poll: once each. An id that a tree poll
 * did not reveal is invisible to the user, not new; it is not asked for again unless it was revealed in between.
 */
export class UnknownParents {
  readonly #requestTree: () => void;
  #asked: ReadonlySet<string> = new Set();

  constructor(requestTree: () => void) {
    this.#requestTree = requestTree;
  }

  /** Another collector met these ids. */
  notice(unknown: Iterable<string>): void {
    const ids = [...unknown];
    if (ids.every((id) => this.#asked.has(id))) return;
    this.#asked = new Set([...this.#asked, ...ids]);
    this.#requestTree();
  }

  /** A tree poll left these ids unknown. */
  settle(unknown: Iterable<string>): void {
    this.#asked = new Set(unknown);
  }
}
