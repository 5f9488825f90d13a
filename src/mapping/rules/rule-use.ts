import { nearest } from "../../lib/nearest-word.ts";
import { quote } from "../../lib/printable-text.ts";
import { type Bits, hasBit, noBits } from "./attribute-index.ts";
import { ATTRIBUTE_NAMES, type CompiledPattern, matches } from "./pattern.ts";
import { type AttributeName, type ChannelAttributes, ruleTitle, type SensorAttributes } from "./rule.ts";
import type { ReadyRule, RuleSet } from "./rule-set.ts";

/** Characters of a value or pattern in a sentence. */
const MAX_QUOTED = 60;
/** Patterns of a condition in a sentence. */
const MAX_PATTERNS = 3;
/** Shorter texts are in too many others. */
const MIN_PART = 3;

/** Finds rules of the user that match no channel, such as one with a misspelt kind. */
export class RuleUse {
  readonly #ruleSet: RuleSet;
  readonly #rules: readonly ReadyRule[];
  readonly #used: Bits;
  readonly #values = new Map<AttributeName, Set<string>>(ATTRIBUTE_NAMES.map((name) => [name, new Set()]));

  constructor(ruleSet: RuleSet) {
    this.#ruleSet = ruleSet;
    // Presets have many rules for sensors that a server lacks.
    this.#rules = ruleSet.rules.filter(({ isPreset }) => !isPreset);
    this.#used = noBits(ruleSet.rules.length);
  }

  add(sensor: SensorAttributes, channel: ChannelAttributes): void {
    this.#ruleSet.addMatches(this.#used, sensor, channel);
    const values = this.#ruleSet.valuesOf(sensor, channel);
    for (const [name, known] of this.#values) for (const value of values[name]) known.add(value);
  }

  get rules(): number {
    return this.#rules.length;
  }

  /** One sentence for each rule without a channel, in the order of the rules. */
  idle(): readonly string[] {
    return this.#rules
      .filter(({ index }) => !hasBit(this.#used, index))
      .map((rule) => `${ruleTitle(rule.source, rule.ordinal)} matches no channel: ${this.#reasonOf(rule)}`);
  }

  #reasonOf({ conditions }: ReadyRule): string {
    const unmatched = [...conditions].flatMap(([name, patterns]) => {
      const known = [...(this.#values.get(name) ?? [])];
      const isKnown = known.some((value) => patterns.some((pattern) => matches(pattern, value)));
      return isKnown ? [] : `no ${name} is ${textsOf(patterns)}${hint(patterns, known)}`;
    });
    if (unmatched.length > 0) return unmatched.join(" and ");
    return `some channels have each of ${[...conditions.keys()].join(", ")}, but none has all`;
  }
}

function textsOf(patterns: readonly CompiledPattern[]): string {
  const texts = patterns.slice(0, MAX_PATTERNS).map(({ text }) => shown(text));
  const rest = patterns.length - texts.length;
  return `${texts.join(" or ")}${rest > 0 ? ` or ${rest} more` : ""}`;
}

/** The known values that the patterns most likely mean. */
function hint(patterns: readonly CompiledPattern[], known: readonly string[]): string {
  const meant = patterns.slice(0, MAX_PATTERNS).flatMap(({ text }) => similar(text, known) ?? []);
  return meant.length === 0 ? "" : `, the nearest is ${[...new Set(meant)].map(shown).join(" and ")}`;
}

/** A similar spelling, or else the shortest text with the same words. */
function similar(pattern: string, known: readonly string[]): string | undefined {
  const word = pattern.replaceAll(/[*?~/\\]/g, "");
  const spelled = nearest(word, known);
  if (spelled !== undefined || word.length < MIN_PART) return spelled;
  const part = word.toLowerCase();
  return known
    .filter((value) => {
      const text = value.toLowerCase();
      return text.length >= MIN_PART && (text.includes(part) || part.includes(text));
    })
    .sort((a, b) => a.length - b.length)[0];
}

function shown(text: string): string {
  return quote(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text);
}
