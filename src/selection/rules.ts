import { isDeepStrictEqual } from "node:util";
import type { SelectRule, SelectRules } from "../config/select-schema.ts";
import { pathGlob } from "../lib/glob.ts";

export interface RuledObject {
  readonly id: string;
  readonly tags: readonly string[];
  /** `undefined` if objects above are unknown. Then no path matches. */
  readonly path: string | undefined;
}

export class RuleSet {
  readonly ids: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  readonly paths: readonly string[];
  readonly filters: readonly string[];
  readonly #pathTests: readonly ((path: string) => boolean)[];

  constructor(rules: readonly SelectRule[]) {
    this.ids = new Set(rules.flatMap((rule) => (rule.kind === "id" ? [rule.id] : [])));
    this.tags = new Set(rules.flatMap((rule) => (rule.kind === "tag" ? [rule.tag] : [])));
    this.paths = rules.flatMap((rule) => (rule.kind === "path" ? [rule.path] : []));
    this.filters = [...new Set(rules.flatMap((rule) => (rule.kind === "filter" ? [rule.filter] : [])))];
    this.#pathTests = this.paths.map(pathGlob);
  }

  get isEmpty(): boolean {
    return this.ids.size + this.tags.size + this.paths.length + this.filters.length === 0;
  }

  /** @param isFound Whether the filter's objects include it. */
  fits({ id, tags, path }: RuledObject, isFound: (filter: string, id: string) => boolean): boolean {
    return (
      this.ids.has(id) ||
      (this.tags.size > 0 && tags.some((tag) => this.tags.has(tag))) ||
      (path !== undefined && this.#pathTests.some((test) => test(path))) ||
      this.filters.some((filter) => isFound(filter, id))
    );
  }
}

/** Globs of the parents: the part before each slash, and up to each `**`, which matches slashes. */
export function globsOfParents(path: string): readonly string[] {
  return [...path.matchAll(/\/|\*\*/g)].map(({ index, 0: part }) => path.slice(0, part === "/" ? index : index + 2));
}

/** Whether `after` selects no more than `before`. `undefined`: everything. */
export function isNarrower(before: SelectRules | undefined, after: SelectRules | undefined): boolean {
  if (before === undefined) return true;
  if (after === undefined) return false;
  const isWithin = (rules: readonly SelectRule[], others: readonly SelectRule[]) =>
    rules.every((rule) => others.some((other) => isDeepStrictEqual(rule, other)));
  const includesLess =
    before.include.length === 0 || (after.include.length > 0 && isWithin(after.include, before.include));
  return includesLess && isWithin(before.exclude, after.exclude);
}
