/** The syntax tree of a filter expression, and how it is written. `at` is the offset in the filter. */

export const OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "in", "contains", "matches"] as const;
export type Operator = (typeof OPERATORS)[number];

export const RELATIONS = ["ancestors", "descendants", "parents", "children"] as const;
export type Relation = (typeof RELATIONS)[number];

/** Words that are no identifiers. */
export const RESERVED: ReadonlySet<string> = new Set([
  "and",
  "or",
  "not",
  "in",
  "contains",
  "matches",
  "nil",
  "true",
  "false",
]);

export type Scalar =
  | { readonly kind: "text"; readonly text: string; readonly at: number }
  | { readonly kind: "number"; readonly digits: string; readonly at: number }
  | { readonly kind: "duration"; readonly digits: string; readonly at: number }
  | { readonly kind: "boolean"; readonly value: boolean; readonly at: number }
  | { readonly kind: "identifier"; readonly name: string; readonly at: number };

export interface List {
  readonly kind: "list";
  readonly elements: readonly Scalar[];
  readonly at: number;
}

export interface Nil {
  readonly kind: "nil";
  readonly at: number;
}

export type Value = Scalar | List | Nil;

export interface Comparison {
  readonly kind: "comparison";
  readonly property: string;
  readonly operator: Operator;
  readonly operatorAt: number;
  readonly value: Value;
  readonly at: number;
}

export type Expression =
  | Comparison
  | { readonly kind: "and" | "or"; readonly terms: readonly Expression[]; readonly at: number }
  | { readonly kind: "not"; readonly term: Expression; readonly at: number }
  | { readonly kind: "related"; readonly relation: Relation; readonly term: Expression; readonly at: number };

/** Writes an expression so that parsing gives the same tree again. */
export function print(expression: Expression): string {
  switch (expression.kind) {
    case "comparison":
      return `${expression.property} ${expression.operator} ${printValue(expression.value)}`;
    case "and":
    case "or":
      return expression.terms.map((term) => printTerm(term)).join(` ${expression.kind} `);
    case "not":
      return `not ${printTerm(expression.term)}`;
    case "related":
      return `${expression.relation} ${printTerm(expression.term)}`;
  }
}

/** `and` and `or` below another operator need parentheses to stay a term of their own. */
function printTerm(expression: Expression): string {
  const compound = expression.kind === "and" || expression.kind === "or";
  return compound ? `(${print(expression)})` : print(expression);
}

function printValue(value: Value): string {
  switch (value.kind) {
    case "text":
      return `"${value.text.replace(/["\\]/g, "\\$&")}"`;
    case "number":
      return value.digits;
    case "duration":
      return `${value.digits}s`;
    case "boolean":
      return String(value.value);
    case "identifier":
      return value.name;
    case "nil":
      return "nil";
    case "list":
      return `[${value.elements.map(printValue).join(", ")}]`;
  }
}
