import { expect, test } from "vitest";
import { BAD_RULES } from "./bad-rules.ts";
import { linesOf, loadMapping, loadRules } from "./support.ts";

test.each(BAD_RULES)("the loader rejects: $title", async ({ text, lines }) => {
  const found = await linesOf(loadRules(text));
  expect(found.map((line, index) => line.slice(0, lines[index]?.length))).toEqual(lines);
});

test("problems of rules in the configuration file have their position", async () => {
  const text = "mapping:\n  rules:\n    - match: { channel: '/(/' }\n      name: up\n      help: X.\n";
  expect(await linesOf(loadMapping(text))).toEqual([
    expect.stringMatching(
      /^prtg\.yaml:3:25: mapping\.rules\[0\]\.match\.channel: expected a text, .*missing closing \)$/,
    ),
    expect.stringMatching(
      /^prtg\.yaml:4:13: mapping\.rules\[0\]\.name: .*the exporter or Prometheus already has a metric with that name$/,
    ),
  ]);
});

test("the loader reports problems of several files together", async () => {
  const files = { "/etc/prtg/a.yaml": "rules:\n  - {}\n", "/etc/prtg/b.yaml": "rules: 5\n" };
  expect(await linesOf(loadMapping("mapping: { files: [a.yaml, b.yaml, c.yaml] }\n", files))).toEqual([
    "b.yaml:1:8: rules: expected a list, found 5",
    "prtg.yaml:1:36: mapping.files[2]: c.yaml cannot be read: no such file",
    "a.yaml:2:5: rules[0].match: missing, expected a map",
  ]);
});

test("the loader blames a rule that conflicts with a preset, even if it comes first", async () => {
  const text =
    "mapping:\n  presets: [ping]\n  rules:\n    - { match: { kind: x }, name: prtg_ping_seconds, unit: seconds, labels: { site: a } }\n";
  expect(await linesOf(loadMapping(text))).toEqual([
    'prtg.yaml:4:77: mapping.rules[0].labels: expected no labels, as in rules[0] of preset ping for prtg_ping_seconds, found "site"',
  ]);
});

test.each([
  ["presets: [pings]", "prtg.yaml:1:22: mapping.presets[0]: expected one of all, base-units, certificate, "],
  ["byte_units: 1024", "prtg.yaml:1:24: mapping.byte_units: expected one of binary, decimal, found 1024"],
  ["keep_originals: true", "prtg.yaml:1:12: mapping.keep_originals: unknown key, did you mean `keep_original`?"],
])("mapping: { %s }", async (text, line) => {
  expect((await linesOf(loadMapping(`mapping: { ${text} }\n`)))[0]).toContain(line);
});
