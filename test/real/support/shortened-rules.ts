import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { load } from "js-yaml";
import { RULE_FILES } from "../../support/rule-files.ts";

/** Divides durations of minutes and hours in a configuration or an expression. */
export function shortened(text: string, part: number): string {
  const units = { m: 60, h: 3600 };
  return text.replace(/\b(\d+)([mh])\b/g, (_whole, count: string, unit: "m" | "h") => {
    return `${Math.round((Number(count) * units[unit] * 1000) / part)}ms`;
  });
}

/** For `change`: the wait for an outage that begins is in seconds. */
export const shortenedWait = (part: number) => (expr: string) => expr.replace("< bool 300", `< bool ${300 / part}`);

interface ShortenedRulesOptions {
  /** Default: a second. */
  readonly interval?: string;
  /** Names of rules. Default: all. */
  readonly only?: RegExp;
  /** Changes an expression, for times that are numbers. */
  readonly change?: (expr: string) => string;
}

/** Writes the alert rules with their durations divided by `part`. Resolves with the paths of the files. */
export function shortenedRules(
  folder: string,
  part: number,
  { interval = "1s", only = /^/, change = (expr) => expr }: ShortenedRulesOptions = {},
): Promise<string[]> {
  return Promise.all(
    RULE_FILES.filter((file) => file.endsWith("alert-rules.yml")).map(async (file) => {
      const { groups } = load(readFileSync(file, "utf8")) as {
        groups: { rules: Record<string, string>[] }[];
      };
      const copy = path.join(folder, path.basename(file));
      const quick = groups.map((group) => ({
        ...group,
        interval,
        rules: group.rules
          .filter(({ alert, record = "" }) => only.test(alert ?? record))
          .map((rule) => ({
            ...rule,
            expr: shortened(change(rule.expr ?? ""), part),
            ...(rule.for === undefined ? {} : { for: shortened(rule.for, part) }),
            ...(rule.keep_firing_for === undefined ? {} : { keep_firing_for: shortened(rule.keep_firing_for, part) }),
          })),
      }));
      await writeFile(copy, JSON.stringify({ groups: quick }));
      return copy;
    }),
  );
}
