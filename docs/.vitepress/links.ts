import { existsSync, statSync } from "node:fs";
import path from "node:path";

export const REPOSITORY = "https://github.com/prtg-exporter/prtg-exporter";

/** What this module uses of markdown-it. */
interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { readonly tokens: readonly Token[]; readonly env: Page }) => void): void;
    };
  };
}

interface Page {
  readonly path: string;
  /** Set if the site serves the page under another path. */
  readonly realPath?: string;
}

/** Pages link to files of the repository. Those that are not in the site get their address at GitHub. */
export function linkToRepository(markdown: Markdown, docs: string): void {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    for (const link of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === "link_open")) {
      link.attrSet("href", siteLink(link.attrGet("href") ?? "", env.realPath ?? env.path, docs));
    }
  });
}

/** The address in the site of what a link in a page leads to. */
export function siteLink(href: string, page: string, docs: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [, to = "", fragment = ""] = /^([^#]*)(.*)$/.exec(href) ?? [];
  const file = path.resolve(path.dirname(page), decodeURI(to));
  const below = path.relative(docs, file);
  if (below.startsWith("..") || !/\.(?:md|png)$/.test(file)) {
    const place = path.relative(path.dirname(docs), file).replaceAll(path.sep, "/");
    // A link that leads nowhere stays, so that the build reports it.
    return existsSync(file)
      ? `${REPOSITORY}/${statSync(file).isDirectory() ? "tree" : "blob"}/main/${place}${fragment}`
      : href;
  }
  return to.replace(/(?<=^|\/)README\.md$/, "index.md") + fragment;
}
