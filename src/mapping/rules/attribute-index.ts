import { RE2Set } from "re2js";
import { globFlags } from "../../lib/glob.ts";
import { mapEntry } from "../../lib/map-entry.ts";
import { alikeKey, type CompiledPattern, matches } from "./pattern.ts";

/** Cached values of one attribute. Servers have far fewer. */
const MAX_REMEMBERED = 10_000;
/** Limit for the automaton of all patterns of an attribute. Beyond it RE2 starts again. */
const MAX_AUTOMATON_BYTES = 16 * 1024 * 1024;

interface Glob {
  readonly rule: number;
  /** The longest literal in the pattern. Most values lack it, which saves the match. */
  readonly literal: string;
  readonly pattern: CompiledPattern;
}

/**
 * Finds the rules that match a value of one attribute: by lookup for texts, in one RE2 pass for all regular
 * expressions. Globs are matched one by one, because many stars make a huge automaton.
 */
export class AttributeIndex {
  readonly unconditional: Bits;
  readonly #exact = new Map<string, Bits>();
  /** By `alikeKey`. */
  readonly #alike = new Map<string, Bits>();
  readonly #globs: Glob[] = [];
  readonly #set: RE2Set | undefined;
  /** By the number of the pattern in the set. */
  readonly #rulesOf: number[] = [];
  readonly #remembered = new Map<string, Bits>();

  /** @param patterns By rule. `undefined`: the rule ignores the attribute. */
  constructor(patterns: readonly (readonly CompiledPattern[] | undefined)[]) {
    this.unconditional = noBits(patterns.length);
    let set: RE2Set | undefined;
    for (const [rule, ofRule] of patterns.entries()) {
      if (ofRule === undefined) setBit(this.unconditional, rule);
      for (const pattern of ofRule ?? []) {
        if (pattern.kind === "exact") {
          addText(this.#exact, pattern.text, rule, patterns.length);
          continue;
        }
        if (pattern.kind === "alike") {
          addText(this.#alike, pattern.source, rule, patterns.length);
          continue;
        }
        if (pattern.kind === "glob") {
          this.#globs.push({ rule, literal: longestLiteral(pattern.text), pattern });
          continue;
        }
        set ??= new RE2Set(RE2Set.ANCHOR_BOTH, globFlags(), MAX_AUTOMATON_BYTES);
        this.#rulesOf[set.add(pattern.source)] = rule;
      }
    }
    set?.compile();
    this.#set = set;
  }

  /** Rules that match the value or ignore the attribute. Read-only. */
  match(value: string): Bits {
    const known = this.#remembered.get(value);
    if (known !== undefined) return known;
    const bits = this.matchOnce(value);
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(value, bits);
    return bits;
  }

  /** Without the cache. */
  matchOnce(value: string): Bits {
    const exact = this.#exact.get(value);
    const alike = this.#alike.size === 0 ? undefined : this.#alike.get(alikeKey(value));
    const isOnlyText = this.#set === undefined && this.#globs.length === 0;
    if (exact === undefined && alike === undefined && isOnlyText) return this.unconditional;
    const bits = this.unconditional.slice();
    if (exact !== undefined) unite(bits, exact);
    if (alike !== undefined) unite(bits, alike);
    for (const { rule, literal, pattern } of this.#globs) {
      if (value.includes(literal) && matches(pattern, value)) setBit(bits, rule);
    }
    for (const pattern of this.#set?.match(value) ?? []) setBit(bits, this.#rulesOf[pattern] ?? 0);
    return bits;
  }
}

function addText(texts: Map<string, Bits>, text: string, rule: number, rules: number): void {
  const bits = mapEntry(texts, text, () => noBits(rules));
  setBit(bits, rule);
}

function longestLiteral(glob: string): string {
  return glob.split(/[*?]/).reduce((longest, piece) => (piece.length > longest.length ? piece : longest));
}

/* Sets of rules, 32 bits per word: 500 rules are 16 words. */

export type Bits = Uint32Array;

export function noBits(count: number): Bits {
  return new Uint32Array(Math.ceil(count / 32));
}

export function setBit(bits: Bits, index: number): void {
  const word = index >>> 5;
  bits[word] = (bits[word] ?? 0) | (1 << (index & 31));
}

export function hasBit(bits: Bits, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}

export function unite(target: Bits, bits: Bits): void {
  for (let word = 0; word < target.length; word++) target[word] = (target[word] ?? 0) | (bits[word] ?? 0);
}

export function intersect(target: Bits, bits: Bits): void {
  for (let word = 0; word < target.length; word++) target[word] = (target[word] ?? 0) & (bits[word] ?? 0);
}

/** -1 if there is none. */
export function firstCommon(a: Bits, b: Bits, c: Bits): number {
  for (let word = 0; word < a.length; word++) {
    const common = (a[word] ?? 0) & (b[word] ?? 0) & (c[word] ?? 0);
    // Isolates the lowest bit.
    if (common !== 0) return word * 32 + 31 - Math.clz32(common & -common);
  }
  return -1;
}
