/** Turns of phrase that make readers stop. The word list of the guard in `scripts/prose.ts`. */
export const MARKS: Readonly<Record<string, RegExp>> = {
  "begins with a What/Who/Where/Which clause": /^(?:What|Who|Whoever|Whatever|Where|Which)\b(?!.*\?$)/,
  "begins with That of, Those of, Of ...":
    /^(?:That of|Those (?:of|that|which|who)|Of (?:a|an|the|each|all|what|those|which)|One that|The one that)\b/,
  "in place of": /\bin place of\b/,
  "is told": /\b(?:is|are|was|were|be) told\b/,
  "of which, of whom, of what": /\bof (?:which|whom|what)\b/,
  "whoever, nobody, somebody": /\b(?:whoever|nobody|somebody|anybody|whatever)\b/,
  "that there is, than there is": /\b(?:that|than|as) there (?:is|are|was|were)\b/,
  "is no, are none": /\b(?:is|are|was|were) (?:no|none)\b/,
  "so that": /\bso that\b/,
  "ends with mostly, too, either ...": /, (?:mostly|too|either|then|instead)[.;:]?$/,
  semicolon: /;/,
  "over 30 words": /^(?:\S+\s+){30}/,
};

export interface Sentence {
  readonly file: string;
  readonly text: string;
  readonly marks: readonly string[];
}

/** Sentences of a Markdown file, or of the comments of a TypeScript file. */
export function sentencesOf(file: string, source: string): Sentence[] {
  const prose = plainText(file.endsWith(".md") ? source : commentsOf(source));
  return prose.split(/\n\s*\n/).flatMap((paragraph) => {
    const line = paragraph.split(/\s+/).join(" ").trim().replaceAll("**", "");
    const texts = line.split(/(?<=[.!?:])\s+(?=[A-Z"(X])/).filter((text) => text.split(" ").length >= 4);
    return texts.map((text) => ({ file, text, marks: marksOf(text) }));
  });
}

function marksOf(text: string): string[] {
  return Object.entries(MARKS)
    .filter(([, mark]) => mark.test(text))
    .map(([name]) => name);
}

/** Without code, headings, addresses and tags. Each cell of a table and each item of a list is a paragraph. */
function plainText(text: string): string {
  return text
    .replaceAll(/```.*?```/gs, "")
    .replace(/^---\n.*?\n---\n/s, "")
    .replaceAll(/^#.*$/gm, "")
    .replaceAll(/^\s*\|(.*)\|\s*$/gm, (_, row: string) => `\n\n${row.split("|").join("\n\n")}\n\n`)
    .replaceAll(/<!--.*?-->|<[^>\n]+>/gs, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/`[^`\n]*`/g, "X")
    .replaceAll(/^\s*(?:[-*]|\d+\.|@\w+)\s+/gm, "\n\n");
}

/** Strings, templates and regular expressions could hold what looks like a comment, so they are matched first. */
const TOKEN =
  /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\*(?<block>.*?)\*\/|(?<=^|\s)\/\/(?<line>[^\n]*)/gms;

function commentsOf(source: string): string {
  return [...source.matchAll(TOKEN)]
    .map(({ groups }) => {
      if (groups?.block !== undefined) return `\n\n${groups.block.replaceAll(/^\s*\*+ ?/gm, "")}\n\n`;
      return groups?.line ?? "";
    })
    .join("\n");
}
