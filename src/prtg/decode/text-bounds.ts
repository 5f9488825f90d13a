import type { ChannelRecord, LookupDefinition, NodeRecord, Reference } from "../records.ts";
import type { DecodeProblems } from "./problems.ts";

/** At the end of a text that was cut. */
const MARKER = "…";

/** A text of at most `max` characters; the end of one that is longer is a marker. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const isPairCut = /[\uD800-\uDBFF]/.test(text[max - 2] ?? "");
  // Through bytes, as a slice would keep all of the long text alive.
  return Buffer.from(text.slice(0, isPairCut ? max - 2 : max - 1) + MARKER).toString();
}

/** What a record takes besides its characters, in characters: for lists within it. */
const ELEMENT_SIZE = 32;

/** Cuts the texts of records that are longer than `max` characters, and counts each. */
export class TextBounds {
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  channel(channel: ChannelRecord, problems: DecodeProblems): ChannelRecord {
    const { name, unit, lookup = "" } = channel;
    const max = this.#max;
    if (name.length <= max && unit.length <= max && lookup.length <= max) return channel;
    const cut = { ...channel, name: this.#cut(name, problems), unit: this.#cut(unit, problems) };
    return channel.lookup === undefined ? cut : { ...cut, lookup: this.#cut(lookup, problems) };
  }

  node(node: NodeRecord, problems: DecodeProblems): NodeRecord {
    const { name, message = "", type, typeName, host = "", tags, parent, ancestors = [] } = node;
    const texts = [name, message, type, typeName, host, parent?.name ?? "", parent?.kind ?? "", ...tags];
    for (const ancestor of ancestors) texts.push(ancestor.name ?? "", ancestor.kind ?? "");
    if (texts.every((text) => this.#fits(text))) return node;
    return {
      ...node,
      name: this.#cut(name, problems),
      message: node.message === undefined ? undefined : this.#cut(message, problems),
      type: this.#cut(type, problems),
      typeName: this.#cut(typeName, problems),
      host: node.host === undefined ? undefined : this.#cut(host, problems),
      tags: tags.map((tag) => this.#cut(tag, problems)),
      parent: parent && this.#reference(parent, problems),
      ancestors: node.ancestors?.map((ancestor) => this.#reference(ancestor, problems)),
    };
  }

  lookup(lookup: LookupDefinition, problems: DecodeProblems): LookupDefinition {
    const { name, entries } = lookup;
    if (this.#fits(name) && entries.every(({ text }) => this.#fits(text))) return lookup;
    const cutEntries = entries.map((entry) => ({ ...entry, text: this.#cut(entry.text, problems) }));
    return { ...lookup, name: this.#cut(name, problems), entries: cutEntries };
  }

  /** Of an answer about the server as a whole. */
  members(members: ReadonlyMap<string, string>, problems: DecodeProblems): ReadonlyMap<string, string> {
    return new Map([...members].map(([name, text]) => [this.#cut(name, problems), this.#cut(text, problems)]));
  }

  #reference(reference: Reference, problems: DecodeProblems): Reference {
    const { id, name, kind } = reference;
    return {
      id,
      name: name === undefined ? undefined : this.#cut(name, problems),
      kind: kind === undefined ? undefined : this.#cut(kind, problems),
    };
  }

  #fits(text: string): boolean {
    return text.length <= this.#max;
  }

  #cut(text: string, problems: DecodeProblems): string {
    if (this.#fits(text)) return text;
    problems.text++;
    return cutText(text, this.#max);
  }
}

/** Characters that a record keeps, beside a few dozen that every record has. */
export function sizeOfChannel({ name, unit, lookup }: ChannelRecord): number {
  return name.length + unit.length + (lookup?.length ?? 0);
}

export function sizeOfNode({ name, message, host, type, typeName, tags, parent, ancestors }: NodeRecord): number {
  let size =
    name.length +
    (message?.length ?? 0) +
    (host?.length ?? 0) +
    type.length +
    typeName.length +
    (parent?.name?.length ?? 0);
  for (const tag of tags) size += tag.length + ELEMENT_SIZE;
  for (const ancestor of ancestors ?? []) size += (ancestor.name?.length ?? 0) + 2 * ELEMENT_SIZE;
  return size;
}

export function sizeOfLookup({ name, entries }: LookupDefinition): number {
  return entries.reduce((size, { text }) => size + text.length + 2 * ELEMENT_SIZE, name.length);
}
