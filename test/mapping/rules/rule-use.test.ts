import { describe, expect, test } from "vitest";
import { compileRules } from "../../../src/mapping/rules/compile.ts";
import type { RuleMatch, RuleSource, SensorAttributes } from "../../../src/mapping/rules/rule.ts";
import { RuleUse } from "../../../src/mapping/rules/rule-use.ts";

const PING: SensorAttributes = {
  type: "ping",
  typeName: "Ping v2",
  tags: ["icmp"],
  inheritedTags: ["site-berlin"],
  device: "core-sw-1",
  path: "HQ/Switches/core-sw-1/Ping",
};
const CPU: SensorAttributes = { ...PING, type: "snmpcpu", typeName: "SNMP CPU Load", tags: [], inheritedTags: [] };

function useOf(...sources: readonly RuleSource[]): RuleUse {
  const { ruleSet } = compileRules(sources, { byteUnits: "binary" });
  if (ruleSet === undefined) return expect.fail("no rule set");
  const use = new RuleUse(ruleSet);
  use.add(PING, { name: "Ping Time", unit: "msec" });
  use.add(PING, { name: "Packet Loss", unit: "%" });
  use.add(CPU, { name: "Total", unit: "%" });
  return use;
}

function drop(...matches: readonly RuleMatch[]): RuleSource {
  return { label: "prtg.yaml", isPreset: false, rules: matches.map((match) => ({ kind: "drop", match })) };
}

describe("a rule without a channel", () => {
  test.each<[string, RuleMatch, string]>([
    ["a misspelt kind", { kind: "pnig" }, 'no kind is "pnig", the nearest is "ping"'],
    ["a part of a kind", { kind: "cpu*" }, 'no kind is "cpu*", the nearest is "snmpcpu"'],
    ["a kind with more words", { kind: "ping v2" }, 'no kind is "ping v2", the nearest is "ping"'],
    ["nothing similar", { kind: "exexml" }, 'no kind is "exexml"'],
    ["a misspelt name", { channel: "Ping time" }, 'no channel is "Ping time", the nearest is "Ping Time"'],
    ["another unit", { kind: "ping", unit: "ms" }, 'no unit is "ms"'],
    ["an unknown base unit", { base_unit: "bytes" }, 'no base_unit is "bytes"'],
    ["a misspelt tag", { tags: "site-berln" }, 'no tags is "site-berln", the nearest is "site-berlin"'],
    ["two faults", { kind: "pinng", channel: "/Los/" }, 'no kind is "pinng", the nearest is "ping" and no channel is'],
    ["several values", { kind: ["a1", "b2", "c3", "d4", "e5"] }, 'no kind is "a1" or "b2" or "c3" or 2 more'],
    [
      "conditions of different channels",
      { kind: "ping", channel: "Total" },
      "some channels have each of kind, channel, but none has all",
    ],
    ["format characters", { device: "\u202ea" }, 'no device is "\\u{202e}a"'],
  ])("is named with %s", (_name, match, reason) => {
    const [text, ...more] = useOf(drop(match)).idle();
    expect(text).toMatch(/^rules\[0\] of prtg\.yaml matches no channel: /);
    expect(text).toContain(reason);
    expect(more).toEqual([]);
  });

  test("is not one whose channels an earlier rule takes", () => {
    expect(useOf(drop({ kind: "p*" }, { channel: "Ping Time" })).idle()).toEqual([]);
  });

  test("is not one of a preset", () => {
    const preset: RuleSource = { ...drop({ kind: "exexml" }), label: "preset x", isPreset: true };
    const use = useOf(preset, drop({ kind: "ping" }, { kind: "none" }));
    expect(use.rules).toBe(2);
    expect(use.idle()).toEqual([expect.stringMatching(/^rules\[1\] of prtg\.yaml/)]);
  });
});
