import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { INDEX_OPTIONS, SEARCH_OPTIONS } from "../../../docs/.vitepress/search.ts";
import { ROOT } from "./pages.ts";

const DOCS = path.join(ROOT, "docs");
const MODULES = path.join(DOCS, "node_modules");

/** Of VPLocalSearchBox.vue. */
const DEFAULTS: object = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } };

/** What these packages of docs/, which the types of the root do not know, are used for. */
interface MiniSearch {
  add(section: object): void;
  search(query: string): { readonly id: string }[];
}
interface Site {
  createMarkdownRenderer(
    folder: string,
    options: object,
    base: string,
  ): Promise<{ render(text: string, env: object): string }>;
}

function installed<Module>(file: string): Promise<Module> {
  return import(pathToFileURL(path.join(MODULES, file)).href);
}

export interface SearchIndex {
  readonly sections: readonly string[];
  /** Sections, best first. */
  ask(query: string): string[];
}

/** The index that VitePress builds: a section for each heading. An id is a page with an anchor, as `faq#scraping`. */
export async function searchIndex(): Promise<SearchIndex> {
  if (!existsSync(MODULES)) throw new Error("docs/ has no install: run npm run docs:site");
  const { createMarkdownRenderer } = await installed<Site>("vitepress/dist/node/index.js");
  const { default: Index } = await installed<{ default: new (options: object) => MiniSearch }>(
    "minisearch/dist/es/index.js",
  );
  const { default: config } = await import(pathToFileURL(path.join(DOCS, ".vitepress/config.ts")).href);
  // Colors do not change the text, and take most of the time.
  const highlight = (text: string) => `<pre>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
  const markdown = await createMarkdownRenderer(DOCS, { ...config.markdown, highlight }, config.base);
  const index = new Index({
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: { ...DEFAULTS, ...SEARCH_OPTIONS },
    ...INDEX_OPTIONS,
  });
  const sections: string[] = [];
  for (const file of globSync("**/*.md", { cwd: DOCS, exclude: ["node_modules"] })) {
    const html = markdown.render(readFileSync(path.join(DOCS, file), "utf8"), {
      path: path.join(DOCS, file),
      relativePath: file,
      cleanUrls: true,
    });
    const page = file.replace(/(?:README|index)?\.md$/, "");
    for (const { anchor, titles, text } of sectionsOf(html)) {
      sections.push(`${page}#${anchor}`);
      index.add({ id: `/${page}#${anchor}`, title: titles.at(-1), titles: titles.slice(0, -1), text });
    }
  }
  return { sections, ask: (query) => index.search(query).map(({ id }) => id.slice(1)) };
}

/** As VitePress divides the HTML of a page. */
function sectionsOf(html: string): { anchor: string; titles: string[]; text: string }[] {
  const parts = html.split(/<h(\d*).*?>(.*?<a.*? href="#.*?".*?>.*?<\/a>)<\/h\1>/gi).slice(1);
  const parents: (string | undefined)[] = [];
  const sections: { anchor: string; titles: string[]; text: string }[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    const level = Number(parts[at]) - 1;
    const [, heading = "", anchor = ""] = /(.*?)<a.*? href="#(.*?)".*?>.*?<\/a>/i.exec(parts[at + 1] ?? "") ?? [];
    const title = withoutTags(heading).trim();
    const text = parts[at + 2] ?? "";
    if (title === "" || text === "") continue;
    parents.length = level;
    parents[level] = title;
    sections.push({ anchor, titles: parents.filter((each) => each !== undefined), text: withoutTags(text) });
  }
  return sections;
}

function withoutTags(html: string): string {
  return html.replaceAll(/<[^>]*>/g, "");
}
