import type { SelectRules } from "../config/select-schema.ts";
import { type RuledObject, RuleSet } from "./rules.ts";

/** Bits: the object or a parent is included or excluded. */
export type Verdict = 0 | 1 | 2 | 3;

const INCLUDED = 1;
const EXCLUDED = 2;

export function isSelected(verdict: Verdict | undefined): boolean {
  return verdict === INCLUDED;
}

/** Objects of one list that match a filter. */
interface Found {
  readonly answer: ReadonlySet<string>;
  /** Also has objects that only the last answer lacks. */
  readonly ids: ReadonlySet<string>;
}

const NOTHING: Found = { answer: new Set(), ids: new Set() };

/**
 * Judges by rules, from the top down. A filter matches the objects of the last two answers, because a single gap proves
 * nothing.
 */
export class Judge {
  readonly include: RuleSet;
  readonly exclude: RuleSet;
  readonly root: Verdict;
  /** Filter -> ids, by kind of list. */
  readonly #found = new Map<string, Map<string, Found>>();

  /** @param before Of the same server. Keeps answers to the same filters. */
  constructor({ include, exclude }: SelectRules, before?: Judge) {
    this.include = new RuleSet(include);
    this.exclude = new RuleSet(exclude);
    this.root = this.include.isEmpty ? INCLUDED : 0;
    for (const filter of this.filters) {
      const found = before === undefined ? undefined : before.#found.get(filter);
      if (found !== undefined) this.#found.set(filter, new Map(found));
    }
  }

  /** Whether all filters are answered for each kind of list. */
  isComplete(kinds: readonly string[]): boolean {
    return this.filters.every((filter) => kinds.every((kind) => this.#found.get(filter)?.has(kind)));
  }

  /** Filters that only the server can apply. */
  get filters(): readonly string[] {
    return [...new Set([...this.include.filters, ...this.exclude.filters])];
  }

  foundOf(kind: string): ReadonlySet<string> {
    return new Set(this.filters.flatMap((filter) => [...(this.#found.get(filter)?.get(kind)?.ids ?? [])]));
  }

  /**
   * Takes an answer. Returns the objects that changed.
   * @param hides There may be others with unreadable records.
   */
  found(filter: string, kind: string, matches: ReadonlySet<string>, hides: boolean): ReadonlySet<string> {
    const byKind = this.#found.get(filter) ?? new Map<string, Found>();
    this.#found.set(filter, byKind);
    const before = byKind.get(kind) ?? NOTHING;
    const answer = hides ? before.answer.union(matches) : matches;
    const ids = before.answer.isSubsetOf(answer) ? answer : before.answer.union(answer);
    byKind.set(kind, { answer, ids });
    return before.ids.symmetricDifference(ids);
  }

  /** @param above Verdict of the parent. */
  judge(object: RuledObject, above: Verdict): Verdict {
    const isIncluded = (above & INCLUDED) !== 0 || this.include.fits(object, this.#isFound);
    const isExcluded = (above & EXCLUDED) !== 0 || this.exclude.fits(object, this.#isFound);
    return ((isIncluded ? INCLUDED : 0) | (isExcluded ? EXCLUDED : 0)) as Verdict;
  }

  readonly #isFound = (filter: string, id: string): boolean => {
    for (const { ids } of this.#found.get(filter)?.values() ?? []) if (ids.has(id)) return true;
    return false;
  };
}
