import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { unquoted } from "../lib/parsed-json.ts";

/** A condition of a silence, with the fields of Alertmanager's API v2. */
export interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export type Labels = ReadonlyMap<string, string>;
export const NO_LABELS: ReadonlyMap<string, string> = new Map();

export interface CompiledMatchers {
  /** As in Alertmanager, a missing label is the empty text, and regular expressions match the whole value. */
  matches(labels: Labels): boolean;
  /** Ignores matchers whose label is not in `labels`. `undefined`: all of them, so the matchers say nothing about these labels. */
  couldMatch(labels: Labels): boolean | undefined;
  /** Matchers whose regular expression is not usable. Then nothing matches. */
  readonly problems: readonly string[];
}

/** Longer expressions would block the process while they are compiled. */
const MAX_REGEX_LENGTH = 65_536;

interface Test {
  readonly name: string;
  readonly accepts: (value: string) => boolean;
}

export function compileMatchers(matchers: readonly Matcher[]): CompiledMatchers {
  const problems: string[] = [];
  const tests = matchers.map((matcher): Test => {
    const { name, value, isRegex, isEqual } = matcher;
    if (!isRegex) return { name, accepts: (text) => (text === value) === isEqual };
    const compiled = compileRegex(value);
    if (compiled instanceof RE2JS) return { name, accepts: (text) => compiled.testExact(text) === isEqual };
    problems.push(`${name}: ${compiled.fault}`);
    return { name, accepts: () => false };
  });
  const isUsable = problems.length === 0;
  return {
    problems,
    matches: (labels) => isUsable && tests.every(({ name, accepts }) => accepts(labels.get(name) ?? "")),
    couldMatch: (labels) => {
      if (!isUsable) return false;
      let could: true | undefined;
      for (const { name, accepts } of tests) {
        const value = labels.get(name);
        if (value !== undefined && !accepts(value)) return false;
        if (value !== undefined) could = true;
      }
      return could;
    },
  };
}

function compileRegex(source: string): RE2JS | { readonly fault: string } {
  if (source.length > MAX_REGEX_LENGTH) {
    return { fault: `the regular expression is longer than ${MAX_REGEX_LENGTH} characters` };
  }
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      return { fault: `the regular expression is invalid: ${error.getDescription()}` };
    }
    if (error instanceof RE2JSException) return { fault: "the regular expression is too large" };
    throw error;
  }
}

/** Characters that Alertmanager quotes in label names. */
const RESERVED = "\\p{White_Space}{}!=~,\\\\\"'`";
const HAS_RESERVED = new RegExp(`[${RESERVED}]`, "u");
/** Name, plain or in quotes, operator, and value. */
const MATCHER = new RegExp(`^(?:([^${RESERVED}]+)|("(?:[^"\\\\]|\\\\.)*"))\\s*(=~|!~|!=|=)\\s*(.*)$`, "su");

/** Prints a matcher as Alertmanager does: `device=~"core-.*"`. */
export function formatMatcher({ name, value, isRegex, isEqual }: Matcher): string {
  const operator = isRegex ? (isEqual ? "=~" : "!~") : isEqual ? "=" : "!=";
  // Alertmanager's parser accepts the escapes of JSON in this form.
  if (HAS_RESERVED.test(name)) return JSON.stringify(name) + operator + JSON.stringify(value);
  const escaped = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  return `${name}${operator}"${escaped}"`;
}

/** Parses one matcher in the syntax of Alertmanager. The quotes of the value are optional. Does not check regular expressions. */
export function parseMatcher(text: string): Matcher | { readonly fault: string } {
  const [, plainName, quotedName, operator = "", raw = ""] = MATCHER.exec(text.trim()) ?? [];
  const name = plainName ?? unquoted(quotedName ?? "");
  if (name === undefined) return { fault: "it does not begin with a label name and =, !=, =~ or !~" };
  if (name === "") return { fault: "the label name is empty" };
  const value = plainName === undefined ? unquoted(raw) : unescaped(raw);
  if (value === undefined) return { fault: "the quotes of its value are not closed, or in the wrong place" };
  return { name, value, isRegex: operator.includes("~"), isEqual: operator.startsWith("=") };
}

/** Escapes of OpenMetrics. As in Alertmanager, a backslash before another character is literal, which regular expressions use. */
function unescaped(raw: string): string | undefined {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(raw) ?? [];
  const content = quoted ?? raw;
  if (quoted === undefined && /^(?:[^"\\]|\\.)*"/s.test(content)) return undefined;
  return content.replaceAll(/\\([n"\\])/g, (_, character: string) => (character === "n" ? "\n" : character));
}
