import type { RuleUse } from "../../mapping/rules/rule-use.ts";
import type { Finding } from "./findings.ts";
import { RULES } from "./list-steps.ts";

/** Stands in the column of servers: rules apply to all of them. */
export const MAPPING = "mapping";

const MAX_RULES = 20;
const REMEDY = "Correct the rule in mapping, or remove it.";

/** Warnings about rules that match no channel of any server. None if the channels of a server are unknown. */
export function idleRuleFindings(use: RuleUse, servers: number, findings: readonly Finding[]): readonly Finding[] {
  const compared = findings.filter(({ subject, status }) => subject === RULES && status === "ok");
  if (compared.length < servers) return [];
  const idle = use.idle();
  const rest = idle.length - MAX_RULES;
  const texts = rest > 0 ? [...idle.slice(0, MAX_RULES), `${rest} more rules match no channel`] : idle;
  return texts.map((text) => ({ server: MAPPING, subject: RULES, status: "warning", text, remedy: REMEDY }));
}
