import { beforeAll, describe, expect, test } from "vitest";
import { commandsPage } from "../../scripts/generate/commands-page.ts";
import { anchor, table } from "../../scripts/generate/markdown.ts";
import type { Output } from "../../scripts/generate/output.ts";
import { generate, outdated } from "../../scripts/generate/outputs.ts";
import { presetsPage } from "../../scripts/generate/preset-families.ts";
import { createProgram } from "../../src/cli/program.ts";
import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import { ERROR_CATALOGUE } from "../../src/errors/catalogue.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { EXPORTER_FAMILIES } from "../../src/telemetry/metric-declarations.ts";
import { failureOf, load } from "../config/support.ts";

const ROOT = new URL("../../", import.meta.url);

test("the generated files are current (if not: npm run docs)", async () => {
  expect((await outdated(ROOT)).map(({ path }) => path)).toEqual([]);
});

describe("generated pages", () => {
  let outputs: readonly Output[];

  beforeAll(async () => {
    outputs = await generate(ROOT);
  });

  function page(path: string): string {
    const output = outputs.find((each) => each.path === path);
    if (output === undefined) throw new Error(`no ${path}`);
    return output.content;
  }

  test("name every family, label and error code", () => {
    const metrics = page("docs/metrics.md");
    for (const { name, labels } of [...Object.values(TREE_FAMILIES), ...EXPORTER_FAMILIES]) {
      const line = metrics.split("\n").find((each) => each.startsWith(`| \`${name}\` |`));
      for (const label of labels) expect(line).toContain(`\`${label}\``);
    }
    const errors = page("docs/errors.md");
    for (const code of Object.keys(ERROR_CATALOGUE)) expect(errors).toContain(`| \`${code}\` |`);
  });

  test("describe the values of every key", () => {
    const configuration = page("docs/configuration.md");
    expect(configuration).not.toMatch(/\bundefined\b|\[object/);
    for (const [key, type, value] of [
      ["keep", "`wide` or `ids`, or list of `probe`", "`wide`"],
      ["rename", "map from `probe`", "`{}`"],
    ] as const) {
      const [, keyType, preset, meaning] =
        configuration
          .match(new RegExp(`^\\| \`${key}\` \\| (.*)$`, "m"))?.[0]
          .split(/ ?\| ?/)
          .slice(1) ?? [];
      expect(keyType).toContain(type);
      expect(preset).toBe(value);
      expect(meaning).toMatch(/Example: `/);
    }
  });

  test("have links to existing headings", () => {
    for (const { path, content } of outputs) {
      if (!path.startsWith("docs/")) continue;
      const headings = new Set([...content.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchor(heading)));
      for (const [, target = ""] of content.matchAll(/\]\(#([^)]*)\)/g)) expect(headings).toContain(target);
    }
  });

  test("quote exact messages", async () => {
    const text = `servers:
  - url: https://prtg.example.com:1616
    auth:
      api_key_file: /run/secrets/key
collectors:
  tree:
    shedule: 5m
  status:
    schedule: 30
`;
    expect(page("docs/configuration.md")).toContain((await failureOf(load(text))).message);
  });
});

describe("presetsPage", () => {
  test("lists the families of each preset", async () => {
    const content = await presetsPage();
    expect(content).toMatch(/\n## `ping`\n\n.*\n.*\n\| `prtg_ping_seconds` \| seconds \| {2}\| Round trip time/);
    expect(content).toContain("| `prtg_disk_free_ratio` | ratio | `disk` |");
    for (const preset of PRESET_NAMES) expect(content).toContain(`\n## \`${preset}\`\n`);
  });
});

describe("commandsPage", () => {
  test("has every command and every flag of the program", () => {
    const content = commandsPage();
    for (const command of createProgram().commands) {
      expect(content).toContain(`\n## \`prtg-exporter ${command.name()}\`\n`);
      for (const { flags } of command.options) expect(content).toContain(`| \`${flags}\` |`);
    }
  });

  test("has the defaults of each command, on a terminal and elsewhere", () => {
    const content = commandsPage();
    expect(content).toMatch(/`--web\.listen-address <address>` \| `:9705`, `sync` `:9706` \|/);
    expect(content).toMatch(/`--log\.level <level>` \| `info`, .*`check` `error`.* \|/);
    expect(content).toMatch(/`--log\.format <format>` \| `text` on a terminal, else `json` \|/);
  });
});

test("table escapes the ends of cells", () => {
  expect(table(["A", "B"], [["a|b", "c\nd"]])).toBe("| A | B |\n| --- | --- |\n| a\\|b | c d |\n");
});
