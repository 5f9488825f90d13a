import { readFileSync } from "node:fs";

/** Every line of PromQL that the README shows, without its comment. */
export function readmeQueries(): string[] {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const blocks = readme.matchAll(/^```promql\n(.*?)^```$/gms);
  return [...blocks]
    .flatMap(([, text = ""]) => text.split("\n"))
    .map((line) => line.replace(/#.*$/, "").trim())
    .filter((line) => line !== "");
}
