import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileMatchers, formatMatcher, type Matcher, parseMatcher } from "../../src/sync/matchers.ts";
import { runs } from "../support/runs.ts";

function labels(values: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(values));
}

/** `text` in Alertmanager's syntax. */
function parsed(text: string): Matcher {
  const matcher = parseMatcher(text);
  if ("fault" in matcher) throw new Error(`${text}: ${matcher.fault}`);
  return matcher;
}

function compiled(...texts: readonly string[]) {
  return compileMatchers(texts.map(parsed));
}

describe("compileMatchers", () => {
  it.each([
    ['server="hq"', { server: "hq" }, true],
    ['server="hq"', { server: "hq2" }, false],
    ['server!="hq"', { server: "branch" }, true],
    ['server=~"h."', { server: "hq" }, true],
    ['server=~"h"', { server: "hq" }, false],
    ['server=~"a|hq"', { server: "hq" }, true],
    ['server=~"a|hq"', { server: "ahq" }, false],
    ['server!~"h."', { server: "hq" }, false],
    ['server!~"h"', { server: "hq" }, true],
    ['server=~".*"', { server: "two\nlines" }, false],
    ['server=~"(?s).*"', { server: "two\nlines" }, true],
    ['server=~"(?i)HQ"', { server: "hq" }, true],
    ['server=~"\\\\d+"', { server: "42" }, true],
  ])("%s matches %j: %s", (text, given, expected) => {
    expect(compiled(text).matches(labels(given))).toBe(expected);
    expect(compiled(text).couldMatch(labels(given))).toBe(expected);
  });

  it("takes a missing label for the empty text", () => {
    expect(compiled('severity=""').matches(labels({}))).toBe(true);
    expect(compiled('severity=~"a?"').matches(labels({}))).toBe(true);
    expect(compiled('severity!="info"').matches(labels({}))).toBe(true);
    expect(compiled('severity="info"').matches(labels({}))).toBe(false);
  });

  it("needs a match of all matchers", () => {
    const both = compiled('server="hq"', 'device="a"');
    expect(both.matches(labels({ server: "hq", device: "a" }))).toBe(true);
    expect(both.matches(labels({ server: "hq", device: "b" }))).toBe(false);
  });

  it("ignores unknown labels in couldMatch", () => {
    const both = compiled('server="hq"', 'alertname="PrtgSensorDown"');
    expect(both.couldMatch(labels({ server: "hq" }))).toBe(true);
    expect(both.couldMatch(labels({ server: "branch" }))).toBe(false);
    expect(both.couldMatch(labels({ device: "a" }))).toBeUndefined();
    expect(both.matches(labels({ server: "hq" }))).toBe(false);
  });

  it.each([
    ["(", "the regular expression is invalid: "],
    ["(?=a)", "the regular expression is invalid: "],
    ["a)|(?:b", "the regular expression is invalid: "],
    ["(((a{100}){100}){100}){100}", "the regular expression "],
    ["a".repeat(65_537), "the regular expression is longer than 65536 characters"],
  ])("matches nothing and reports a problem if a regular expression is unusable: %.20s", (value, problem) => {
    for (const isEqual of [true, false]) {
      const broken = compileMatchers([
        { name: "server", value: "hq", isRegex: false, isEqual: true },
        { name: "device", value, isRegex: true, isEqual },
      ]);
      expect(broken.problems).toHaveLength(1);
      expect(broken.problems[0]).toContain(`device: ${problem}`);
      expect(broken.matches(labels({ server: "hq", device: "a" }))).toBe(false);
      expect(broken.couldMatch(labels({ server: "hq" }))).toBe(false);
    }
  });
});

describe("formatMatcher", () => {
  // Expected texts are those of Matcher.String() in Alertmanager 0.33.
  it.each([
    [{ name: "server", value: "hq", isRegex: false, isEqual: true }, 'server="hq"'],
    [{ name: "server", value: "hq", isRegex: false, isEqual: false }, 'server!="hq"'],
    [{ name: "server", value: "h.", isRegex: true, isEqual: true }, 'server=~"h."'],
    [{ name: "server", value: "h.", isRegex: true, isEqual: false }, 'server!~"h."'],
    [{ name: "device", value: 'a"b\\c\nd', isRegex: false, isEqual: true }, 'device="a\\"b\\\\c\\nd"'],
    [{ name: "host.name", value: "a", isRegex: false, isEqual: true }, 'host.name="a"'],
    [{ name: "host name", value: "a\t", isRegex: false, isEqual: true }, '"host name"="a\\t"'],
  ])("prints %j as Alertmanager does", (matcher, text) => {
    expect(formatMatcher(matcher)).toBe(text);
  });
});

describe("parseMatcher", () => {
  it.each([
    ['instance=~"{host}(:.*)?"', { name: "instance", value: "{host}(:.*)?", isRegex: true, isEqual: true }],
    [" server = hq ", { name: "server", value: "hq", isRegex: false, isEqual: true }],
    ['server !~ "a b"', { name: "server", value: "a b", isRegex: true, isEqual: false }],
    ["server!=", { name: "server", value: "", isRegex: false, isEqual: false }],
    // Alertmanager takes unknown escapes literally.
    ['server=~"\\d+\\\\.\\n"', { name: "server", value: "\\d+\\.\n", isRegex: true, isEqual: true }],
    ['server="a\\', undefined],
    ['server="a', undefined],
    ['server=a"', undefined],
    ['server="a"b"', undefined],
    ['server="a\\"', undefined],
    ["server", undefined],
    ['="a"', undefined],
    ['""="a"', undefined],
    ['"host name"=a', undefined],
    ['"host name="a"', undefined],
    ["", undefined],
  ])("parses %j", (text, expected) => {
    expect(parseMatcher(text)).toEqual(expected ?? { fault: expect.any(String) });
  });

  it("inverts formatMatcher", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(..."\\\"\n\r\t' =~!{},an") }),
    );
    const matchers = fc.record({
      name: fc.oneof(texts, fc.stringMatching(/^[a-z_]{1,4}$/)).filter((name) => name !== ""),
      value: texts,
      isRegex: fc.boolean(),
      isEqual: fc.boolean(),
    });
    fc.assert(
      fc.property(matchers, (matcher) => {
        expect(parseMatcher(formatMatcher(matcher))).toEqual(matcher);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
