/** Slots; a power of two. More than the names of channels and units that a server has, so that few share one. */
const SLOTS = 4_096;
/** Longer texts are rarely the same. */
const LONGEST = 64;

const texts: string[] = new Array(SLOTS).fill("");

/**
 * The same text, in the one copy that was met last. Parsed JSON has a copy of `Traffic In` for each channel that is
 * called so; kept, these would be half of what a channel needs. Forgets whatever it likes.
 */
export function sharedText(text: string): string {
  const { length } = text;
  if (length < 2 || length > LONGEST) return text;
  // The places in which names with a common beginning or end differ.
  let hash = length;
  for (const at of [0, 1, length >> 1, (length >> 2) * 3, length - 2, length - 1]) {
    hash = Math.imul(hash, 31) + text.charCodeAt(at);
  }
  const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
  const known = texts[slot];
  if (known === text) return known;
  texts[slot] = text;
  return text;
}
