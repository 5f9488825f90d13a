import { type Owner, SERVER_WIDE } from "../store/owner.ts";

/** The `index`-th, from 0, of `count` parts of a page. */
export interface Part {
  readonly index: number;
  readonly count: number;
}

export const WHOLE: Part = { index: 0, count: 1 };

/** More than scrapers with a cap need: parts of 1 MB of the largest page. */
export const MAX_PARTS = 100;

/** Reads `2/5`, which `02/05` is too: undefined where it is no part of a page. */
export function parsePart(text: string): Part | undefined {
  const match = /^(\d{1,3})\/(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return count <= MAX_PARTS && index < count ? { index, count } : undefined;
}

/** Each series is in just one of the parts; what is about a whole server is in the first. */
export function isInPart({ index, count }: Part, owner: Owner): boolean {
  return owner === SERVER_WIDE ? index === 0 : owner % count === index;
}

export function isWhole({ count }: Part): boolean {
  return count === 1;
}

export function isSamePart(a: Part, b: Part): boolean {
  return a.index === b.index && a.count === b.count;
}

/** The exporter's own metrics are in the first part, too. */
export function hasOwnMetrics({ index }: Part): boolean {
  return index === 0;
}
