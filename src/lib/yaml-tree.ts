import {
  CORE_SCHEMA,
  EVENT_ID,
  type Event,
  getScalarValue,
  NOT_RESOLVED,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";

/*
 * Parses one YAML 1.2 document to a tree with offsets. Takes linear time and stops at the first fault, because the
 * event loop waits (issue 32).
 */

export const MAX_NESTING = 100;
export const MAX_YAML_BYTES = 1 << 20;
const MAX_KEY_LENGTH = 1_024;
export const MAX_ITEMS = 10_000;
/** 10,000 servers in one file have about 60,000 lines. */
export const MAX_LINES = 100_000;

export interface YamlScalar {
  readonly kind: "scalar";
  /** Start with quotes. For an empty value, its possible place. */
  readonly offset: number;
  readonly anchor: string | undefined;
  /** By the core schema. */
  readonly value: unknown;
  /** Without quotes and escapes: the text of the number 123 may be `0123`. */
  readonly text: string;
  readonly isPlain: boolean;
}

export interface YamlList {
  readonly kind: "list";
  readonly offset: number;
  readonly anchor: string | undefined;
  readonly items: YamlNode[];
}

export interface YamlMap {
  readonly kind: "map";
  readonly offset: number;
  readonly anchor: string | undefined;
  readonly entries: YamlEntry[];
}

export interface YamlAlias {
  readonly kind: "alias";
  readonly offset: number;
  readonly name: string;
}

export type YamlNode = YamlScalar | YamlList | YamlMap | YamlAlias;

export interface YamlEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

/** The reason never repeats the text. */
export class YamlFault extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.name = "YamlFault";
    this.offset = offset;
  }
}

export function parseYamlTree(text: string): YamlNode {
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) {
    throw new YamlFault(`larger than ${MAX_YAML_BYTES.toLocaleString("en")} bytes`, 0);
  }
  refuseDense(text);
  return new TreeBuilder(text, eventsOf(text)).build();
}

/** Refuses in 5 ms what would take the parser up to a second. */
function refuseDense(text: string): void {
  let lines = 0;
  let rootLines = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character !== COMMA && character !== LINE_FEED && character !== CARRIAGE_RETURN) continue;
    if (++lines > MAX_LINES) throw new YamlFault("too many lines", at);
    if (character === LINE_FEED && /[^\s#]/.test(text.charAt(at + 1)) && ++rootLines > 2 * MAX_ITEMS) {
      throw new YamlFault("too many items", at + 1);
    }
  }
}

const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export function isMergeKey(node: YamlNode): boolean {
  return node.kind === "scalar" && node.isPlain && node.text === "<<";
}

function eventsOf(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: MAX_NESTING });
  } catch (error) {
    if (error instanceof YAMLException) throw new YamlFault(error.reason, error.mark?.position ?? 0);
    throw error;
  }
}

interface Frame {
  readonly node: YamlList | YamlMap;
  key: YamlNode | undefined;
  readonly keys: Set<string>;
}

class TreeBuilder {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #frames: Frame[] = [];
  #root: YamlNode | undefined;
  #end = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  build(): YamlNode {
    for (const event of this.#events) this.#take(event);
    return this.#root ?? { kind: "scalar", offset: 0, anchor: undefined, value: null, text: "", isPlain: true };
  }

  #take(event: Event): void {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        if (this.#root !== undefined) throw new YamlFault("a second document", this.#nextDocument());
        return;
      case EVENT_ID.SCALAR:
        this.#add(this.#scalar(event));
        return;
      case EVENT_ID.ALIAS: {
        const { anchorStart, anchorEnd } = event;
        this.#end = anchorEnd;
        this.#add({ kind: "alias", offset: anchorStart - 1, name: this.#text.slice(anchorStart, anchorEnd) });
        return;
      }
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING: {
        const { start: offset } = event;
        const anchor = this.#anchorOf(event);
        const tag = this.#tagOf(event);
        const isMap = event.type === EVENT_ID.MAPPING;
        if (tag !== "" && tag !== "!" && tag !== (isMap ? "!!map" : "!!seq")) throw this.#badTag(event.tagStart);
        // A block begins with its first dash or key, not with a bracket.
        this.#end = /[[{]/.test(this.#text.charAt(offset)) ? offset + 1 : offset;
        const node: YamlList | YamlMap = isMap
          ? { kind: "map", offset, anchor, entries: [] }
          : { kind: "list", offset, anchor, items: [] };
        this.#frames.push({ node, key: undefined, keys: new Set() });
        return;
      }
      case EVENT_ID.POP: {
        const frame = this.#frames.pop();
        if (frame !== undefined) this.#add(frame.node);
      }
    }
  }

  #add(node: YamlNode): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#root = node;
      return;
    }
    const { length } = frame.node.kind === "list" ? frame.node.items : frame.node.entries;
    if (length >= MAX_ITEMS) throw new YamlFault("too many items", node.offset);
    if (frame.node.kind === "list") {
      frame.node.items.push(node);
    } else if (frame.key === undefined) {
      this.#refuseKey(node, frame.keys);
      frame.key = node;
    } else {
      frame.node.entries.push({ key: frame.key, value: node });
      frame.key = undefined;
    }
  }

  #refuseKey(key: YamlNode, keys: Set<string>): void {
    if (key.kind !== "scalar" || isMergeKey(key)) return;
    if (key.text.length > MAX_KEY_LENGTH) throw new YamlFault("a long key", key.offset);
    if (keys.has(key.text)) throw new YamlFault("duplicated mapping key", key.offset);
    keys.add(key.text);
  }

  #scalar(event: ScalarEvent): YamlScalar {
    const { valueEnd, style } = event;
    const isPlain = style === SCALAR_STYLE.PLAIN;
    const tag = this.#tagOf(event);
    const text = getScalarValue(this.#text, event);
    const offset = this.#offsetOf(event);
    this.#end = valueEnd === -1 ? Math.max(offset, this.#end) : valueEnd;
    return {
      kind: "scalar",
      offset,
      anchor: this.#anchorOf(event),
      value: this.#valueOf(text, event, tag),
      text,
      isPlain,
    };
  }

  #offsetOf({ valueStart, style, tagEnd, anchorEnd }: ScalarEvent): number {
    if (valueStart === -1)
      return Math.max(tagEnd, anchorEnd) === -1 ? this.#emptyOffset() : Math.max(tagEnd, anchorEnd);
    if (style === SCALAR_STYLE.PLAIN) return valueStart;
    if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) return valueStart - 1;
    // The event does not include the `|` or `>`.
    const header = this.#text.slice(this.#end, valueStart).search(/[|>][-+\d]*[ \t]*(?:[ \t]#.*)?(?:[\r\n]|$)/);
    return header === -1 ? valueStart : this.#end + header;
  }

  /** After the dash of an empty item, at the colon of an empty key. For an empty value, the place of its key. */
  #emptyOffset(): number {
    const frame = this.#frames.at(-1);
    if (frame?.node.kind === "map" && frame.key !== undefined) return this.#end;
    const mark = this.#skipBlank(this.#end);
    if (!/[-:?]/.test(this.#text.charAt(mark))) return this.#end;
    return frame?.node.kind === "list" ? mark + 1 : mark;
  }

  /** Skips blanks, comments and the ends of texts, lists and maps. */
  #skipBlank(at: number): number {
    for (let next = at; next < this.#text.length; next++) {
      const character = this.#text.charAt(next);
      if (character === "#") next = this.#lineEnd(next);
      else if (!/[\s\]}"']/.test(character)) return next;
    }
    return at;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf("\n", at);
    return end === -1 ? this.#text.length : end;
  }

  #valueOf(text: string, { tagStart, style }: ScalarEvent, tag: string): unknown {
    if (tag === "") return style === SCALAR_STYLE.PLAIN ? CORE_SCHEMA.resolveImplicitScalarTag(text).value : text;
    if (tag === "!") return text;
    const name = `tag:yaml.org,2002:${tag.slice(2)}`;
    const value = tag.startsWith("!!") ? CORE_SCHEMA.lookupScalarTag(name)?.resolve(text, true, name) : undefined;
    if (value === undefined || value === NOT_RESOLVED) throw this.#badTag(tagStart);
    return value;
  }

  #badTag(offset: number): YamlFault {
    return new YamlFault("unknown tag", offset);
  }

  #tagOf({ tagStart, tagEnd }: { readonly tagStart: number; readonly tagEnd: number }): string {
    return tagStart === -1 ? "" : this.#text.slice(tagStart, tagEnd);
  }

  #anchorOf({ anchorStart, anchorEnd }: { readonly anchorStart: number; readonly anchorEnd: number }) {
    return anchorStart === -1 ? undefined : this.#text.slice(anchorStart, anchorEnd);
  }

  #nextDocument(): number {
    const begin = /^---(?=\s|$)/gm;
    begin.lastIndex = this.#end;
    return begin.exec(this.#text)?.index ?? this.#end;
  }
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export class LinePositions {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    // Editors do not show a byte order mark.
    if (text.startsWith("\uFEFF")) this.#starts[0] = 1;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) {
        this.#starts.push(at + 1);
      }
    }
  }

  at(offset: number): Position {
    const within = Math.max(this.#starts[0] ?? 0, Math.min(offset, this.#length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: within - (this.#starts[low] ?? 0) + 1 };
  }
}
