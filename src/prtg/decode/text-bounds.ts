import type { SecretSearch } from "../../errors/secret-search.ts";
import { type FieldsWith, fieldsWith, type NodeRecord } from "../node-record.ts";
import type { ChannelRecord, LookupDefinition, Reference } from "../records.ts";
import type { DecodeProblems } from "./values.ts";

const MARKER = "…";

/** Cuts longer text and ends it with a marker. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const isPairCut = /[\uD800-\uDBFF]/.test(text[max - 2] ?? "");
  // A slice would keep the long text in memory.
  return Buffer.from(text.slice(0, isPairCut ? max - 2 : max - 1) + MARKER).toString();
}

const NODE_IDS = fieldsWith("text", "id");
const NODE_TEXTS = fieldsWith("text", "text");

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
    if (!this.#isClean(sensorId, problems) || !this.#isClean(channelId, problems)) return undefined;
    if (this.#isFine(name) && this.#isFine(unit) && this.#isFine(lookup)) return channel;
    const clean = { ...channel, name: this.text(name, problems), unit: this.text(unit, problems) };
    return channel.lookup === undefined ? clean : { ...clean, lookup: this.text(lookup, problems) };
  }

  /** `undefined` as for channels. */
  node(node: NodeRecord, problems: DecodeProblems): NodeRecord | undefined {
    const { tags, parent, ancestors = [] } = node;
    const references = parent === undefined ? ancestors : [parent, ...ancestors];
    for (const { id } of references) if (!this.#isClean(id, problems)) return undefined;
    for (const field of NODE_IDS) if (!this.#isClean(node[field] ?? "", problems)) return undefined;
    let isFine = tags.every((tag) => this.#isFine(tag));
    for (const field of NODE_TEXTS) isFine &&= this.#isFine(node[field] ?? "");
    for (const { name = "", kind = "" } of references) isFine &&= this.#isFine(name) && this.#isFine(kind);
    if (isFine) return node;
    const parts: Required<Pick<NodeRecord, FieldsWith<"text", "parts">>> = {
      tags: tags.map((tag) => this.text(tag, problems)),
      parent: parent && this.#reference(parent, problems),
      ancestors: node.ancestors?.map((ancestor) => this.#reference(ancestor, problems)),
    };
    const clean: { -readonly [Field in keyof NodeRecord]: NodeRecord[Field] } = { ...node, ...parts };
    for (const field of NODE_TEXTS) {
      const text = node[field];
      if (text !== undefined) clean[field] = this.text(text, problems);
    }
    return clean;
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

  #reference({ id, name, kind }: Reference, problems: DecodeProblems): Reference {
    const clean = (text: string | undefined) => (text === undefined ? undefined : this.text(text, problems));
    return { id, name: clean(name), kind: clean(kind) };
  }

  #isClean(id: string, problems: DecodeProblems): boolean {
    if (this.#credentials.redact(id) === id) return true;
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

export function sizeOfNode(node: NodeRecord): number {
  let size = node.parent?.name?.length ?? 0;
  for (const field of NODE_TEXTS) size += node[field]?.length ?? 0;
  for (const tag of node.tags) size += tag.length + ELEMENT_SIZE;
  for (const { name } of node.ancestors ?? []) size += (name?.length ?? 0) + 2 * ELEMENT_SIZE;
  return size;
}

export function sizeOfLookup({ name, entries }: LookupDefinition): number {
  return entries.reduce((size, { text }) => size + text.length + 2 * ELEMENT_SIZE, name.length);
}
