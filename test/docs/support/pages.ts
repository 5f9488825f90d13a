import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { anchor } from "../../../scripts/generate/markdown.ts";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FOREIGN = new Set(["node_modules", "dist", "coverage", ".git"]);

interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

export interface DocumentPage {
  /** Relative to the repository's root. */
  readonly file: string;
  readonly blocks: readonly CodeBlock[];
  /** Without code blocks and comments. */
  readonly prose: string;
  /** Text in backquotes. */
  readonly spans: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

function markdownFiles(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : markdownFiles(file);
    return entry.name.endsWith(".md") ? [file] : [];
  });
}

export function readPage(file: string): DocumentPage {
  return parsePage(file, readFileSync(path.join(ROOT, file), "utf8"));
}

export function parsePage(file: string, text: string): DocumentPage {
  const blocks: CodeBlock[] = [];
  const prose = text
    .replaceAll(/^( *)```(\w*)\n(.*?)^\1```$/gms, (_block, indent: string, language: string, code: string) => {
      blocks.push({ language, text: code.replaceAll(new RegExp(`^${indent}`, "gm"), "") });
      return "";
    })
    .replaceAll(/<!--.*?-->/gs, "");
  const spans = [...prose.matchAll(/(`+)(.+?)\1/gs)].map(([, , code = ""]) => code.replaceAll(/\s+/g, " ").trim());
  return { file, blocks, prose, spans, anchors: anchorsIn(prose) };
}

/** Repeated headings get a number. */
function anchorsIn(prose: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#+ (.*)$/gm)) {
    const name = anchor(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    let unique = name;
    for (let count = 1; anchors.has(unique); count++) unique = `${name}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Includes the chart's pages. */
export const PAGES: readonly DocumentPage[] = markdownFiles("").map(readPage);
/** Decisions name rejected alternatives. */
export const USER_PAGES: readonly DocumentPage[] = PAGES.filter(({ file }) => !file.startsWith("docs/decisions/"));

/** Continue on indented lines and closing parentheses. */
export function queriesOf({ blocks }: Pick<DocumentPage, "blocks">): string[] {
  return blocks
    .filter(({ language }) => language === "promql")
    .flatMap(({ text }) => text.replaceAll(/#.*$/gm, "").split(/\n(?![\s)])/))
    .map((query) => query.trim())
    .filter((query) => query !== "");
}
