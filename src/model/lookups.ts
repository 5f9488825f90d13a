import type { LookupDefinition } from "../prtg/records.ts";

/** More texts for the bits of one value are not joined. */
const MAX_BITS = 64;

/** The lookup definitions of one server, by what channels call them. */
export class Lookups {
  readonly #byId = new Map<string, LookupDefinition>();
  /** Undefined where two have the name. */
  readonly #byName = new Map<string, LookupDefinition | undefined>();

  /** Definitions without entries say nothing and are left out. */
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

  /** The definition with this id or, failing that, the only one with this name. */
  find(reference: string): LookupDefinition | undefined {
    return this.#byId.get(reference) ?? this.#byName.get(reference);
  }
}

/**
 * The text that a lookup has for a value: of the first entry that is for it; of a bit field all texts, joined by `, `.
 * A value, or a rest of bits, that has none is given as the number itself.
 */
export function stateText({ entries }: LookupDefinition, value: number): string {
  const texts: string[] = [];
  for (const entry of entries) {
    if (entry.kind === "range" ? value >= entry.from && value <= entry.to : value === entry.bits) return entry.text;
  }
  if (!Number.isInteger(value) || value <= 0) return String(value);
  // Bit fields have up to 64 bits, the operators of numbers 32.
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
