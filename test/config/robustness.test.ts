import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { runs } from "../support/runs.ts";
import { load, SECRET } from "./support.ts";

const EXAMPLE = readFileSync(new URL("../../config/prtg-exporter.example.yaml", import.meta.url), "utf8");
const LINE = /^(prtg\.yaml:\d+:\d+: .+|and \d+ more)$/;

/** Accepts, or rejects with a position in every line. */
async function expectVerdict(text: string): Promise<ConfigError | undefined> {
  try {
    await load(text, { KEY: SECRET });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split("\n")) expect(line).toMatch(LINE);
    for (const { line = 0, column = 0 } of error.problems) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(text.split("\n").length + 1);
      expect(column).toBeGreaterThanOrEqual(1);
    }
    return error;
  }
}

const PIECES = [
  "servers",
  "url",
  "auth",
  "api_key",
  "collectors",
  "tree",
  "schedule",
  "tls",
  "limits",
  "<<",
  "__proto__",
  ": ",
  ":",
  "\n",
  "\n  ",
  "\n    ",
  "\t",
  "- ",
  "[",
  "]",
  "{",
  "}",
  ",",
  '"',
  "'",
  "|",
  ">",
  "#",
  "&a ",
  "*a",
  "!!str ",
  "!x ",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "${KEY}",
  "${NONE:-5m}",
  "${",
  "$$",
  "null",
  "~",
  "true",
  "30s",
  "0x1F",
  ".nan",
  "5",
  "\0",
  "\uFEFF",
  "\u2028",
  "é",
  "\ud800",
];

describe("loader", () => {
  test("accepts or rejects pieces of YAML in any order, with positions", async () => {
    const documents = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(documents, async (text) => void (await expectVerdict(text))),
      { numRuns: runs(1500) },
    );
  });

  test("accepts or rejects the example with a replaced part, with positions", async () => {
    const edit = fc.tuple(
      fc.nat(EXAMPLE.length),
      fc.nat(30),
      fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 5 })),
    );
    const mutate = (edits: readonly [number, number, string][]) =>
      edits.reduce((text, [at, length, piece]) => text.slice(0, at) + piece + text.slice(at + length), EXAMPLE);
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        async (edits) => void (await expectVerdict(mutate(edits))),
      ),
      { numRuns: runs(300) },
    );
  });

  test("accepts or rejects any value in any place, with positions", async () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json));
    const lines = EXAMPLE.split("\n").flatMap((line, index) => (/^ *(- )?\w+: /.test(line) ? [index] : []));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...lines), value, async (index, json) => {
        const text = EXAMPLE.split("\n").with(
          index,
          (EXAMPLE.split("\n")[index] ?? "").replace(/: .*/, `: ${json.replaceAll("$", "$$$$")}`),
        );
        await expectVerdict(text.join("\n"));
      }),
      { numRuns: runs(300) },
    );
  });
});

test("errors do not repeat a literal secret in any broken document", async () => {
  const text = `servers:\n  - url: http://a\n    auth:\n      username: me\n      password: ${SECRET}\n`;
  const end = text.indexOf(SECRET);
  await fc.assert(
    fc.asyncProperty(fc.nat(end), fc.nat(3), fc.constantFrom(...PIECES), async (at, length, piece) => {
      const broken = text.slice(0, at) + piece + text.slice(Math.min(at + length, end));
      expect((await expectVerdict(broken))?.message ?? "").not.toContain(SECRET);
    }),
    { numRuns: runs(1000) },
  );
});
