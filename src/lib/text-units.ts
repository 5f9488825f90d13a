/**
 * Methods of texts for loops over what comes from many sources. V8 keeps a text that was cut, joined or looked up in another
 * form each, and where more than four of these come, `text.charCodeAt` looks the method up anew at each call, which takes three
 * times as long.
 */
const { charCodeAt, isWellFormed } = String.prototype;

/** The UTF-16 code unit at a place of the text; NaN behind its end. */
export function codeUnitAt(text: string, index: number): number {
  return charCodeAt.call(text, index);
}

/** Whether the text has no half of a character (a lone surrogate), which no encoding can carry. */
export function hasWholeCharacters(text: string): boolean {
  return isWellFormed.call(text);
}

/** Of FNV-1a, 32 bits: where it begins, and by what it multiplies. */
export const FNV_BASIS = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;

/** FNV-1a over UTF-16 code units, from `seed` on. */
export function fnv1a(text: string, seed: number): number {
  const { length } = text;
  let hash = seed;
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ codeUnitAt(text, index), FNV_PRIME);
  return hash;
}
