import type { SyntaxNode } from "@lezer/common";
import { childrenOf, labelNames, madeLabel, matchersOf, matches, metricOf, parsePromql } from "./promql-syntax.ts";

interface PromqlLabels {
  /** Possible labels of the result. */
  readonly labels: ReadonlySet<string>;
  /** Unknown metrics and labels. */
  readonly unknown: readonly string[];
}

type Labels = ReadonlySet<string>;

const EXPRESSIONS = new Set([
  "AggregateExpr",
  "BinaryExpr",
  "FunctionCall",
  "MatrixSelector",
  "NumberDurationLiteral",
  "OffsetExpr",
  "ParenExpr",
  "StringLiteral",
  "SubqueryExpr",
  "UnaryExpr",
  "VectorSelector",
]);
/** Aggregations that select series and keep their labels. */
const CHOOSING = new Set(["Topk", "Bottomk", "LimitK", "LimitRatio"]);
const NONE: Labels = new Set();

/** Through selectors, aggregations and joins, like Prometheus. `labelsOf`: all metrics. */
export function promqlLabels(expression: string, labelsOf: ReadonlyMap<string, readonly string[]>): PromqlLabels {
  const unknown: string[] = [];

  const need = (labels: readonly string[], known: Labels, where: string) => {
    for (const label of labels) if (!known.has(label)) unknown.push(`${where} ${label}`);
  };

  const labelsAt = (node: SyntaxNode): Labels => {
    switch (node.name) {
      case "VectorSelector":
        return selected(node);
      case "AggregateExpr":
        return aggregated(node);
      case "BinaryExpr":
        return combined(node);
      case "FunctionCall":
        return returned(node);
      default:
        return union(operandsOf(node).map(labelsAt));
    }
  };

  const selected = (node: SyntaxNode): Labels => {
    const metric = metricOf(node, expression);
    const labels = metric === "" ? labelsOfAny(node) : labelsOf.get(metric);
    if (labels === undefined) unknown.push(`metric ${metric}`);
    const known = new Set(labels);
    // Without a name, a matcher may exclude series with the label.
    const matched = metric === "" ? new Set(["__name__", ...[...labelsOf.values()].flat()]) : known;
    need(labelNames(node.getChild("LabelMatchers"), expression), matched, metric);
    return known;
  };

  /** For a selector without a name: labels of all matching metrics. */
  const labelsOfAny = (node: SyntaxNode): string[] | undefined => {
    const matchers = matchersOf(node, expression);
    const fitting = [...labelsOf].filter(([name, labels]) =>
      matchers.every((matcher) => {
        const { label, operator, value } = matcher;
        if (label === "__name__") return matches(matcher, name);
        const isNegative = operator.startsWith("!");
        return value === "" ? labels.includes(label) === isNegative : isNegative || labels.includes(label);
      }),
    );
    return fitting.length === 0 ? undefined : ["__name__", ...fitting.flatMap(([, labels]) => labels)];
  };

  const aggregated = (node: SyntaxNode): Labels => {
    const operand = union(operandsOf(node.getChild("FunctionCallBody")).map(labelsAt));
    const modifier = node.getChild("AggregateModifier");
    const listed = labelNames(modifier?.getChild("GroupingLabels") ?? null, expression);
    need(listed, operand, "grouping");
    const made = madeLabel(node, expression);
    if (made !== undefined) return new Set([...listed, made]);
    if (childrenOf(node.getChild("AggregateOp")).some(({ name }) => CHOOSING.has(name))) return operand;
    if (modifier?.getChild("Without") != null) return new Set([...operand].filter((label) => !listed.includes(label)));
    return new Set(listed);
  };

  const combined = (node: SyntaxNode): Labels => {
    const [left = NONE, right = NONE] = operandsOf(node).map(labelsAt);
    const clause = node.getChild("MatchingModifierClause");
    const [matching = [], brought = []] = (clause?.getChildren("GroupingLabels") ?? []).map((list) =>
      labelNames(list, expression),
    );
    const on = clause?.getChild("On") != null;
    need(matching, left, "left of matching");
    need(matching, right, "right of matching");
    if (node.getChild("Or") !== null) return union([left, right]);
    if (node.getChild("And") !== null || node.getChild("Unless") !== null) return left;
    if (clause?.getChild("GroupLeft") != null) {
      need(brought, right, "joining");
      return union([left, new Set(brought)]);
    }
    if (clause?.getChild("GroupRight") != null) {
      need(brought, left, "joining");
      return union([right, new Set(brought)]);
    }
    // One to one keeps matched labels. With a number, the other side's.
    return on ? new Set(matching) : left.size > 0 ? left : right;
  };

  const returned = (node: SyntaxNode): Labels => {
    const labels = union(operandsOf(node.getChild("FunctionCallBody")).map(labelsAt));
    const name = node.getChild("FunctionIdentifier")?.firstChild?.name;
    const made = madeLabel(node, expression);
    if (made !== undefined) return new Set([...labels, made]);
    if (name !== "HistogramQuantile") return labels;
    need(["le"], labels, "histogram_quantile");
    return new Set([...labels].filter((label) => label !== "le"));
  };

  return { labels: labelsAt(parsePromql(expression)), unknown };
}

function operandsOf(node: SyntaxNode | null): SyntaxNode[] {
  return childrenOf(node).filter(({ name }) => EXPRESSIONS.has(name));
}

function union(sets: readonly Labels[]): Labels {
  return new Set(sets.flatMap((set) => [...set]));
}
