/*
 * Makes patterns from names in the table. They ignore case and punctuation, because the data set has neither.
 * Names without placeholders become texts after `~`, which need only a lookup.
 */

/** In PRTG's historic data. */
const RATE_SUFFIXES = ["speed", "geschwindigkeit"];

export interface NameOptions {
  readonly isRate: boolean;
  /** They may follow the name. */
  readonly texts: readonly string[];
  /** Placeholders that become labels. */
  readonly captured: ReadonlySet<string>;
  /** Regular expression per placeholder. */
  readonly placeholders: Readonly<Record<string, string>>;
}

/** Like `Free Bytes[ {disk}]`. */
export function namePatterns(template: string, { isRate, texts, captured, placeholders }: NameOptions): string[] {
  const suffixes = isRate ? RATE_SUFFIXES : texts;
  if (!/[[{]/.test(template)) return ["", ...suffixes].map((suffix) => `~${template} ${suffix}`.trim());
  const pieces = template.split(/(\{\w+\}|[[\]])/).map((piece) => {
    if (piece === "[") return "(?:";
    if (piece === "]") return ")?";
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    if (name === undefined) return textPattern(piece);
    return `(${captured.has(name) ? `?<${name}>` : "?:"}${placeholders[name] ?? ".+?"})`;
  });
  const ending = suffixes.length === 0 ? "" : `(?:\\W*(?:${suffixes.map(textPattern).join("|")}))?`;
  return [`/(?i)${pieces.join("")}${ending}/`];
}

function textPattern(text: string): string {
  const parts = text.toLowerCase().match(/[\p{L}\p{N}]+|%|[^\p{L}\p{N}%]+/gu) ?? [];
  return parts.map(partPattern).join("");
}

/** Requires spaces next to a placeholder, so that it matches whole words. */
function partPattern(part: string, index: number, parts: readonly string[]): string {
  if (part === "%") return "(?:%|percent|prozent)";
  if (/^[\p{L}\p{N}]/u.test(part)) return part.replaceAll(/\d+/g, "\\d+");
  const isInside = index > 0 && index < parts.length - 1;
  if (isInside || !/\s/.test(part)) return "\\W*";
  return part.trim() === "" ? "\\s+" : "\\s+\\W*";
}
