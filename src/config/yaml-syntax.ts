import {
  LinePositions,
  MAX_ITEMS,
  MAX_LINES,
  MAX_NESTING,
  type Position,
  parseYamlTree,
  YamlFault,
  type YamlNode,
} from "../lib/yaml-tree.ts";
import { ConfigError } from "./config-error.ts";

export interface ParsedYaml {
  readonly root: YamlNode;
  positionAt(offset: number): Position;
}

export const TOO_DEEP = `lists or maps are nested too deeply: at most ${MAX_NESTING} levels`;

/** YAML 1.2. @throws ConfigError CONFIG_SYNTAX with the first fault */
export function parseYaml(text: string, file: string): ParsedYaml {
  const lines = new LinePositions(text);
  const positionAt = (offset: number) => lines.at(offset);
  try {
    return { root: parseYamlTree(text), positionAt };
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    const { words, offset } = describe(error, text);
    const position = positionAt(offset);
    const location = `${file}:${position.line}:${position.column}`;
    throw new ConfigError([{ code: "CONFIG_SYNTAX", location, ...position, key: "", text: words }]);
  }
}

interface Description {
  readonly words: string;
  readonly offset: number;
}

/** Explains the library's error at the place where a reader finds the fault. */
function describe(fault: YamlFault, text: string): Description {
  const { words, offset } = diagnose(fault, text);
  const inFlow = /[{[].*(?<!["'])\$\{/.test(lineAround(text, offset).text) && words !== TWICE;
  return { words: inFlow ? `${words} (inside { } and [ ] put \${...} in quotes)` : words, offset };
}

function diagnose({ message, offset }: YamlFault, text: string): Description {
  const [, words = "unreadable YAML"] = WORDS.find(([reason]) => reason.test(message)) ?? [];
  const line = lineAround(text, offset);
  const before = text.slice(line.start, offset);
  if (words === ESCAPE) return { words, offset: offset - 1 };
  if (words === KEY)
    return { words, offset: /multiline/.test(message) ? lineAround(text, line.start - 1).first : line.first };
  if (/indentation|^missed comma|flow collection$/.test(message)) {
    if (/^[ ]*\t/.test(line.text) && offset <= line.first) return { words: TAB, offset: line.start };
    const bracket = /^bad/.test(message) ? undefined : openBracket(text, offset);
    const isClosed = /^missed/.test(message) && text.charAt(offset) === CLOSING[bracket ?? ""];
    const isOther = /^missed/.test(message) && !/[\]}]/.test(text.charAt(offset));
    if (bracket !== undefined && !isClosed && !isOther)
      return { words: `a closing ${CLOSING[bracket]} is missing`, offset };
    if (message === "deficient indentation") return { words: openQuote(text, offset), offset };
  }
  if (words !== INDENT && words !== UNEXPECTED) return { words, offset };
  if (/[@`%]/.test(text.charAt(offset))) return { words: "put text that starts with @, ` or % in quotes", offset };
  if (words === UNEXPECTED) return { words, offset };
  if (before.trim() === "") return { words, offset: line.start };
  if (text.charAt(offset) !== ":") return { words: UNEXPECTED, offset };
  const value = line.start + (/^[^:]*:\s+/.exec(before)?.[0].length ?? before.length);
  return {
    words: "a second `: ` in one line: quote the value, or put nested keys on lines of their own",
    offset: value,
  };
}

const CLOSING: Readonly<Record<string, string>> = { "[": "]", "{": "}" };

/** The last open bracket before `end`, without quotes and comments. */
function openBracket(text: string, end: number): string | undefined {
  let closed = 0;
  for (let at = end - 1; at >= 0; at--) {
    const character = text.charAt(at);
    if (character === "]" || character === "}") closed++;
    else if ((character === "[" || character === "{") && --closed < 0) return character;
  }
  return undefined;
}

const TAB = "a tab in the indentation: use spaces";
const UNEXPECTED = "unexpected text: put a value with quotes or any of { } [ ] , # in quotes";
const INDENT = "wrong indentation: the keys of a map and the items of a list must start in the same column";
const DOUBLE_QUOTE = "a closing double quote is missing";
const SINGLE_QUOTE = "a closing single quote is missing";
const TWICE = "this key occurs twice in one map";
const ESCAPE = "an unknown escape in double quotes (write \\\\ for a backslash, or use single quotes)";
const KEY = "this line is not `key: value`";
const TAG = "an unknown tag, or a value that does not match its tag (put text that starts with ! in quotes)";
const DIRECTIVE = "a line that starts with % must be a YAML directive";

/** Constant, because the library's messages may quote the file. */
const WORDS: readonly (readonly [reason: RegExp, words: string])[] = [
  [/^nesting exceeded/, TOO_DEEP],
  [/^larger than/, "the file is larger than 1,048,576 bytes"],
  [/^a second document/, "a second document begins here, but the configuration must be one document"],
  [/^duplicated mapping key/, TWICE],
  [/^too many items/, `more than ${MAX_ITEMS.toLocaleString("en")} items in one list or map`],
  [/^too many lines/, `more than ${MAX_LINES.toLocaleString("en")} lines and commas`],
  [/^a long key/, "a key of more than 1024 characters"],
  [/double quoted scalar$/, DOUBLE_QUOTE],
  [/single quoted scalar$/, SINGLE_QUOTE],
  [/^unexpected end of the stream within a flow/, "a closing ] or } is missing"],
  [/^unknown escape|hexadecimal/, ESCAPE],
  [/^tab characters/, TAB],
  [/^alias node should/, "an alias (*name) cannot have an anchor or a tag (put text that starts with * in quotes)"],
  [/^name of an a/, "an anchor or alias without a valid name (put text that starts with & or * in quotes)"],
  [/^duplication of an anchor/, "two anchors on one value (put text that starts with & in quotes)"],
  [/^duplication of a tag/, "two tags on one value (put text that starts with ! in quotes)"],
  [/\btag\b|TAG/, TAG],
  [/irective/, DIRECTIVE],
  [/multiline key|expected ':'|end mark/, KEY],
  [/indentation|a line break is expected/, INDENT],
  [/printable|valid JSON|null byte/, "an invalid character: is the file UTF-8?"],
  [/^missed comma|^expected the node|^end of the stream/, UNEXPECTED],
];

function openQuote(text: string, end: number): string {
  const isDouble = text.lastIndexOf('"', end) > text.lastIndexOf("'", end);
  return isDouble ? DOUBLE_QUOTE : SINGLE_QUOTE;
}

const MAX_LINE = 1_000;

/** @returns `start` of the line at `offset`, and `first`, its first non-blank character. */
function lineAround(text: string, offset: number) {
  const start = text.lastIndexOf("\n", Math.max(offset - 1, 0)) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, Math.min(end === -1 ? text.length : end, start + MAX_LINE));
  return { text: line, start, first: start + line.search(/\S|$/) };
}
