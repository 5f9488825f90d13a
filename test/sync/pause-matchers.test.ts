import { expect, test } from "vitest";
import { compileMatchers, formatMatcher, type Matcher, parseMatcher } from "../../src/sync/matchers.ts";
import { pauseMatchers } from "../../src/sync/pause-matchers.ts";

const CORE = { id: "40", name: "core-1", host: "10.0.0.1", group: "Core", probe: "Site" };
const EDGE = { ...CORE, id: "41", name: "edge (2)", host: "10.0.0.2" };
const MUTE = { ...CORE, id: "42", name: "mute", host: "" };

function parsed(text: string): Matcher {
  const matcher = parseMatcher(text);
  if ("fault" in matcher) throw new Error(matcher.fault);
  return matcher;
}

test.each([
  ["one value in an equality", ['device_id="{device_id}"'], [CORE], ['device_id="40"']],
  ["several values in an equality", ['device_id="{device_id}"'], [CORE, EDGE], ['device_id=~"(?:40|41)"']],
  ["a regular expression", ['instance=~"{host}(:.*)?"'], [CORE], ['instance=~"10\\\\.0\\\\.0\\\\.1(:.*)?"']],
  [
    "several hosts",
    ['instance=~"{host}(:.*)?"'],
    [EDGE, CORE],
    ['instance=~"(?:10\\\\.0\\\\.0\\\\.1|10\\\\.0\\\\.0\\\\.2)(:.*)?"'],
  ],
  ["names with special characters", ['name=~"{device}"'], [EDGE], ['name=~"edge \\\\(2\\\\)"']],
  ["text around several values", ['job="a.b-{group}-{device_id}"'], [CORE, EDGE], ['job=~"a\\\\.b-Core-(?:40|41)"']],
  ["the server and a negation", ['server="{server}"', 'env!="test"'], [CORE], ['server="hq"', 'env!="test"']],
  ["devices without the value", ['instance=~"{host}"'], [CORE, MUTE], ['instance=~"10\\\\.0\\\\.0\\\\.1"']],
  [
    "braces of a regular expression",
    ['instance=~"\\\\x{ab}{host}"'],
    [CORE],
    ['instance=~"\\\\x{ab}10\\\\.0\\\\.0\\\\.1"'],
  ],
  ["no value at all", ['server="{server}"', 'instance=~"{host}"'], [MUTE], undefined],
] as const)("%s", (_, templates, devices, expected) => {
  const matchers = pauseMatchers(templates.map(parsed), "hq", devices);
  expect(matchers?.map(formatMatcher)).toEqual(expected);
});

test("a value matches itself and no other one, whatever it contains", () => {
  for (const name of ["a.c", "a|b", "x{1}", "^$", "\\d", "(?i)A", "[a]", "*"]) {
    const matchers = pauseMatchers([parsed('name=~"{device}"')], "hq", [{ ...CORE, name }]) ?? [];
    const { matches } = compileMatchers(matchers);
    expect([matches(new Map([["name", name]])), matches(new Map([["name", "abc"]])), matches(new Map())]).toEqual([
      true,
      false,
      false,
    ]);
  }
});
