import { type Html, html } from "./html.ts";

/** Finds the words of a search in a text, in any case. `undefined` without words. */
export function wordPattern(text: string): RegExp | undefined {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return undefined;
  // The longest word first, so that it is marked whole.
  const sorted = words.sort((a, b) => b.length - a.length);
  return new RegExp(`(${sorted.map(escaped).join("|")})`, "giu");
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** The text with the found parts in `<mark>`. */
export function marked(text: string, words: RegExp | undefined): Html {
  if (words === undefined) return html`${text}`;
  // The pattern has one group, so that each second part is a match.
  return html`${text.split(words).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`;
}
