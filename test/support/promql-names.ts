/** What a PromQL expression names. It is no parser: it relies on an expression that Prometheus accepts. */
export interface PromqlNames {
  readonly metrics: ReadonlySet<string>;
  /** Labels in `metric{...}`, with the metric. */
  readonly matched: readonly (readonly [metric: string, label: string])[];
  /** Labels in `by (...)`, `on (...)` and their like. */
  readonly listed: ReadonlySet<string>;
}

const LABEL_LISTS = new Set(["by", "without", "on", "ignoring", "group_left", "group_right"]);
const WORDS = new Set(["and", "or", "unless", "bool", "offset", "inf", "nan"]);
/** Strings, ranges, comments and numbers go first, so that nothing in them counts. */
const TOKEN = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|#.*|\d[\w.]*|[a-zA-Z_:][\w:]*|[(){},]/g;

export function promqlNames(expression: string): PromqlNames {
  const tokens = (expression.match(TOKEN) ?? []).filter((token) => !/^["#[]/.test(token));
  const metrics = new Set<string>();
  const matched: [string, string][] = [];
  const listed = new Set<string>();
  let metric = "";
  let into: "listed" | "matched" | undefined;
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token === "{") into = "matched";
    else if (token === "(" && LABEL_LISTS.has(tokens[index - 1] ?? "")) into = "listed";
    else if (token === "}" || token === ")") into = undefined;
    else if (!/^[a-zA-Z_:]/.test(token)) continue;
    else if (into === "matched") matched.push([metric, token]);
    else if (into === "listed") listed.add(token);
    else if (!LABEL_LISTS.has(token) && !WORDS.has(token) && next !== "(" && !isAggregation(token, next)) {
      metric = token;
      metrics.add(token);
    }
  }
  return { metrics, matched, listed };
}

/** `sum by (...) (...)` has its list before its operand. */
function isAggregation(token: string, next: string | undefined): boolean {
  return (next === "by" || next === "without") && !token.includes("_");
}
