/**
 * `npm run prose [-- --worst N]`: how the pages and the comments read. Exits with 1 if a group has more marks a sentence than its
 * limit. Part of `npm run lint`.
 */
import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Sentence, sentencesOf } from "./prose/marks.ts";

/** Generated pages have the prose of the schemas that they come from. */
const GROUPS = [
  {
    name: "pages",
    files: ["README.md", "CONTRIBUTING.md", "docs/*.md", "packages/simulator/README.md", "deploy/helm/*/README.md"],
    limit: 0.15,
  },
  { name: "runbooks", files: ["docs/runbooks/*.md"], limit: 0.15 },
  { name: "decisions", files: ["docs/decisions/*.md"], limit: 0.15 },
  { name: "comments of src", files: ["src/**/*.ts", "packages/simulator/src/**/*.ts"], limit: 0.15 },
  { name: "comments of tests", files: ["test/**/*.ts", "packages/simulator/test/**/*.ts"], limit: 0.2 },
] as const;

const { values } = parseArgs({ options: { worst: { type: "string", default: "0" } } });
const rated: Sentence[] = [];
for (const { name, files, limit } of GROUPS) {
  const sentences = globSync([...files]).flatMap((file) => sentencesOf(file, readFileSync(file, "utf8")));
  const marks = sentences.reduce((sum, sentence) => sum + sentence.marks.length, 0) / Math.max(1, sentences.length);
  const isOver = marks > limit;
  if (isOver) process.exitCode = 1;
  const verdict = isOver ? "TOO MANY, see `npm run prose -- --worst 20`" : "ok";
  process.stdout.write(
    `${name}: ${sentences.length} sentences, ${marks.toFixed(3)} marks each (limit ${limit}): ${verdict}\n`,
  );
  rated.push(...sentences);
}
rated.sort((a, b) => b.marks.length - a.marks.length || b.text.length - a.text.length);
for (const { file, text, marks } of rated.slice(0, Number(values.worst))) {
  process.stdout.write(`${file}: ${marks.join(", ")}\n  ${text}\n`);
}
