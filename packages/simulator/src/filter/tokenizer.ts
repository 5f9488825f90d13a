import { excerpt, invalidDuration, invalidFilter } from "./filter-error.ts";

export type FilterSymbol = "=" | "!=" | "<" | "<=" | ">" | ">=" | "(" | ")" | "[" | "]" | ",";

/** A piece of a filter; `at` is its offset. Numbers and durations keep their digits as written. */
export type Token =
  | { readonly kind: "word"; readonly text: string; readonly at: number }
  | { readonly kind: "text"; readonly text: string; readonly at: number }
  | { readonly kind: "number"; readonly text: string; readonly at: number }
  | { readonly kind: "duration"; readonly text: string; readonly at: number }
  | { readonly kind: "symbol"; readonly text: FilterSymbol; readonly at: number }
  | { readonly kind: "end"; readonly text: ""; readonly at: number };

const SPACE = /\s+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_.]*/y;
/** Digits and whatever is glued to them, so that `60m` is one wrong duration and not a number and a word. */
const NUMERAL = /-?[0-9][A-Za-z0-9_.]*/y;
const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;
const SYMBOL = /!=|<=|>=|[=<>()[\],]/y;

/** The last token is `end`. @throws FilterError */
export function tokenize(filter: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < filter.length) {
    const space = take(SPACE, filter, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    if (filter[at] === '"') {
      const { text, end } = readText(filter, at);
      tokens.push({ kind: "text", text, at });
      at = end;
      continue;
    }
    const token = readPlain(filter, at);
    tokens.push(token.token);
    at += token.length;
  }
  tokens.push({ kind: "end", text: "", at: filter.length });
  return tokens;
}

function readPlain(filter: string, at: number): { token: Token; length: number } {
  const word = take(WORD, filter, at);
  if (word !== undefined) return { token: { kind: "word", text: word, at }, length: word.length };
  const numeral = take(NUMERAL, filter, at);
  if (numeral !== undefined) return { token: numeralToken(numeral, at), length: numeral.length };
  const symbol = take(SYMBOL, filter, at);
  if (symbol !== undefined)
    return { token: { kind: "symbol", text: symbol as FilterSymbol, at }, length: symbol.length };
  throw invalidFilter(`unexpected character ${JSON.stringify(String.fromCodePoint(filter.codePointAt(at) ?? 0))}`, at);
}

function numeralToken(numeral: string, at: number): Token {
  if (NUMBER.test(numeral)) return { kind: "number", text: numeral, at };
  const digits = numeral.slice(0, -1);
  if (numeral.endsWith("s") && NUMBER.test(digits)) return { kind: "duration", text: digits, at };
  const complaint = `${excerpt(numeral)} is neither a number nor a duration in seconds such as 60s`;
  throw /[A-Za-z_]/.test(numeral) ? invalidDuration(complaint, at) : invalidFilter(complaint, at);
}

/** Text in double quotes. Escapes, our reading (the specification names none): `\"` and `\\`. */
function readText(filter: string, at: number): { text: string; end: number } {
  let text = "";
  for (let i = at + 1; i < filter.length; i++) {
    const character = filter[i] ?? "";
    if (character === '"') return { text, end: i + 1 };
    if (character !== "\\") {
      text += character;
      continue;
    }
    const escaped = filter[i + 1];
    if (escaped !== '"' && escaped !== "\\") throw invalidFilter('only \\" and \\\\ are escapes', i);
    text += escaped;
    i++;
  }
  throw invalidFilter("text without closing quote", at);
}

function take(pattern: RegExp, filter: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(filter)?.[0];
}
