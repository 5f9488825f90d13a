import type { SecretSearch } from "../../errors/secret-search.ts";
import type { ChannelRecord, LookupDefinition, NodeRecord, Reference } from "../records.ts";
import type { DecodeProblems } from "./values.ts";

const MARKER = "…";

/** Cuts longer text and ends it with a marker. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const isPairCut = /[\uD800-\uDBFF]/.test(text[max - 2] ?? "");
  // A slice would keep the long text in memory.
  return Buffer.from(text.slice(0, isPairCut ? max - 2 : max - 1) + MARKER).toString();
}

/** Overhead of a list element, in characters. */
const ELEMENT_SIZE = 32;

/**
 * Cleans the texts of records first: replaces credentials that the server echoes, and cuts long texts. Counts both. So
 * no credentials reach labels, events and pages.
 */
export class TextBounds {
  readonly #max: number;
  readonly #credentials: SecretSearch;

  constructor(max: number, credentials: SecretSearch) {
    this.#max = max;
    this.#credentials = credentials;
  }

  /** `undefined`, and counted, if an id has credentials: a changed id would be another channel. */
  channel(channel: ChannelRecord, problems: DecodeProblems): ChannelRecord | undefined {
    const { sensorId, channelId, name, unit, lookup = "" } = channel;
    if (!this.#areClean([sensorId, channelId], problems)) return undefined;
    if (this.#isFine(name) && this.#isFine(unit) && this.#isFine(lookup)) return channel;
    const clean = { ...channel, name: this.text(name, problems), unit: this.text(unit, problems) };
    return channel.lookup === undefined ? clean : { ...clean, lookup: this.text(lookup, problems) };
  }

  /** `undefined` as for channels. */
  node(node: NodeRecord, problems: DecodeProblems): NodeRecord | undefined {
    const { name, message = "", type, typeName, host = "", tags, parent, ancestors = [] } = node;
    const references = parent === undefined ? ancestors : [parent, ...ancestors];
    const ids = [node.id, node.dependsOn ?? "", ...references.map(({ id }) => id)];
    if (!this.#areClean(ids, problems)) return undefined;
    const texts = [name, message, type, typeName, host, ...tags];
    for (const reference of references) texts.push(reference.name ?? "", reference.kind ?? "");
    if (texts.every((text) => this.#isFine(text))) return node;
    return {
      ...node,
      name: this.text(name, problems),
      message: node.message === undefined ? undefined : this.text(message, problems),
      type: this.text(type, problems),
      typeName: this.text(typeName, problems),
      host: node.host === undefined ? undefined : this.text(host, problems),
      tags: tags.map((tag) => this.text(tag, problems)),
      parent: parent && this.#reference(parent, problems),
      ancestors: node.ancestors?.map((ancestor) => this.#reference(ancestor, problems)),
    };
  }

  lookup(lookup: LookupDefinition, problems: DecodeProblems): LookupDefinition {
    const { id, name, entries } = lookup;
    if (this.#isFine(id) && this.#isFine(name) && entries.every(({ text }) => this.#isFine(text))) return lookup;
    const cleanEntries = entries.map((entry) => ({ ...entry, text: this.text(entry.text, problems) }));
    return { id: this.text(id, problems), name: this.text(name, problems), entries: cleanEntries };
  }

  members(members: ReadonlyMap<string, string>, problems: DecodeProblems): ReadonlyMap<string, string> {
    return new Map([...members].map(([name, text]) => [this.text(name, problems), this.text(text, problems)]));
  }

  /** Replaces first: a part of a secret would not be recognized. */
  text(text: string, problems: DecodeProblems): string {
    const clean = this.#credentials.redact(text);
    if (clean !== text) problems.secret++;
    if (clean.length <= this.#max) return clean;
    problems.text++;
    return cutText(clean, this.#max);
  }

  #reference(reference: Reference, problems: DecodeProblems): Reference {
    const { id, name, kind } = reference;
    return {
      id,
      name: name === undefined ? undefined : this.text(name, problems),
      kind: kind === undefined ? undefined : this.text(kind, problems),
    };
  }

  #areClean(ids: readonly string[], problems: DecodeProblems): boolean {
    if (ids.every((id) => this.#credentials.redact(id) === id)) return true;
    problems.secret++;
    return false;
  }

  #isFine(text: string): boolean {
    return text.length <= this.#max && this.#credentials.redact(text) === text;
  }
}

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
