import { type Document, LineCounter, parseDocument, type YAMLError } from "yaml";
import { ConfigError, type ConfigProblem } from "./config-error.ts";

/** Line and column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A file that is one well-formed YAML document. */
export interface ParsedYaml {
  readonly document: Document.Parsed;
  positionAt(offset: number): Position;
}

/**
 * Parses one document of YAML 1.2 with merge keys.
 * @throws ConfigError CONFIG_SYNTAX
 */
export function parseYaml(text: string, file: string): ParsedYaml {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter,
    // The library's pretty messages quote the line, and a secret with it.
    prettyErrors: false,
    version: "1.2",
    schema: "core",
    merge: true,
    resolveKnownTags: false,
  });
  const positionAt = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults = firstFaults([...document.errors, ...document.warnings], positionAt);
  if (faults.length > 0) {
    throw new ConfigError(
      faults.map((error): ConfigProblem => {
        const position = positionAt(error.pos[0]);
        return {
          code: "CONFIG_SYNTAX",
          location: `${file}:${position.line}:${position.column}`,
          ...position,
          key: "",
          text: describe(error, lineAround(text, error.pos[0])),
        };
      }),
    );
  }
  return { document, positionAt };
}

/** The first fault of each line, and none after the parser has lost its way: what follows are consequences. */
function firstFaults(errors: readonly YAMLError[], positionAt: (offset: number) => Position): YAMLError[] {
  const sorted = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const lost = sorted.findIndex(({ code }) => code === "UNEXPECTED_TOKEN" || code === "RESOURCE_EXHAUSTION");
  const lines = new Set<number>();
  return (lost === -1 ? sorted : sorted.slice(0, lost + 1)).filter(({ pos }) => {
    const { line } = positionAt(pos[0]);
    return !lines.has(line) && lines.add(line);
  });
}

function lineAround(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", Math.max(offset - 1, 0)) + 1, end === -1 ? text.length : end);
}

/** Our words for the library's codes: its own messages repeat pieces of the file. */
const WORDS: Readonly<Record<YAMLError["code"], string>> = {
  ALIAS_PROPS: "an alias (*name) takes neither anchor nor tag; text that starts with * must be quoted",
  BAD_ALIAS: "an anchor or alias without a usable name; text that starts with & or * must be quoted",
  BAD_COLLECTION_TYPE: "a tag that does not fit the value; text that starts with ! must be quoted",
  BAD_DIRECTIVE: "a line that starts with % must be a YAML directive",
  BAD_DQ_ESCAPE: "an unknown escape in double quotes; a backslash is written \\\\, or use single quotes",
  BAD_INDENT: "wrong indentation: the keys of one map, and the items of one list, start in the same column",
  BAD_PROP_ORDER: "an anchor or a tag in the wrong place",
  BAD_SCALAR_START: "text that starts with @, ` or % must be quoted",
  BLOCK_AS_IMPLICIT_KEY: "a second `: ` in one line: quote the value, or put nested keys on lines of their own",
  BLOCK_IN_FLOW: "inside { } and [ ] lists and maps are written with [ ] and { } too",
  DUPLICATE_KEY: "this key occurs twice in one map",
  IMPOSSIBLE: "unreadable YAML",
  KEY_OVER_1024_CHARS: "a key of more than 1024 characters",
  MISSING_CHAR: "something is missing here: a closing quote, a comma, or `: ` after a key",
  MULTILINE_IMPLICIT_KEY: "this line is no `key: value`",
  MULTIPLE_ANCHORS: "two anchors on one value; text that starts with & must be quoted",
  MULTIPLE_DOCS: "a second document begins here; the configuration is one document",
  MULTIPLE_TAGS: "two tags on one value; text that starts with ! must be quoted",
  NON_STRING_KEY: "a key that is no text",
  RESOURCE_EXHAUSTION: "lists or maps are nested too deeply",
  TAB_AS_INDENT: "a tab in the indentation: use spaces",
  TAG_RESOLVE_FAILED: "an unknown tag or a value that its tag does not fit; text that starts with ! must be quoted",
  UNEXPECTED_TOKEN: "unexpected text: a value that holds quotes or any of { } [ ] , # must be quoted",
};

/** Messages of the library that are constant, and more exact than its code. */
const CONSTANT_MESSAGES: Readonly<Record<string, string>> = {
  'Missing closing "quote': "a closing double quote is missing",
  "Missing closing 'quote": "a closing single quote is missing",
  "Implicit map keys need to be followed by map values": "this line is no `key: value`",
  "Flow sequence in block collection must be sufficiently indented and end with a ]": "a closing ] is missing",
  "Flow map in block collection must be sufficiently indented and end with a }": "a closing } is missing",
};

function describe(error: YAMLError, line: string): string {
  const words = CONSTANT_MESSAGES[error.message] ?? WORDS[error.code];
  const inFlow = /[{[].*(?<!["'])\$\{/.test(line);
  return inFlow && error.code !== "DUPLICATE_KEY" ? `${words} (inside { } and [ ] put \${...} in quotes)` : words;
}
