import type { UnitReader } from "../units/unit-reader.ts";
import {
  ATTRIBUTE_NAMES,
  type CompiledPattern,
  type Conditions,
  compilePattern,
  matches,
  parsePattern,
} from "./pattern.ts";
import type { AttributeName } from "./rule.ts";

/** Compares rules with more combinations only as a whole. */
const MAX_CASES = 64;

/** One combination of patterns with which a rule can match. */
type Case = ReadonlyMap<AttributeName, readonly CompiledPattern[]>;

/** `undefined` if the rule can match, or if that is unknown. */
export type NoReach =
  | { readonly kind: "contradiction" }
  /** Indexes of the earlier rules that match everything first. */
  | { readonly kind: "overshadowed"; readonly by: readonly number[] };

/** Finds rules that never match. `rules`: conditions in order. */
export class Reach {
  readonly #rules: readonly Conditions[];
  readonly #units: UnitReader;

  constructor(rules: readonly Conditions[], units: UnitReader) {
    this.#rules = rules;
    this.#units = units;
  }

  missing(index: number): NoReach | undefined {
    const conditions = this.#rules[index];
    if (conditions === undefined) return undefined;
    const cases = casesOf(conditions).flatMap((one) => this.#withBaseUnit(one));
    if (cases.length === 0) return { kind: "contradiction" };
    const by = new Set<number>();
    for (const one of cases) {
      const earlier = this.#rules.slice(0, index).findIndex((other) => coversCase(other, one));
      if (earlier === -1) return undefined;
      by.add(earlier);
    }
    return { kind: "overshadowed", by: [...by].sort((a, b) => a - b) };
  }

  /** Adds the base unit of the display unit. Empty if both contradict each other. */
  #withBaseUnit(one: Case): Case[] {
    const units = one.get("unit");
    if (units === undefined || units.some(({ kind }) => kind !== "exact")) return [one];
    const bases = new Set(units.map(({ text }) => this.#units.read(text)?.base));
    const asked = one.get("base_unit");
    if (asked !== undefined) {
      return asked.some(({ text }) => [...bases].some((base) => base === text)) ? [one] : [];
    }
    if (bases.has(undefined)) return [one];
    const patterns = [...bases].flatMap((base) => {
      const compiled = compilePattern(parsePattern(base ?? "", false));
      return "fault" in compiled ? [] : [compiled];
    });
    return [new Map([...one, ["base_unit", patterns]])];
  }
}

function coversCase(wide: Conditions, narrow: Case): boolean {
  return wide
    .entries()
    .every(([attribute, patterns]) =>
      narrow.get(attribute)?.every((one) => patterns.some((pattern) => covers(pattern, one))),
    );
}

/** Combinations of patterns, or the whole rule if there are too many. */
function casesOf(conditions: Conditions): Case[] {
  let cases: Case[] = [new Map()];
  for (const attribute of ATTRIBUTE_NAMES) {
    const patterns = conditions.get(attribute);
    if (patterns === undefined) continue;
    if (cases.length * patterns.length > MAX_CASES) return [conditions];
    cases = cases.flatMap((one) => patterns.map((pattern) => new Map([...one, [attribute, [pattern]]])));
  }
  return cases;
}

/** Does not compare longer globs. */
const MAX_STEPS = 20_000;

/** Whether every text that matches `narrow` certainly matches `wide`. Both belong to one attribute. */
export function covers(wide: CompiledPattern, narrow: CompiledPattern): boolean {
  if (wide.kind === narrow.kind && wide.text === narrow.text) return true;
  if (isAnything(wide)) return true;
  if (narrow.kind === "exact") return matches(wide, narrow.text);
  if (wide.kind === "alike") return narrow.kind === "alike" && narrow.source === wide.source;
  return wide.kind === "glob" && narrow.kind === "glob" && globCovers(tokensOf(wide), tokensOf(narrow));
}

function isAnything({ kind, text, source }: CompiledPattern): boolean {
  return kind === "regex" ? source === ".*" : source === ".*" || /^\*\*+$/.test(text);
}

/** A token of a glob. */
type Token = "**" | "*" | "?" | { readonly literal: string };

function tokensOf({ text, isPath }: CompiledPattern): Token[] {
  return Array.from(text.matchAll(/\*\*|\*|\?|[^*?]/gsu), ([part]): Token => {
    if (part === "**" || part === "?") return part;
    if (part !== "*") return { literal: part };
    return isPath ? "*" : "**";
  });
}

function globCovers(wide: readonly Token[], narrow: readonly Token[]): boolean {
  if (wide.length * narrow.length > MAX_STEPS) return false;
  // fits[j]: the tokens of `wide` so far match the first j tokens of `narrow`.
  let fits = [true];
  for (const token of wide) {
    const next: boolean[] = [];
    for (let index = 0; index <= narrow.length; index++) {
      const taken = index === 0 ? undefined : narrow[index - 1];
      if (token === "**" || token === "*") {
        const absorbs = taken !== undefined && (token === "**" || isWithinName(taken));
        next.push(fits[index] === true || (absorbs && next[index - 1] === true));
      } else {
        next.push(taken !== undefined && fits[index - 1] === true && takesOne(token, taken));
      }
    }
    fits = next;
  }
  return fits[narrow.length] === true;
}

function isWithinName(token: Token): boolean {
  return typeof token === "string" ? token !== "**" : token.literal !== "/";
}

function takesOne(wide: "?" | { readonly literal: string }, narrow: Token): boolean {
  if (wide === "?") return narrow === "?" || (typeof narrow === "object" && narrow.literal !== "/");
  return typeof narrow === "object" && narrow.literal === wide.literal;
}
