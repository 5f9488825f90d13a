import type { SyntaxNode } from "@lezer/common";
import { childrenOf, labelNames, madeLabel, metricOf, parsePromql } from "./promql-syntax.ts";

interface PromqlNames {
  readonly metrics: ReadonlySet<string>;
  /** Labels in `metric{...}`, with the metric. */
  readonly matched: readonly (readonly [metric: string, label: string])[];
  /** Labels in `by (...)`, `on (...)` and similar. */
  readonly listed: ReadonlySet<string>;
  /** Made by `label_replace` and `count_values`. */
  readonly made: ReadonlySet<string>;
}

/** @throws Error for invalid PromQL */
export function promqlNames(expression: string): PromqlNames {
  const metrics = new Set<string>();
  const matched: [string, string][] = [];
  const listed = new Set<string>();
  const made = new Set<string>();
  const visit = (node: SyntaxNode) => {
    const madeHere = madeLabel(node, expression);
    if (madeHere !== undefined) made.add(madeHere);
    if (node.name === "VectorSelector") {
      const metric = metricOf(node, expression);
      metrics.add(metric);
      for (const label of labelNames(node.getChild("LabelMatchers"), expression)) matched.push([metric, label]);
    } else if (node.name === "GroupingLabels") {
      for (const label of labelNames(node, expression)) listed.add(label);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parsePromql(expression));
  return { metrics, matched, listed, made };
}
