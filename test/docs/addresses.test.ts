import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "../../docs/.vitepress/links.ts";
import { PAGES, ROOT } from "./support/pages.ts";

const [, owner = "", name = ""] = new URL(REPOSITORY).pathname.split("/");
/** GitHub Pages serves the site there. */
const SITE = `https://${owner}.github.io/${name}/`;

/** Files that users get without the repository. */
const SHIPPED = globSync(
  ["src/**/*.ts", "packages/simulator/{README.md,src/**/*.ts}", "config/*.example.yaml", "deploy/**/*.{yaml,yml,json}"],
  { cwd: ROOT },
).map((file) => ({ file, text: withoutComments(file, readFileSync(path.join(ROOT, file), "utf8")) }));

function withoutComments(file: string, text: string): string {
  return file.endsWith(".ts") ? text.replaceAll(/^\s*(\/\*\*|\*|\/\/).*$/gm, "") : text;
}

describe("texts that users see without the repository", () => {
  test("name the address of a page instead of its path", () => {
    expect(SHIPPED.filter(({ text }) => /(?<![\w./])docs\/[a-z-]+\.md/.test(text)).map(({ file }) => file)).toEqual([]);
  });

  test("name only pages of the site, with headings that exist", () => {
    const anchors = new Map(PAGES.map((page) => [page.file, page.anchors]));
    const addresses = SHIPPED.flatMap(({ file, text }) =>
      [...text.matchAll(/https:\/\/[\w-]+\.github\.io\/[^\s"'`)\]]*/g)].map(([url]) => ({
        file,
        url: url.replace(/[.,:]+$/, ""),
      })),
    );
    expect(addresses.length).toBeGreaterThan(20);
    const wrong = addresses.filter(({ url }) => {
      const [page = "", anchor] = url.slice(SITE.length).split("#");
      const known = url.startsWith(SITE) ? anchors.get(`docs/${page}.md`) : undefined;
      return known === undefined || (anchor !== undefined && !known.has(anchor));
    });
    expect(wrong).toEqual([]);
  });
});
