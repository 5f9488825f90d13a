import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRules } from "../../../src/mapping/rules/compile.ts";
import { parsePattern } from "../../../src/mapping/rules/pattern.ts";
import type {
  ChannelAttributes,
  Mapping,
  MetricRule,
  RuleMatch,
  RuleSettings,
  SensorAttributes,
} from "../../../src/mapping/rules/rule.ts";
import type { RuleSet } from "../../../src/mapping/rules/rule-set.ts";
import { convert } from "../../../src/mapping/units/base-units.ts";
import { runs } from "../../support/runs.ts";

const SENSOR: SensorAttributes = {
  type: "paessler.icmp.ping_sensor",
  typeName: "Ping v2",
  tags: ["icmp", "site-berlin"],
  inheritedTags: ["site-hq", "cisco"],
  device: "core-sw-1",
  path: "HQ/Switches/core-sw-1/Ping v2",
};
const CHANNEL: ChannelAttributes = { name: "Ping Time", unit: "msec" };

function metric(match: RuleMatch, more: Partial<MetricRule> = {}): MetricRule {
  return { kind: "metric", match, name: "prtg_x", help: "X.", ...more };
}

function compile(...rules: readonly RuleSettings[]): RuleSet {
  const { ruleSet, problems } = compileRules([{ label: "rules.yaml", isPreset: false, rules }], {
    byteUnits: "binary",
  });
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  if (ruleSet === undefined) throw new Error("no rule set");
  return ruleSet;
}

function fits(match: RuleMatch, sensor: Partial<SensorAttributes> = {}, channel: Partial<ChannelAttributes> = {}) {
  return compile(metric(match)).map({ ...SENSOR, ...sensor }, { ...CHANNEL, ...channel }) !== undefined;
}

function converted(mapping: Mapping | undefined, displayValue: number): number | undefined {
  return mapping?.kind === "metric" ? convert(mapping.conversion, displayValue) : undefined;
}

describe("match of a rule", () => {
  test.each<[string, RuleMatch, boolean]>([
    ["the exact text", { channel: "Ping Time" }, true],
    ["no other case", { channel: "ping time" }, false],
    ["no part of a text", { channel: "Ping" }, false],
    ["one of several texts", { channel: ["Minimum", "Ping Time"] }, true],
    ["a glob", { channel: "Ping*" }, true],
    ["a glob as a whole", { channel: "Tim*" }, false],
    ["one character", { device: "core-sw-?" }, true],
    ["not two characters", { device: "core-s?" }, false],
    ["a glob with characters of regular expressions", { kind: "paessler.*.ping_sensor" }, true],
    ["no glob with such characters as a regular expression", { kind: "p?essler(icmp|x)*" }, false],
    ["a regular expression", { channel: "/P.*(Time|Loss)/" }, true],
    ["a regular expression as a whole", { channel: "/Ping/" }, false],
    ["a regular expression in any case", { channel: "/(?i)ping time/" }, true],
    ["a text after ~ in any case, with any punctuation", { channel: "~ping-time" }, true],
    ["no other words after ~", { channel: "~ping" }, false],
    ["a name of the type", { kind_name: "Ping v?" }, true],
    ["any tag", { tags: "site-*" }, true],
    ["any tag of several", { tags: ["pingsensor", "icmp"] }, true],
    ["an inherited tag", { tags: "cisco" }, true],
    ["no missing tag", { tags: "pingsensor" }, false],
    ["the unit as it is spelt", { unit: "msec" }, true],
    ["no other spelling", { unit: "ms" }, false],
    ["the base unit", { base_unit: "seconds" }, true],
    ["one of several base units", { base_unit: ["bytes", "seconds"] }, true],
    ["no other base unit", { base_unit: "bytes" }, false],
    ["a path", { path: "HQ/**" }, true],
    ["one name of a path", { path: "HQ/*/core-sw-1/*" }, true],
    ["not two names by one star", { path: "HQ/*" }, false],
    ["not a slash by a question mark", { path: "HQ?**" }, false],
    ["all of its conditions", { kind: "*ping*", channel: "Ping Time", tags: "icmp", path: "**/core*/*" }, true],
    ["not with one condition unmet", { kind: "*ping*", channel: "Ping Time", tags: "icmp", path: "**/edge*/*" }, false],
  ])("%s", (_, match, expected) => {
    expect(fits(match)).toBe(expected);
  });

  test("works for names with line breaks, quotes and half characters", () => {
    expect(fits({ channel: "Free*line" }, {}, { name: 'Free "x"\nsecond line' })).toBe(true);
    expect(fits({ channel: "/Free.*line/" }, {}, { name: "Free\nsecond line" })).toBe(true);
    expect(fits({ channel: "a?b" }, {}, { name: "a😀b" })).toBe(true);
    expect(fits({ channel: "a?b" }, {}, { name: "a\ud83db" })).toBe(true);
    expect(fits({ channel: "Free Space C:\\" }, {}, { name: "Free Space C:\\" })).toBe(true);
  });

  test("includes sensors without tags only if the rule ignores tags", () => {
    expect(fits({ tags: "*" }, { tags: [], inheritedTags: [] })).toBe(false);
    expect(fits({ kind: "*" }, { tags: [] })).toBe(true);
  });

  test("excludes unknown units from base units", () => {
    expect(fits({ base_unit: "count" }, {}, { unit: "widgets" })).toBe(false);
    expect(fits({ unit: "" }, {}, { unit: "" })).toBe(true);
  });
});

describe("mapping of a channel", () => {
  test("uses the first matching rule", () => {
    const rules = compile(
      metric({ channel: "Minimum" }, { name: "prtg_a" }),
      metric({ channel: "Ping*" }, { name: "prtg_b" }),
      metric({ channel: "*" }, { name: "prtg_c" }),
    );
    expect(rules.map(SENSOR, CHANNEL)).toMatchObject({
      kind: "metric",
      family: { name: "prtg_b" },
      rule: { ordinal: 1 },
    });
    expect(rules.map(SENSOR, { name: "Minimum", unit: "msec" })).toMatchObject({ family: { name: "prtg_a" } });
    expect(rules.map(SENSOR, { name: "Maximum", unit: "msec" })).toMatchObject({ family: { name: "prtg_c" } });
  });

  test("is empty without a matching rule", () => {
    expect(compile().map(SENSOR, CHANNEL)).toBeUndefined();
    expect(compile(metric({ channel: "Minimum" })).map(SENSOR, CHANNEL)).toBeUndefined();
  });

  test("converts to the unit of the rule", () => {
    const rules = compile(metric({ channel: "*" }, { name: "prtg_x_seconds", unit: "seconds" }));
    expect(converted(rules.map(SENSOR, CHANNEL), 9)).toBe(0.009);
    expect(converted(rules.map(SENSOR, { name: "Uptime", unit: "d" }), 2)).toBe(172_800);
    expect(rules.map(SENSOR, { name: "Loss", unit: "%" })).toMatchObject({ kind: "unconverted", rule: { ordinal: 0 } });
    expect(rules.map(SENSOR, { name: "Loss", unit: "" })).toMatchObject({ kind: "unconverted" });
  });

  test("keeps the displayed value without a unit", () => {
    expect(converted(compile(metric({ channel: "*" })).map(SENSOR, CHANNEL), 9)).toBe(9);
  });

  test("applies factor and offset of the rule for any unit", () => {
    const rules = compile(
      metric({ channel: "*" }, { name: "prtg_x_celsius", unit: "celsius", factor: 2, offset: -40 }),
    );
    expect(converted(rules.map(SENSOR, CHANNEL), 30)).toBe(20);
    const shifted = compile(metric({ channel: "*" }, { offset: 5 }));
    expect(converted(shifted.map(SENSOR, { name: "x", unit: "widgets" }), 1)).toBe(6);
  });

  test("drops the channel", () => {
    const rules = compile({ kind: "drop", match: { channel: "Ping*" } }, metric({ channel: "*" }));
    expect(rules.map(SENSOR, CHANNEL)).toMatchObject({ kind: "drop", rule: { source: "rules.yaml", ordinal: 0 } });
  });

  test("changes with the name and unit", () => {
    const rules = compile(
      metric({ unit: "msec" }, { name: "prtg_x_seconds", unit: "seconds" }),
      metric({ base_unit: "seconds" }, { name: "prtg_y_seconds", unit: "seconds" }),
    );
    expect(rules.map(SENSOR, CHANNEL)).toMatchObject({ family: { name: "prtg_x_seconds" } });
    expect(rules.map(SENSOR, { ...CHANNEL, unit: "s" })).toMatchObject({ family: { name: "prtg_y_seconds" } });
    expect(rules.map({ ...SENSOR }, CHANNEL)).toMatchObject({ family: { name: "prtg_x_seconds" } });
  });
});

describe("labels", () => {
  function labelsOf(match: RuleMatch, labels: Record<string, string>, sensor = SENSOR, channel = CHANNEL) {
    const mapping = compile(metric(match, { labels })).map(sensor, channel);
    if (mapping?.kind !== "metric") throw new Error("no metric");
    return Object.fromEntries(mapping.family.ruleLabels.map((name, index) => [name, mapping.labels[index]]));
  }

  test.each<[string, RuleMatch, Record<string, string>, Record<string, string>]>([
    ["text", { kind: "*" }, { team: "net" }, { team: "net" }],
    ["a dollar", { kind: "*" }, { price: "5 $ or $a or $<" }, { price: "5 $ or $a or $<" }],
    ["a numbered group", { channel: "/(\\w+) (\\w+)/" }, { a: "$2-$1" }, { a: "Time-Ping" }],
    ["a named group", { tags: "/site-(?<site>.+)/" }, { site: "$<site>" }, { site: "berlin" }],
    ["a group by its number, named or not", { tags: "/site-(?<site>.+)/" }, { site: "$1" }, { site: "berlin" }],
    [
      "groups of two attributes",
      { path: "/(?<hq>\\w+).*/", device: "/.*-(?<n>\\d+)/" },
      { a: "$<hq>$<n>" },
      { a: "HQ1" },
    ],
    ["the pattern that fits", { device: ["/edge-(?<n>.*)/", "/core-(?<n>.*)/"] }, { n: "$<n>" }, { n: "sw-1" }],
    ["a group that took no part", { channel: "/Ping (Time|(?<x>Loss))/" }, { x: "<$<x>>" }, { x: "<>" }],
    ["a group of the unit", { unit: "/(m)sec/" }, { prefix: "$1" }, { prefix: "m" }],
    ["several, sorted by name", { kind: "*" }, { b: "2", a: "1" }, { a: "1", b: "2" }],
  ])("%s", (_, match, labels, expected) => {
    expect(Object.entries(labelsOf(match, labels))).toEqual(Object.entries(expected));
  });

  test("reject names of other settings", () => {
    const rules = [metric({ kind: "*" }, { labels: { site: "a" } })];
    const labelsInUse = new Set(["site"]);
    const { ruleSet, problems } = compileRules([{ label: "rules.yaml", isPreset: false, rules }], {
      byteUnits: "binary",
      labelsInUse,
    });
    expect(ruleSet).toBeUndefined();
    expect(problems).toMatchObject([
      { source: 0, path: [0, "labels", "site"], part: "key", fault: "the section labels already adds this label" },
    ]);
  });

  test("keep any characters of names except half characters", () => {
    const name = 'Disk "a\\b"\n\u202eשרת';
    expect(labelsOf({ channel: "/Disk (.*)/" }, { disk: "$1" }, SENSOR, { name, unit: "" })).toEqual({
      disk: name.slice(5),
    });
    const broken = { name: "Disk \ud800x", unit: "" };
    expect(labelsOf({ channel: "/Disk (.*)/" }, { disk: "$1" }, SENSOR, broken)).toEqual({ disk: "\ufffdx" });
  });

  test("come after those of the channel in the family, without its unit", () => {
    const { families } = compile(
      metric({ kind: "*" }, { name: "prtg_x_seconds", unit: "seconds", labels: { site: "a", core: "b" } }),
    );
    const [family] = families;
    expect(family?.labels).toEqual([
      ...["server", "sensor_id", "channel_id", "probe", "group", "device", "sensor", "channel", "path", "core", "site"],
    ]);
    expect(family).toMatchObject({ type: "gauge", baseUnit: "seconds", help: "X.", ruleLabels: ["core", "site"] });
    expect(family?.limits).toMatchObject({
      name: "prtg_x_limit_seconds",
      labels: [...(family?.labels ?? []), "limit"],
    });
  });
});

test("a rule metric without help has a standard help text", () => {
  const { families } = compile(
    metric({ kind: "ping" }, { help: undefined }),
    metric({ kind: "http" }, { help: undefined }),
  );
  expect(families.map(({ help }) => help)).toEqual([
    "Last measurement of a channel, named by a mapping rule of the configuration.",
  ]);
  const explained = compile(metric({ kind: "ping" }, { help: undefined }), metric({ kind: "http" }));
  expect(explained.families.map(({ help }) => help)).toEqual(["X."]);
});

/** Rule by rule, with JavaScript's regular expressions. */
function firstThatFits(rules: readonly RuleSettings[], sensor: SensorAttributes, channel: ChannelAttributes): number {
  const values: Record<string, readonly string[]> = {
    kind: [sensor.type],
    channel: [channel.name],
    tags: [...sensor.tags, ...sensor.inheritedTags],
    device: [sensor.device],
    path: [sensor.path],
  };
  return rules.findIndex(({ match }) =>
    Object.entries(match).every(([attribute, given]) =>
      [given ?? []].flat().some((text) => {
        const { kind, source } = parsePattern(text, attribute === "path");
        if (kind === "exact") return values[attribute]?.includes(text);
        if (kind === "alike") return values[attribute]?.some((value) => lettersOf(value) === lettersOf(text));
        return values[attribute]?.some((value) => new RegExp(`^(?:${source})$`, "su").test(value));
      }),
    ),
  );
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^a-z]/g, "");
}

test("many rules together match like single rules", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "."), maxLength: 4 });
  const glob = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "?"), minLength: 1, maxLength: 4 });
  const expression = fc.constantFrom("/a+/", "/(a|b)*/", "/[^/]*b/", "/.{2}/", "/a?b?/", "~a.b", "~/a");
  const plain = fc.oneof(text, glob).filter((written) => !/^\/.*\/$/.test(written));
  const pattern = fc.oneof(plain, expression);
  const anyOf = fc.oneof(pattern, fc.array(pattern, { minLength: 1, maxLength: 3 }));
  const match = fc
    .record({ kind: anyOf, channel: anyOf, tags: anyOf, device: anyOf, path: anyOf }, { requiredKeys: [] })
    .filter((given) => Object.keys(given).length > 0);
  const sensor = fc.record({
    type: text,
    typeName: fc.constant("T"),
    tags: fc.array(text, { maxLength: 3 }),
    inheritedTags: fc.array(text, { maxLength: 2 }),
    device: text,
    path: text,
  });
  const channels = fc.array(fc.tuple(sensor, text), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(match, { minLength: 1, maxLength: 70 }), channels, (matches, given) => {
      const rules = matches.map((one, index) => metric(one, { name: `prtg_x_${index}` }));
      const ruleSet = compile(...rules);
      // The cache must not change the result.
      for (const [one, name] of [...given, ...given]) {
        const channel = { name, unit: "" };
        expect(ruleSet.map(one, channel)?.rule.index ?? -1).toBe(firstThatFits(rules, one, channel));
      }
    }),
    { numRuns: runs(150) },
  );
});

test("time stays linear for any patterns and names", () => {
  const rules = compile(
    metric({ channel: "/(a*)*b(.*a){20}c/" }, { name: "prtg_a" }),
    metric({ channel: "/(x+x+)+y/" }, { name: "prtg_b" }),
    metric({ channel: "*a*a*a*a*a*a*a*a*b" }, { name: "prtg_c" }),
    metric({ path: "**a**a**a**a**a**a**b" }, { name: "prtg_d" }),
  );
  // Processor time, because the machine may be busy.
  const started = process.cpuUsage();
  for (const letter of ["a", "x"]) {
    const name = letter.repeat(10_000);
    expect(rules.map({ ...SENSOR, path: name }, { name, unit: "" })).toBeUndefined();
  }
  // A backtracking engine would never finish.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
});
