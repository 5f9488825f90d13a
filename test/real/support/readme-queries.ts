import { readFileSync } from "node:fs";

/** PromQL lines of a page (default: README), without comments. */
export function readmeQueries(page = "README.md"): string[] {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8");
  return queriesIn(text);
}

function queriesIn(page: string): string[] {
  const blocks = page.matchAll(/^```promql\n(.*?)^```$/gms);
  return [...blocks]
    .flatMap(([, text = ""]) => text.split("\n"))
    .map((line) => line.replace(/#.*$/, "").trim())
    .filter((line) => line !== "");
}
