import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** Of ES2025 and later. The types of the repository are those of Node.js 24. */
const NEWER =
  /\bRegExp\.escape\b|\bPromise\.try\b|\bFloat16Array\b|\bf16round\b|\bError\.isError\b|\bIterator\.concat\b|\bimport\.meta\.main\b|^\s*(await )?using \w+ =|\(\?[ims]*-?[ims]+:/m;

test("sources use nothing that Node.js 22 lacks", () => {
  const files = globSync(["src/**/*.ts", "bin/*.js"], { cwd: FOLDER });
  expect(files.length).toBeGreaterThan(100);
  const newer = files.flatMap((file) => {
    const [found] = NEWER.exec(readFileSync(`${FOLDER}${file}`, "utf8")) ?? [];
    return found === undefined ? [] : [`${file}: ${found}`];
  });
  expect(newer).toEqual([]);
});
