import { type CompiledPattern, matches } from "./pattern.ts";

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
