import { NO_MATCH, RecordShape } from "./record-shape.ts";

const NOTHING: Readonly<Record<string, unknown>> = {};
/** There is one, mostly, and a few more where some members are left out. */
const MAX_SHAPES = 8;

/** The shapes that were met, learned as they come. */
export class RecordShapes {
  readonly #ignored: ReadonlySet<string>;
  /** The one learned last at the end. */
  readonly #shapes: RecordShape[] = [];
  #last: RecordShape | undefined;

  constructor(ignored: ReadonlySet<string>) {
    this.#ignored = ignored;
  }

  /** The record read last; good until the next one is read. */
  get record(): Readonly<Record<string, unknown>> {
    return this.#last?.record ?? NOTHING;
  }

  /** As `RecordShape.read`, by any of the shapes. */
  read(bytes: Buffer, start: number, end: number): number {
    const usual = this.#last?.read(bytes, start, end) ?? NO_MATCH;
    if (usual !== NO_MATCH) return usual;
    for (const shape of this.#shapes) {
      const found = shape === this.#last ? NO_MATCH : shape.read(bytes, start, end);
      if (found === NO_MATCH) continue;
      this.#last = shape;
      return found;
    }
    return NO_MATCH;
  }

  /** Learns from a record that none of them could read, and that is valid JSON. */
  learn(bytes: Buffer, start: number, end: number): void {
    const shape = RecordShape.of(bytes, start, end, this.#ignored);
    if (shape === undefined) return;
    if (this.#shapes.length === MAX_SHAPES) this.#shapes.shift();
    this.#shapes.push(shape);
  }
}
