import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { anchor } from "../../scripts/generate/markdown.ts";
import { linkToRepository, REPOSITORY } from "./links.ts";
import { mermaidFences } from "./mermaid.ts";
import { NAVIGATION } from "./navigation.ts";
import { INDEX_OPTIONS, SEARCH_OPTIONS } from "./search.ts";

const DOCS = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");
const ICON = readFileSync(new URL("../../deploy/helm/prtg-exporter/icon.svg", import.meta.url), "utf8");
/** Pages with tables that need the room of the outline. */
const WIDE = new Set([
  "api-coverage.md",
  "commands.md",
  "comparison.md",
  "metrics.md",
  "missing-endpoints.md",
  "sensor-kinds.md",
]);

export default defineConfig({
  title: "prtg-exporter",
  description: "Paessler PRTG for Prometheus and OpenTelemetry: tutorials, how-to guides and reference",
  lang: "en",
  // GitHub Pages serves the site of a repository below its name.
  base: `${new URL(REPOSITORY).pathname.replace(/^\/[^/]+/, "")}/`,
  cleanUrls: true,
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  rewrites: { "decisions/README.md": "decisions/index.md" },
  // The demo's address is not a page of the site. Every other dead link fails the build.
  ignoreDeadLinks: "localhostLinks",
  transformPageData(page) {
    if (WIDE.has(page.relativePath)) page.frontmatter.aside = false;
  },
  markdown: {
    // Links in the repository use GitHub's anchors.
    anchor: { slugify: anchor },
    // Shiki has no grammars for these. The ones named color comments, strings and calls.
    languageAlias: { promql: "python", logql: "python", alloy: "hcl" },
    config(markdown) {
      linkToRepository(markdown, DOCS);
      mermaidFences(markdown);
    },
  },
  themeConfig: {
    sidebar: [...NAVIGATION],
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        miniSearch: { options: INDEX_OPTIONS, searchOptions: SEARCH_OPTIONS },
      },
    },
    nav: [{ text: "Changelog", link: `${REPOSITORY}/blob/main/CHANGELOG.md` }],
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    footer: { message: "Apache-2.0. Not affiliated with Paessler GmbH. PRTG is their trademark." },
  },
});
