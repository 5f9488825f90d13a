import {
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from "js-yaml";
import { type Position, ScenarioError, type ScenarioProblem } from "./scenario-error.ts";

export type KeyPath = readonly PropertyKey[];

/** What aliases may multiply a file to. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

/** Where a key or an item stands, and what is in it. */
interface Placed {
  readonly offset: number;
  readonly inside: Map<PropertyKey, Placed>;
  /** Of all values in it, and itself. */
  size: number;
}

/** A YAML or JSON document with the positions of its values. */
export class YamlSource {
  readonly file: string;
  /** Plain maps, lists and scalars. */
  readonly value: unknown;
  readonly #text: string;
  readonly #root: Placed = { offset: 0, inside: new Map(), size: 1 };

  /** @throws ScenarioError for what is no YAML */
  constructor(text: string, file: string) {
    this.file = file;
    this.#text = text.replace(/^\uFEFF/, "");
    try {
      const events = parseEvents(this.#text, { maxDepth: MAX_DEPTH });
      new Places(this.#text, events).readInto(this.#root);
      const [value = null, ...others] = constructFromEvents(events, { source: this.#text });
      if (others.length > 0) throw new Fault("a second document", 0);
      this.value = value;
    } catch (error) {
      const fault = faultOf(error);
      throw new ScenarioError(file, [{ ...this.#at(fault.offset), key: "", text: `invalid YAML: ${fault.reason}` }]);
    }
  }

  problem(path: KeyPath, text: string): ScenarioProblem {
    return { ...this.positionOf(path), key: formatKey(path), text };
  }

  /** Where the key stands, or the nearest thing around it that exists. */
  positionOf(path: KeyPath): Position {
    let found = this.#root;
    for (const key of path) {
      const inside = found.inside.get(key);
      if (inside === undefined) break;
      found = inside;
    }
    return this.#at(found.offset);
  }

  #at(offset: number): Position {
    const lines = this.#text.slice(0, offset).split(/\r\n?|\n/);
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  }
}

class Fault extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

function faultOf(error: unknown): { readonly reason: string; readonly offset: number } {
  if (error instanceof Fault) return { reason: error.message, offset: error.offset };
  if (error instanceof YAMLException) return { reason: error.reason, offset: error.mark?.position ?? 0 };
  throw error;
}

/** Reads where everything stands, in the order of the text. */
class Places {
  readonly #text: string;
  readonly #events: Iterator<Event>;
  readonly #anchors = new Map<string, Placed>();
  #next: Event | undefined;
  #offset = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events.filter(({ type }) => type !== EVENT_ID.DOCUMENT).values();
    this.#advance();
  }

  readInto(root: Placed): void {
    if (this.#next !== undefined && this.#next.type !== EVENT_ID.POP) Object.assign(root, this.#read(root.offset));
  }

  #advance(): Event | undefined {
    const event = this.#next;
    this.#next = this.#events.next().value;
    return event;
  }

  /** One value; `offset`: of its key, where it has one. */
  #read(offset: number): Placed {
    const event = this.#advance();
    const placed: Placed = { offset, inside: new Map(), size: 1 };
    switch (event?.type) {
      case EVENT_ID.ALIAS: {
        const anchored = this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd));
        if (anchored === undefined) throw new Fault("an alias without an anchor before it", offset);
        return { ...anchored, offset };
      }
      case EVENT_ID.SEQUENCE:
        for (let index = 0; this.#hasMore(); index++) this.#put(placed, index, this.#offsetOfNext());
        break;
      case EVENT_ID.MAPPING:
        while (this.#hasMore()) {
          const at = this.#offsetOfNext();
          const key = this.#advance();
          if (key?.type !== EVENT_ID.SCALAR) throw new Fault("a key must be plain text", at);
          this.#put(placed, getScalarValue(this.#text, key), at);
        }
        break;
    }
    if (event !== undefined && "anchorStart" in event && event.anchorStart !== -1) {
      this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), placed);
    }
    return placed;
  }

  #put(around: Placed, key: PropertyKey, offset: number): void {
    const placed = this.#read(offset);
    around.inside.set(key, placed);
    around.size += placed.size;
    if (around.size > MAX_VALUES) throw new Fault("too many values", offset);
  }

  /** Takes the end of a list or map. */
  #hasMore(): boolean {
    if (this.#next !== undefined && this.#next.type !== EVENT_ID.POP) return true;
    this.#advance();
    return false;
  }

  #offsetOfNext(): number {
    const event = this.#next;
    if (event?.type === EVENT_ID.ALIAS) this.#offset = event.anchorStart - 1;
    else if (event?.type === EVENT_ID.SEQUENCE || event?.type === EVENT_ID.MAPPING) this.#offset = event.start;
    else if (event?.type === EVENT_ID.SCALAR && event.valueStart !== -1) {
      const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
      this.#offset = event.valueStart - (isQuoted ? 1 : 0);
    }
    return this.#offset;
  }
}

function formatKey(path: KeyPath): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
