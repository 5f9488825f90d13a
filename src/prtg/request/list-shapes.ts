import { NOT_KNOWN, type RecordMemory } from "./record-memory.ts";
import { NO_MATCH } from "./record-shape.ts";
import { RecordShapes } from "./record-shapes.ts";

/** Records that are looked at before it is judged whether there are shapes in the list. */
const MIN_LOOKED_AT = 64;

/**
 * Reads the records of a list by the shapes in which they are written, which are learned as they come. Of a list in which there
 * are too many of them, nothing is read in this way: to look for a shape in vain, and to learn another, takes longer than to parse.
 */
export class ListShapes {
  readonly #shapes: RecordShapes;
  #found = 0;
  #learned = 0;
  readonly #memory: RecordMemory = {
    recall: (bytes, at, end) => {
      const after = this.#shapes.read(bytes, at, end);
      if (after === NO_MATCH) return NOT_KNOWN;
      this.#found++;
      return after;
    },
    recalled: () => this.#shapes.record,
    learn: (bytes, at, end, record) => {
      this.#learned++;
      this.#shapes.learn(bytes, at, end);
      return record;
    },
  };

  /** `unread`: members at which the decoder does not look, as paths (`parent.href`). */
  constructor(unread: ReadonlySet<string> = new Set()) {
    this.#shapes = new RecordShapes(unread);
  }

  /** For one page. What it hands over is good until the next record. */
  page(): RecordMemory | undefined {
    const isInVain = this.#learned >= MIN_LOOKED_AT && this.#learned * 4 > this.#found;
    return isInVain ? undefined : this.#memory;
  }
}
