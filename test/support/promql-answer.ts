import type { SyntaxNode } from "@lezer/common";
import { RE2JS } from "re2js";
import { childrenOf, labelNames, matcherOf, matchersOf, metricOf, parsePromql, stringOf } from "./promql-syntax.ts";

export type SeriesLabels = Readonly<Record<string, string>>;

export interface Sample {
  /** With `__name__`, unless dropped. Never empty. */
  readonly labels: SeriesLabels;
  readonly value: number;
}

type Answer = readonly Sample[] | number;

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  Div: (a, b) => a / b,
};
const AGGREGATES: Readonly<Record<string, (values: readonly number[]) => number>> = {
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  Max: (values) => Math.max(...values),
  Min: (values) => Math.min(...values),
  Count: ({ length }) => length,
  Group: () => 1,
};
const NAME = "__name__";

/**
 * Instant query. Supports only the dashboards' channel queries.
 * @throws Error for others
 */
export function promqlAnswer(expression: string, samples: readonly Sample[]): readonly Sample[] {
  const answered = new Map<string, Answer>();
  const text = ({ from, to }: SyntaxNode) => expression.slice(from, to);

  const answer = (node: SyntaxNode): Answer => {
    const known = answered.get(text(node)) ?? computed(node);
    answered.set(text(node), known);
    return known;
  };

  const vector = (node: SyntaxNode): readonly Sample[] => {
    const found = answer(node);
    if (typeof found === "number") throw new Error(`a number: ${text(node)}`);
    return found;
  };

  const computed = (node: SyntaxNode): Answer => {
    const [first] = childrenOf(node);
    switch (node.name) {
      case "PromQL":
      case "ParenExpr":
        if (first === undefined) break;
        return answer(first);
      case "NumberDurationLiteral":
        return Number(text(node));
      case "VectorSelector":
        return selected(node);
      case "AggregateExpr":
        return aggregated(node);
      case "FunctionCall":
        return replaced(node);
      case "BinaryExpr":
        return combined(node);
    }
    throw new Error(`not known here: ${node.name} ${text(node)}`);
  };

  const selected = (node: SyntaxNode): readonly Sample[] => {
    const name = metricOf(node, expression);
    const matchers = matchersOf(node, expression).map((matcher) => {
      const matches = matcherOf(matcher);
      const fits = new Map<string, boolean>();
      return ({ labels }: Sample): boolean => {
        const value = labels[matcher.label] ?? "";
        const fit = fits.get(value) ?? matches(value);
        fits.set(value, fit);
        return fit;
      };
    });
    return samples.filter(
      (sample) => (name === "" || sample.labels[NAME] === name) && matchers.every((fits) => fits(sample)),
    );
  };

  const aggregated = (node: SyntaxNode): readonly Sample[] => {
    const operator = childrenOf(node.getChild("AggregateOp"))[0]?.name ?? "";
    const [last, parameter] = childrenOf(node.getChild("FunctionCallBody")).toReversed();
    if (last === undefined || node.getChild("AggregateModifier")?.getChild("Without") != null) {
      throw new Error(`not known here: ${text(node)}`);
    }
    const by = labelNames(node.getChild("AggregateModifier")?.getChild("GroupingLabels") ?? null, expression);
    const groups = [...Map.groupBy(vector(last), ({ labels }) => keyOf(labels, by)).values()];
    if (operator === "Topk" && parameter !== undefined) {
      const count = Number(text(parameter));
      return groups.flatMap((group) => group.toSorted((a, b) => b.value - a.value).slice(0, count));
    }
    const aggregate = AGGREGATES[operator];
    if (aggregate === undefined) throw new Error(`not known here: ${text(node)}`);
    return groups.map((group) => ({
      labels: only(group[0]?.labels ?? {}, by),
      value: aggregate(group.map(({ value }) => value)),
    }));
  };

  const replaced = (node: SyntaxNode): readonly Sample[] => {
    if (node.getChild("FunctionIdentifier")?.firstChild?.name !== "LabelReplace") {
      throw new Error(`not known here: ${text(node)}`);
    }
    const [operand, ...literals] = childrenOf(node.getChild("FunctionCallBody"));
    const [label = "", replacement, source = "", pattern = ""] = literals.map((literal) => stringOf(text(literal)));
    if (operand === undefined || replacement !== "$1") throw new Error(`not known here: ${text(node)}`);
    const expected = RE2JS.compile(`(?s:${pattern})`);
    return vector(operand).map((sample) => {
      const matcher = expected.matcher(sample.labels[source] ?? "");
      if (!matcher.matches()) return sample;
      return { ...sample, labels: { ...sample.labels, [label]: matcher.group(1) ?? "" } };
    });
  };

  const combined = (node: SyntaxNode): readonly Sample[] => {
    const children = childrenOf(node);
    const [left, right] = [children[0], children.at(-1)];
    const operator = children[1]?.name ?? "";
    if (left === undefined || right === undefined) throw new Error(`half: ${text(node)}`);
    const clause = node.getChild("MatchingModifierClause");
    const [on = [], brought = []] = (clause?.getChildren("GroupingLabels") ?? []).map((list) =>
      labelNames(list, expression),
    );
    if (operator === "Or" || operator === "And") {
      if (on.length === 0) throw new Error(`not known here: ${text(node)}`);
      const [a, b] = [vector(left), vector(right)];
      const keys = new Set((operator === "Or" ? a : b).map(({ labels }) => keyOf(labels, on)));
      if (operator === "And") return a.filter(({ labels }) => keys.has(keyOf(labels, on)));
      return [...a, ...b.filter(({ labels }) => !keys.has(keyOf(labels, on)))];
    }
    const [a, b] = [answer(left), answer(right)];
    if (operator === "Eql" && typeof a !== "number") return a.filter(({ value }) => value === b);
    const calculate = ARITHMETIC[operator];
    if (calculate === undefined || typeof a === "number") throw new Error(`not known here: ${text(node)}`);
    if (typeof b === "number") {
      return a.map(({ labels, value }) => ({ labels: nameless(labels), value: calculate(value, b) }));
    }
    if (clause?.getChild("GroupLeft") == null) throw new Error(`not known here: ${text(node)}`);
    const partners = new Map(b.map((sample) => [keyOf(sample.labels, on), sample] as const));
    return a.flatMap(({ labels, value }) => {
      const partner = partners.get(keyOf(labels, on));
      if (partner === undefined) return [];
      const joined = { ...nameless(labels), ...only(partner.labels, brought) };
      return [{ labels: joined, value: calculate(value, partner.value) }];
    });
  };

  return vector(parsePromql(expression));
}

function keyOf(labels: SeriesLabels, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => labels[name] ?? ""));
}

function only(labels: SeriesLabels, names: readonly string[]): SeriesLabels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));
}

function nameless({ [NAME]: _name, ...labels }: SeriesLabels): SeriesLabels {
  return labels;
}
