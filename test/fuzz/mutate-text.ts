import { below, pick, type Random } from "./random.ts";

const ODD_TEXTS: readonly string[] = [
  ..."\0 \t \r \n \u0085 \u2028 \uFEFF \u202E \ud800 \udc00 \u0301 é 漢 😀 \\ \" ' ` $ # % & * ? [ ] { } ( ) < > , : ; | / - + .".split(
    " ",
  ),
  " ",
  "\r\n",
  "",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  "-0",
  "1e999",
  "9007199254740993",
  "99999999999999999999999999",
  "0x10",
  "true",
];
const LONGEST = 4_000;

export interface TextSource {
  readonly corpus: readonly string[];
  readonly words: readonly string[];
}

/** Sometimes unchanged. */
export function mutateText(random: Random, { corpus, words }: TextSource): string {
  let text = pick(random, corpus);
  for (let changes = below(random, 5); changes > 0; changes--) text = changeOnce(random, text, corpus, words);
  return text.length > LONGEST ? text.slice(0, LONGEST) : text;
}

function changeOnce(random: Random, text: string, corpus: readonly string[], words: readonly string[]): string {
  const at = below(random, text.length + 1);
  const end = Math.min(text.length, at + 1 + below(random, random() < 0.8 ? 8 : 200));
  const [before, piece, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  switch (below(random, 9)) {
    case 0:
      return before + after;
    case 1:
      return before + pick(random, ODD_TEXTS) + text.slice(at);
    case 2:
      return before + pick(random, words) + (random() < 0.5 ? text.slice(at) : after);
    case 3:
      return before + piece.repeat(1 + below(random, random() < 0.9 ? 3 : 200)) + after;
    case 4: {
      const other = pick(random, corpus);
      return before + other.slice(below(random, other.length + 1));
    }
    case 5:
      return before + String.fromCharCode(below(random, random() < 0.7 ? 128 : 65_536)) + text.slice(at + 1);
    case 6:
      return before;
    case 7:
      return after + before + piece;
    default:
      return text.replace(/-?\d+(?:\.\d+)?/, () => oddNumber(random));
  }
}

function oddNumber(random: Random): string {
  return pick(random, [
    "0",
    "-1",
    "-0",
    "1e308",
    "1e999",
    "4294967296",
    "9007199254740993",
    "0.1",
    "1.",
    ".5",
    "00",
    "NaN",
  ]);
}
