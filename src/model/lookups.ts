import type { LookupDefinition } from "../prtg/records.ts";

const MAX_BITS = 64;

/** The lookup definitions of one server. */
export class Lookups {
  readonly #byId = new Map<string, LookupDefinition>();
  /** `undefined`: two definitions have the name. */
  readonly #byName = new Map<string, LookupDefinition | undefined>();

  /** Ignores definitions without entries. */
  constructor(definitions: Iterable<LookupDefinition>) {
    for (const definition of definitions) {
      const { id, name, entries } = definition;
      if (entries.length === 0) continue;
      this.#byId.set(id, definition);
      if (name !== "") this.#byName.set(name, this.#byName.has(name) ? undefined : definition);
    }
  }

  get size(): number {
    return this.#byId.size;
  }

  /** By id, else by name if it is unique. */
  find(reference: string): LookupDefinition | undefined {
    return this.#byId.get(reference) ?? this.#byName.get(reference);
  }
}

/**
 * The text of the first entry that matches. A bit field joins all texts with `, `. A value or bits without an entry
 * become the number itself.
 */
export function stateText({ entries }: LookupDefinition, value: number): string {
  const texts: string[] = [];
  for (const entry of entries) {
    if (entry.kind === "range" ? value >= entry.from && value <= entry.to : value === entry.bits) return entry.text;
  }
  if (!Number.isInteger(value) || value <= 0) return String(value);
  // Bit fields have up to 64 bits. Number operators have 32.
  const bits = BigInt(value);
  let rest = bits;
  for (const entry of entries) {
    if (entry.kind !== "bits" || entry.bits === 0) continue;
    const own = BigInt(entry.bits);
    if ((bits & own) !== own) continue;
    texts.push(entry.text);
    rest &= ~own;
    if (texts.length >= MAX_BITS) break;
  }
  return texts.length === 0 ? String(value) : [...texts, ...(rest === 0n ? [] : [String(rest)])].join(", ");
}
