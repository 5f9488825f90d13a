import type { Clock } from "../lib/clock.ts";
import { NODE_KINDS, type NodePoll } from "../model/tree.ts";
import type { NodeKind } from "../prtg/records.ts";

/** After that a status is to be looked at anew. */
const MAX_AGE_MS = 5_000;
const NONE: ReadonlySet<NodeKind> = new Set();

/**
 * Whole lists that a run of the tree has just brought, with the statuses in them. The first run of statuses follows it at once:
 * it would read the same lists once more, which is a tenth of what a large server is asked for until the first page.
 */
export class BroughtLists {
  readonly #clock: Clock;
  #kinds = NONE;
  /** Monotonic. */
  #at = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The state shows what these lists have. */
  taken(poll: NodePoll): void {
    this.#kinds = new Set(NODE_KINDS.filter((kind) => poll[kind]?.complete === true));
    this.#at = this.#clock.monotonic();
  }

  /** Kinds of objects whose lists need not be read now. Each list stands for one reading. */
  use(): ReadonlySet<NodeKind> {
    const kinds = this.#kinds;
    this.#kinds = NONE;
    return this.#clock.monotonic() - this.#at <= MAX_AGE_MS ? kinds : NONE;
  }
}
