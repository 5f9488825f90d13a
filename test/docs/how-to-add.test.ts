import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { RETRIES } from "../../src/lib/retry-delay.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = readFileSync(new URL("docs/architecture.md", ROOT), "utf8");
const CHAPTER = PAGE.split("## How do I add it?")[1] ?? "";
const ROWS = new Map(
  [...(CHAPTER.split("\n## ")[0] ?? "").matchAll(/^\| (?<what>[^|]+) \| (?<files>[^|]+) \| (?<tests>[^|]+) \|$/gm)]
    .map(({ groups: { what = "", files = "", tests = "" } = {} }) => [what, { files, tests }] as const)
    .filter(([what]) => what !== "to add"),
);

/** Files of `src/` that a row names. */
function filesOf(what: string): readonly string[] {
  const { files = "" } = ROWS.get(what) ?? {};
  return [...files.matchAll(/`(?<path>src\/[^`]+\.ts)`/g)].map(({ groups }) => groups?.path ?? "");
}

const SOURCES = globSync("src/**/*.ts", { cwd: fileURLToPath(ROOT) })
  .map((path) => path.replaceAll("\\", "/"))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(new URL(path, ROOT), "utf8") }));

function filesWith(pattern: RegExp): readonly string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

describe("How do I add it?", () => {
  test("names files and folders that exist", () => {
    expect(ROWS.size).toBeGreaterThan(10);
    for (const [what, { files, tests }] of ROWS) {
      const paths = [...`${files} ${tests}`.matchAll(/`((?:src|test|config)\/[^`]+)`/g)].map(([, path = ""]) => path);
      expect(paths.length, what).toBeGreaterThan(0);
      expect(
        paths.filter((path) => !existsSync(new URL(path, ROOT))),
        what,
      ).toEqual([]);
    }
  });

  test("is on a page that names files that exist", () => {
    const named = [...PAGE.matchAll(/`((?:src\/)?[\w/-]+\/[\w-]+\.ts)`/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(50);
    const exists = (path: string) =>
      ["", "src/"].some((folder) => existsSync(new URL(folder + path, ROOT))) ||
      existsSync(new URL(`packages/${path.replace("simulator/", "simulator/src/")}`, ROOT));
    expect(named.filter((path) => !exists(path))).toEqual([]);
  });

  test("a metric of a new fact: nothing else names the fact", () => {
    const named = filesWith(/downDelay|down_delay|DownDelay/);
    expect(named).toHaveLength(4);
    expect([...filesOf("a metric of a new fact"), ...filesOf("a metric of a known fact")]).toEqual(
      expect.arrayContaining(named.filter((path) => !path.startsWith("src/mapping/families/"))),
    );
  });

  test.each(STATUS_TOKENS.filter((token) => token.startsWith("paused")))("a status: nothing else names %s", (token) => {
    expect(filesWith(new RegExp(`\\b${token}\\b`))).toEqual(filesOf("a status"));
  });

  test("a collector: nothing else names its row, its poll and its schedule", () => {
    const named = filesWith(/\bpollHealth\b|\bname: "health"|^ {2}health: /m);
    expect(named).toEqual(filesOf("a collector").toSorted());
  });

  test("a retry policy: nothing else has delays of its own", () => {
    expect(Object.keys(RETRIES).length).toBeGreaterThan(5);
    expect(filesWith(/\b(first|max)Ms: [\d_]+/)).toEqual(filesOf("a retry policy"));
  });
});
