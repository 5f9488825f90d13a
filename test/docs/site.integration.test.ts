import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runProgram } from "../real/support/run-program.ts";
import { ROOT } from "./support/pages.ts";
import { searchIndex } from "./support/search-index.ts";

const DOCS = path.join(ROOT, "docs");
const VITEPRESS = path.join(DOCS, "node_modules/vitepress/bin/vitepress.js");
const BASE = "/prtg-exporter/";
const BUILD_MS = 600_000;

let site: string;
/** HTML of each page by its file in the site. */
const pages = new Map<string, string>();

beforeAll(async () => {
  if (!existsSync(VITEPRESS)) throw new Error("docs/ has no install: run npm run docs:site");
  site = await mkdtemp(path.join(tmpdir(), "site-"));
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [VITEPRESS, "build", DOCS, "--outDir", site],
    "",
    BUILD_MS,
  );
  if (code !== 0) throw new Error(`the site does not build:\n${stdout}${stderr}`);
  for (const file of globSync("**/*.html", { cwd: site })) pages.set(file, readFileSync(path.join(site, file), "utf8"));
}, BUILD_MS);

afterAll(() => rm(site, { recursive: true }));

/** Values of an attribute of the page. */
function valuesOf(html: string, attribute: "href" | "src" | "id"): string[] {
  return [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, "g"))].map(([, value = ""]) =>
    decodeURI(value.replaceAll("&amp;", "&").replaceAll("&quot;", '"')),
  );
}

/** The file that a web server with clean addresses serves. */
function fileOf(address: string): string | undefined {
  const place = address.slice(BASE.length);
  return [place, `${place}.html`, `${place}index.html`].find((file) => pages.has(file) || isAsset(file));
}

function isAsset(file: string): boolean {
  return /\.\w+$/.test(file) && existsSync(path.join(site, file));
}

/** Links of a page into the site that lead to no page or no heading. */
function deadLinks(file: string, html: string): string[] {
  const page = new URL(file, `https://site${BASE}`);
  return [...valuesOf(html, "href"), ...valuesOf(html, "src")].filter((link) => {
    const { origin, pathname, hash } = new URL(link, page);
    if (origin !== page.origin) return false;
    const target = pathname === page.pathname ? file : fileOf(decodeURI(pathname));
    if (target === undefined) return true;
    const anchor = decodeURIComponent(hash.slice(1));
    return anchor !== "" && !valuesOf(pages.get(target) ?? "", "id").includes(anchor);
  });
}

describe("documentation site", () => {
  test("has an HTML page for each page", () => {
    const sources = globSync("**/*.md", { cwd: DOCS, exclude: ["node_modules"] });
    const expected = sources.map((file) => file.replace(/README\.md$/, "index.md").replace(/md$/, "html"));
    expect([...pages.keys()].toSorted()).toEqual(["404.html", ...expected].toSorted());
  });

  test("has no dead links, anchors and pictures", () => {
    const dead = [...pages].flatMap(([file, html]) => deadLinks(file, html).map((link) => `${file}: ${link}`));
    expect(dead).toEqual([]);
  });

  test("finds dead links", () => {
    const html =
      '<a href="./metrics#labels"><a href="./metrics#none"><a href="/prtg-exporter/none"><img src="none.png">';
    expect(deadLinks("alerts.html", html)).toEqual(["./metrics#none", "/prtg-exporter/none", "none.png"]);
  });

  test("has a search index of all pages and full metric names", () => {
    const [file = "none"] = globSync("assets/chunks/@localSearchIndex*.js", { cwd: site });
    const index = readFileSync(path.join(site, file), "utf8");
    const addresses = [...pages.keys()].map((page) => `"${BASE}${page.replace(/(?:index)?\.html$/, "")}#`);
    const expected = [
      ...addresses.filter((address) => !address.endsWith("/404#")),
      '"prtg_channel_value"',
      '"channel"',
    ];
    expect(expected.filter((text) => !index.includes(text))).toEqual([]);
  });

  test("has the sections of the index that test/docs/search.integration.test.ts asks", async () => {
    const [file = "none"] = globSync("assets/chunks/@localSearchIndex*.js", { cwd: site });
    const { default: index } = await import(pathToFileURL(path.join(site, file)).href);
    const { documentIds } = JSON.parse(index) as { documentIds: Record<string, string> };
    const sections = Object.values(documentIds).map((id) => id.slice(BASE.length));
    expect(sections.toSorted()).toEqual((await searchIndex()).sections.toSorted());
  });

  test("has the text of diagrams and the drawing library", () => {
    expect(pages.get("architecture.html")).toMatch(/<pre>flowchart TB/);
    expect(globSync("assets/mermaid.tiny.*.js", { cwd: site })).toHaveLength(1);
  });

  test("passes the type check", async () => {
    const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
    const { code, stdout } = await runProgram(process.execPath, [compiler, "-p", DOCS], "");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });
});
