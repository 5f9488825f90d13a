import { expect, test } from "vitest";
import { idleRuleFindings } from "../../../src/cli/check/check.ts";
import { type FoundLists, rulesStep } from "../../../src/cli/check/list-steps.ts";
import type { Finding, FindingStatus } from "../../../src/cli/check/step.ts";
import { compileRules } from "../../../src/mapping/rules/compile.ts";
import { RuleUse } from "../../../src/mapping/rules/rule-use.ts";
import { READING_ORDER } from "../../../src/prtg/node-record.ts";
import { smallServer } from "../../collectors/small-server.ts";
import { never } from "../../support/never-aborted.ts";

function useOf(kinds: readonly string[]): RuleUse {
  const rules = kinds.map((kind) => ({ kind: "drop", match: { kind } }) as const);
  const { ruleSet } = compileRules([{ label: "prtg.yaml", isPreset: false, rules }], { byteUnits: "binary" });
  if (ruleSet === undefined) return expect.fail("no rule set");
  return new RuleUse(ruleSet);
}

async function compare(use: RuleUse, server: string, isKnown = true): Promise<Finding> {
  const api = smallServer();
  const found: FoundLists = { nodes: new Map(), channels: undefined };
  for (const kind of READING_ORDER) found.nodes.set(kind, (await api.nodes(kind, {}, never)).items);
  if (isKnown) found.channels = (await api.channels({}, never)).items;
  const result = await rulesStep(found, use).run({ api, signal: never, problems: () => new Map() });
  const status: FindingStatus = "ok";
  return { server, subject: "rules", status, ...result };
}

test("warns of rules that match no channel of any server, once", async () => {
  const use = useOf(["sensor", "sensro"]);
  const findings = [await compare(use, "a"), await compare(use, "b")];
  expect(findings.map(({ text }) => text)).toEqual(Array(2).fill("own rules compared with all channels: 2"));
  expect(idleRuleFindings(use, 2, findings)).toEqual([
    {
      server: "mapping",
      subject: "rules",
      status: "warning",
      text: 'rules[1] of prtg.yaml matches no channel: no kind is "sensro", the nearest is "sensor"',
      remedy: "Correct the rule in mapping, or remove it.",
    },
  ]);
});

test("says nothing if the channels of a server are unknown", async () => {
  const use = useOf(["pnig"]);
  const findings = [await compare(use, "a"), await compare(use, "b", false)];
  expect(findings.map(({ status }) => status)).toEqual(["ok", "skipped"]);
  expect(idleRuleFindings(use, 2, findings)).toEqual([]);
});

test("names at most 20 rules", async () => {
  const use = useOf(Array.from({ length: 30 }, (_, index) => `kind-${index}`));
  const texts = idleRuleFindings(use, 1, [await compare(use, "a")]).map(({ text }) => text);
  expect(texts).toHaveLength(21);
  expect(texts.at(-1)).toBe("10 more rules match no channel");
});
