import { describe, expect, test } from "vitest";
import { MAX_YAML_BYTES } from "../../src/lib/yaml-tree.ts";
import { loadWithFiles } from "./support.ts";

/** Maximum file size. */
function filled(piece: string, begin = "", bytes = MAX_YAML_BYTES): string {
  return begin + piece.repeat(Math.floor((bytes - begin.length) / piece.length));
}

function numbered(line: (index: number) => string, begin = "", bytes = MAX_YAML_BYTES): string {
  let text = begin;
  for (let index = 0; text.length + line(index).length <= bytes; index++) text += line(index);
  return text;
}

function steps(): string {
  let text = "";
  for (let depth = 0; text.length + depth + 3 <= MAX_YAML_BYTES; depth++) text += `${" ".repeat(depth)}a:\n`;
  return text;
}

const DEEP = "nested too deeply: at most 100 levels";
const ITEMS = "more than 10,000 items in one list or map";
const LINES = "more than 100,000 lines and commas";

/** Before or at the start of parsing. */
const REFUSED_AT_ONCE: readonly (readonly [title: string, text: string, words: string])[] = [
  ["open lists", filled("["), DEEP],
  ["open maps", filled("{a: "), DEEP],
  ["lists in one line", filled("- "), DEEP],
  ["explicit keys in one line", filled("? "), DEEP],
  ["maps below each other", steps(), DEEP],
  ["unknown keys", numbered((index) => `key_${index}: 1\n`), ITEMS],
  ["items that are no servers", numbered((index) => `- ${index}\n`), ITEMS],
  ["anchors", numbered((index) => `- &a${index} x\n`), ITEMS],
  ["the same key", filled("a: 1\n"), ITEMS],
  ["documents", filled("---\na\n"), ITEMS],
  ["comments", filled("#\n"), LINES],
  ["items in one line", filled("1,", "["), LINES],
  ["empty lines in a text", filled("\n", "a: |\n"), LINES],
  ["closing brackets", filled("]"), "unexpected text"],
  ["unknown escapes", filled("\\q", 'a: "'), "an unknown escape"],
  ["anchors of one value", filled("&a "), "two anchors"],
  [
    "aliases that chain merges",
    numbered((i) => `a${i + 1}: &a${i + 1} {<<: *a${i}}\n`, "a0: &a0 {b: 1}\n", 20_000),
    DEEP,
  ],
  ["quotes that are open", filled("x ", 'a: "'), "a closing double quote is missing"],
];

/** The fault only shows after parsing everything. */
const REFUSED_IN_LINEAR_TIME: typeof REFUSED_AT_ONCE = [
  ["20,000 unknown keys", numbered((index) => `k${index}: 1\n`, "", 189_000), ITEMS],
  ["9,000 unknown keys", numbered((index) => `k${index}: 1\n`, "", 86_000), "unknown key"],
  ["9,000 servers without anything", filled("- {}\n", "", 45_000), "missing"],
  ["unknown keys in a section", numbered((index) => ` k${index}: 1\n`, "tls:\n"), ITEMS],
  ["default values that are open", filled("${A:-", "name: "), "expected ${NAME} or ${NAME:-default}"],
  [
    "merges of a large map",
    filled("  <<: *a\n", `${numbered((i) => `k${i}: 1,`, "a: &a {", 80_000)}}\nb:\n`, 170_000),
    "more than 100000 values",
  ],
];

const LIMIT_MS = 50;
const LINEAR_LIMIT_MS = 500;
const REFERENCE = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => `key ${index}`));
const REFERENCE_MS = 15;

/** 1 on a machine that parses the reference in 15 ms of CPU, more on a slower or busier one. */
function slowness(): number {
  const times = Array.from({ length: 10 }, () => {
    const begin = process.cpuUsage();
    JSON.parse(REFERENCE);
    return process.cpuUsage(begin).user / 1_000;
  });
  return Math.max(1, Math.min(...times) / REFERENCE_MS);
}

/** Measures the machine only if the limit needs it. */
function expectWithin(limitMs: number, cpuMs: number): void {
  expect(cpuMs).toBeLessThan(cpuMs < limitMs ? limitMs : limitMs * slowness());
}

async function refusal(text: string): Promise<{ readonly message: string; readonly cpuMs: number }> {
  const begin = process.cpuUsage();
  const { badServerFiles } = await loadWithFiles('servers_from: { files: "/d/*.yaml" }\n', { "/d/a.yaml": text });
  const { user } = process.cpuUsage(begin);
  return { message: badServerFiles[0]?.error.message ?? "accepted", cpuMs: user / 1_000 };
}

/** Best of ten at most, because of other threads and load. */
async function refusals(text: string, limitMs: number): Promise<{ readonly message: string; readonly cpuMs: number }> {
  let best = await refusal(text);
  for (let times = 1; times < 10 && best.cpuMs >= limitMs; times++) {
    const again = await refusal(text);
    if (again.cpuMs < best.cpuMs) best = again;
  }
  return best;
}

describe("limits of one file", () => {
  test.each(REFUSED_AT_ONCE)("%s, at the maximum: fails within 50 ms", async (_, text, words) => {
    const { message, cpuMs } = await refusals(text, LIMIT_MS);
    expect(message).toContain(words);
    expect(message.split("\n").length).toBeLessThanOrEqual(51);
    expectWithin(LIMIT_MS, cpuMs);
  });

  test.each(REFUSED_IN_LINEAR_TIME)("%s: fails in linear time", async (_, text, words) => {
    const { message, cpuMs } = await refusals(text, LINEAR_LIMIT_MS);
    expect(message).toContain(words);
    expect(message.split("\n").length).toBeLessThanOrEqual(51);
    expectWithin(LINEAR_LIMIT_MS, cpuMs);
  });

  test("ignore brackets in quotes, comments and long texts", async () => {
    const brackets = "[{".repeat(500);
    const text = `# ${brackets}\nname: "${brackets}" # ${brackets}\nurl: http://a\nauth: { username: '${brackets}', password_file: /run/secrets/key }\n`;
    const { badServerFiles, config } = await loadWithFiles('servers_from: { files: "/d/*.yaml" }\n', {
      "/d/a.yaml": text,
    });
    expect(badServerFiles).toEqual([]);
    expect(config.servers[0]?.name).toBe(brackets);
  });

  test("show the number of hidden findings", async () => {
    const { message } = await refusal(
      numbered((index) => `k${index}: 1\n`, "url: http://a\nauth: { api_key_file: /run/secrets/key }\n", 1_500),
    );
    expect(message).toMatch(/:52:1: k49: unknown key.*\nand \d+ more$/);
  });
});
