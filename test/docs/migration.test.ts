import { describe, expect, test } from "vitest";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import { promqlLabels } from "../support/promql-labels.ts";
import { CONFIGURATION_KEYS, DOCUMENTED_METRICS, FLAGS, KNOWN_LABELS } from "./support/known-names.ts";
import { readPage } from "./support/pages.ts";

/** Names in backquotes, from the column "Here". */
function namedHere(prose: string): string[] {
  const names: string[] = [];
  let here = -1;
  for (const line of prose.split("\n")) {
    const cells = line
      .replace(/^\|(.*)\|$/, "$1")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    if (!line.startsWith("|")) here = -1;
    else if (here === -1) here = cells.indexOf("Here");
    else
      names.push(
        ...[...(cells[here] ?? "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll("\\|", "|")),
      );
  }
  return names;
}

function isKnown(name: string): boolean {
  if (name.startsWith("/")) return name === "/metrics";
  if (name.startsWith("--")) return FLAGS.has(name);
  if (/^[a-z_]+(\[\])?\./.test(name)) return CONFIGURATION_KEYS.has(name);
  if (KNOWN_LABELS.has(name)) return true;
  return promqlLabels(name, DOCUMENTED_METRICS).unknown.length === 0;
}

describe("our names in docs/migration.md", () => {
  const names = namedHere(readPage("docs/migration.md").prose);

  test("are not empty", () => {
    expect(names).toEqual(expect.arrayContaining(["prtg_channel_value", "sensor_id", "servers[].url"]));
    expect(names.length).toBeGreaterThan(40);
  });

  test.each([...new Set(names)])("%s exists", (name) => {
    expect(isKnown(name)).toBe(true);
  });

  test.each(["prtg_sensor_lastvalue", "sensor_name", "servers[].urls", "--web.port", 'prtg_up{id="1"}', "/prometheus"])(
    "do not include %s",
    (name) => {
      expect(isKnown(name)).toBe(false);
    },
  );
});

test("statuses in docs/migration.md have correct codes", () => {
  const listed = [...readPage("docs/migration.md").prose.matchAll(/\b(\d+) ([a-z ]+?)(?: \("[a-z ]+"\))?(?=[,.])/g)];
  const codes = listed.map(([, code, words = ""]) => [Number(code), words.replaceAll(" ", "")] as const);
  const expected = STATUS_TOKENS.map((token, index) => [index, token] as const).slice(1);
  expect(codes).toEqual(expect.arrayContaining(expected));
  expect(codes.filter(([code]) => code <= 14)).toHaveLength(14);
});
