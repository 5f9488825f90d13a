import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";
import { RE2JS } from "re2js";

/** @throws Error for invalid PromQL */
export function parsePromql(expression: string): SyntaxNode {
  const tree = parser.parse(expression);
  tree.iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}-${to}: ${expression}`);
    },
  });
  return tree.topNode;
}

export function childrenOf(node: SyntaxNode | null): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function isLabelName({ name }: SyntaxNode): boolean {
  return name === "LabelName";
}

/** From a parenthesised list or matchers. */
export function labelNames(node: SyntaxNode | null, expression: string): string[] {
  return childrenOf(node).flatMap((child) => {
    if (isLabelName(child)) return [expression.slice(child.from, child.to)];
    return child.name === "UnquotedLabelMatcher" ? labelNames(child, expression) : [];
  });
}

/** Label of `label_replace` or `count_values`. */
export function madeLabel(node: SyntaxNode, expression: string): string | undefined {
  const isReplacing = node.getChild("FunctionIdentifier")?.firstChild?.name === "LabelReplace";
  const isCounting = childrenOf(node.getChild("AggregateOp")).some(({ name }) => name === "CountValues");
  if (!isReplacing && !isCounting) return undefined;
  const name = node.getChild("FunctionCallBody")?.getChild("StringLiteral");
  return name == null ? undefined : expression.slice(name.from + 1, name.to - 1);
}

/** Empty for a selector with only matchers. */
export function metricOf(selector: SyntaxNode, expression: string): string {
  const name = selector.getChild("Identifier");
  return name === null ? "" : expression.slice(name.from, name.to);
}

interface LabelMatcher {
  readonly label: string;
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

export function matchersOf(selector: SyntaxNode, expression: string): LabelMatcher[] {
  const textOf = (node: SyntaxNode | null) => (node === null ? "" : expression.slice(node.from, node.to));
  return (selector.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? []).map((matcher) => ({
    label: textOf(matcher.getChild("LabelName")),
    operator: textOf(matcher.getChild("MatchOp")) as LabelMatcher["operator"],
    value: stringOf(textOf(matcher.getChild("StringLiteral"))),
  }));
}

/** Decodes a string literal. */
export function stringOf(literal: string): string {
  return literal.startsWith("`") ? literal.slice(1, -1) : String(JSON.parse(literal));
}

/** Test of label values. Regular expressions are anchored, and `.` matches any character. */
export function matcherOf({ operator, value }: LabelMatcher): (text: string) => boolean {
  const isWanted = !operator.startsWith("!");
  if (!operator.endsWith("~")) return (text) => (value === text) === isWanted;
  const expected = RE2JS.compile(`(?s:${value})`);
  return (text) => expected.matches(text) === isWanted;
}
