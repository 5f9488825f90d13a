import { expect, test } from "vitest";
import { formatProblem } from "../../../src/config/config-error.ts";
import { loadMapping, loadRules } from "./support.ts";

const NEVER = "this rule can never match";

function rules(...matches: readonly string[]): string {
  return `rules:\n${matches.map((match, index) => `  - { match: ${match}, name: prtg_${index}, help: X. }\n`).join("")}`;
}

test.each<[string, string, string | undefined]>([
  ["the same twice", rules("{ kind: ping }", "{ kind: ping }"), "rules[0]"],
  ["after one that looks at less", rules("{ kind: ping }", "{ kind: ping, channel: Minimum }"), "rules[0]"],
  ["after a wider glob", rules('{ channel: "Disk*" }', '{ channel: "Disk ?:" }'), "rules[0]"],
  ["after a catch-all", rules('{ kind: "*" }', "{ kind: ping, path: HQ/** }"), "rules[0]"],
  [
    "item by item after several",
    rules("{ unit: ms }", "{ unit: s }", "{ unit: [s, ms] }"),
    "rules[0] of rules.yaml and rules[1]",
  ],
  ["after its base unit", rules("{ base_unit: seconds }", "{ unit: [ms, Std.] }"), "rules[0]"],
  ["with a unit of another base unit", rules("{ unit: ms, base_unit: bytes }"), "its unit never converts"],
  ["with a unit that is not recognised", rules("{ unit: widgets, base_unit: count }"), "its unit never converts"],
  ["after a rule of which one item remains", rules("{ unit: ms }", "{ unit: [s, ms] }"), undefined],
  ["before a wider one", rules("{ kind: ping, channel: Minimum }", "{ kind: ping }"), undefined],
  ["after one that looks at something else", rules("{ kind: ping }", "{ channel: Minimum }"), undefined],
  ["after one with other tags", rules("{ tags: a }", "{ tags: [a, b] }"), undefined],
])("a rule %s", async (_, text, fault) => {
  const { warnings } = await loadRules(text);
  const expected =
    fault === undefined
      ? []
      : [
          expect.stringMatching(
            `^rules\\.yaml:\\d+:5: rules\\[\\d\\]: ${NEVER}: ${fault.replaceAll(/[[\]]/g, "\\$&")}`,
          ),
        ];
  expect(warnings.map(formatProblem)).toEqual(expected);
});

test("the warning names the position of the other rule", async () => {
  const text = "mapping:\n  files: [more.yaml]\n  rules:\n    - { match: { kind: ping }, drop: true }\n";
  const { warnings } = await loadMapping(text, { "/etc/prtg/more.yaml": rules("{ kind: http }", "{ kind: ping }") });
  expect(warnings.map(formatProblem)).toEqual([
    `more.yaml:3:5: rules[1]: ${NEVER}: rules[0] of prtg.yaml already matches all its channels`,
  ]);
});

test("a rule can override a preset without a warning", async () => {
  const text = "mapping:\n  presets: [ping]\n  rules:\n    - { match: { kind: '*' }, drop: true }\n";
  expect((await loadMapping(text)).warnings).toEqual([]);
});

test("the check of five hundred rules is fast", async () => {
  const many = Array.from(
    { length: 500 },
    (_, index) => `{ kind: ["k${index}*", "x${index}"], channel: "/c(\\\\d+)${index}.*/" }`,
  );
  const started = process.cpuUsage();
  const { ruleSet, warnings } = await loadRules(rules(...many));
  expect(ruleSet.rules).toHaveLength(500);
  expect(warnings).toEqual([]);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000);
});
