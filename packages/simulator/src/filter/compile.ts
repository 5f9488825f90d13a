import { excerpt, invalidDuration, invalidFilter } from "./filter-error.ts";
import { type Hierarchy, related } from "./hierarchy.ts";
import { parseFilter } from "./parser.ts";
import type { Declaration, Properties, Property, PropertyType, TextList } from "./property.ts";
import type { Comparison, Expression, List, Operator, Value } from "./syntax.ts";

export type Predicate<Item> = (item: Item) => boolean;

/** What a filter is about: one kind of records, in one request. */
export interface FilterScope<Item, Context> {
  readonly properties: Properties<Item, Context>;
  /** Handed to every `read`. */
  readonly context: Context;
  /** How records stand to each other; without it, the hierarchical prefixes are refused. */
  readonly hierarchy?: Hierarchy<Item>;
  /** Live servers answer a list of a wrong type with no objects instead of an error. */
  readonly lenientLists: boolean;
  /** Live servers were seen to refuse texts with parentheses, brackets and ampersands, quoted as they are. */
  readonly plainTexts: boolean;
}

/**
 * A filter as a predicate. The text is checked against the properties as a whole before anything is asked.
 * Where a property is absent, `!=` holds, `= nil` holds, and every other comparison does not.
 * @throws FilterError
 */
export function compileFilter<Item, Context>(filter: string, scope: FilterScope<Item, Context>): Predicate<Item> {
  return compile(parseFilter(filter), scope);
}

function compile<Item, Context>(expression: Expression, scope: FilterScope<Item, Context>): Predicate<Item> {
  switch (expression.kind) {
    case "comparison":
      return compileComparison(expression, scope);
    case "not": {
      const term = compile(expression.term, scope);
      return (item) => !term(item);
    }
    case "and": {
      const terms = expression.terms.map((term) => compile(term, scope));
      return (item) => terms.every((term) => term(item));
    }
    case "or": {
      const terms = compileAlternatives(expression.terms, scope);
      return (item) => terms.some((term) => term(item));
    }
    case "related": {
      const term = compile(expression.term, scope);
      if (scope.hierarchy === undefined) {
        throw invalidFilter(`${expression.relation} works only with objects of the tree`, expression.at);
      }
      return related(expression.relation, term, scope.hierarchy);
    }
  }
}

/** Clients without `in` send hundreds of `id = "..." or`: the texts that a property may equal are looked up, not tried one by one. */
function compileAlternatives<Item, Context>(
  terms: readonly Expression[],
  scope: FilterScope<Item, Context>,
): Predicate<Item>[] {
  const others: Predicate<Item>[] = [];
  const wanted = new Map<Property<Item, Context>, Set<unknown>>();
  for (const term of terms) {
    const predicate = compile(term, scope);
    const property = term.kind === "comparison" ? scope.properties.get(term.property) : undefined;
    if (
      term.kind === "comparison" &&
      term.operator === "=" &&
      term.value.kind === "text" &&
      property?.type === "text"
    ) {
      wanted.set(property, (wanted.get(property) ?? new Set()).add(term.value.text));
    } else others.push(predicate);
  }
  const lookups = [...wanted].map(([property, texts]): Predicate<Item> => {
    return (item) => texts.has(property.read(item, scope.context));
  });
  return [...lookups, ...others];
}

function compileComparison<Item, Context>(comparison: Comparison, scope: FilterScope<Item, Context>): Predicate<Item> {
  const { operator, operatorAt, value } = comparison;
  const property = scope.properties.get(comparison.property);
  if (property === undefined) throw invalidFilter(`unknown property ${excerpt(comparison.property)}`, comparison.at);
  const { context } = scope;
  const read = (item: Item): unknown => property.read(item, context);
  if (value.kind === "nil") {
    checkNil(comparison, property);
    return operator === "=" ? (item) => read(item) === undefined : (item) => read(item) !== undefined;
  }
  if (!property.operators.includes(operator)) {
    const possible = property.operators.join(", ");
    throw invalidFilter(
      `${comparison.property} cannot be compared with ${operator}, only with ${possible}`,
      operatorAt,
    );
  }
  if (operator === "in") {
    if (value.kind !== "list") throw invalidFilter("value must be a list in square brackets", value.at);
    const wanted = operandsOf(property, value, scope);
    return (item) => wanted.has(read(item));
  }
  if (value.kind === "list") throw invalidFilter("a list works only with in", value.at);
  const test = testOf(property.type, operator, operandOf(property, value, scope));
  return (item) => test(read(item));
}

function checkNil({ property: name, operator, operatorAt, value }: Comparison, { optional }: Declaration): void {
  if (!optional) throw invalidFilter(`${name} is never absent`, value.at);
  if (operator !== "=" && operator !== "!=") throw invalidFilter("nil works only with = and !=", operatorAt);
}

/** What a server makes of values. */
type Rules = Pick<FilterScope<unknown, unknown>, "lenientLists" | "plainTexts">;

function operandsOf(declaration: Declaration, list: List, rules: Rules): ReadonlySet<unknown> {
  const { lenientLists } = rules;
  if (lenientLists && declaration.type === "text" && list.elements[0]?.kind === "number") return new Set();
  return new Set(list.elements.map((element) => operandOf(declaration, element, rules)));
}

type Operand = string | number | boolean;

/** The value in the form that `read` gives, when it is of the property's type. */
function operandOf(declaration: Declaration, value: Value, { plainTexts }: Rules): Operand {
  switch (declaration.type) {
    case "text":
    case "texts":
      if (value.kind !== "text") throw invalidFilter("value must be a text in double quotes", value.at);
      if (plainTexts && /[()[\]&]/.test(value.text)) {
        throw invalidFilter(`unexpected character in ${excerpt(value.text)}`, value.at);
      }
      return value.text;
    case "boolean":
      if (value.kind === "boolean") return value.value;
      throw invalidFilter("value must be true or false", value.at);
    case "number":
      if (value.kind === "number") return Number(value.digits);
      throw invalidFilter("value must be a number", value.at);
    case "duration":
      if (value.kind === "duration") return Number(value.digits);
      if (value.kind === "number") throw invalidDuration("value needs the suffix s", value.at);
      throw invalidFilter("value must be a duration such as 60s", value.at);
    case "enumeration":
      return tokenOf(declaration, value);
  }
}

/** Tokens are matched without case: live servers take `UP` as well as `up`, but no prefix and no underscore. */
function tokenOf({ tokens = new Map<string, string>() }: Declaration, value: Value): string {
  if (value.kind !== "identifier") throw invalidFilter("value must be an identifier without quotes", value.at);
  const token = tokens.get(value.name.toLowerCase());
  if (token === undefined) {
    throw invalidFilter(
      `unknown identifier ${excerpt(value.name)}, expected one of ${[...tokens.keys()].join(", ")}`,
      value.at,
    );
  }
  return token;
}

/** The comparison of a value that was read, undefined where absent, with the operand. */
function testOf(type: PropertyType, operator: Exclude<Operator, "in">, operand: Operand): (found: unknown) => boolean {
  const list = type === "texts";
  switch (operator) {
    case "=":
      return list ? ofList((texts) => texts.includes(String(operand))) : (found) => found === operand;
    case "!=": {
      const equal = testOf(type, "=", operand);
      return (found) => !equal(found);
    }
    case "contains":
      return ofList((texts) => texts.includes(String(operand)));
    case "matches": {
      // "Similar to the text value": ours, the text occurs in it. Case counts, as in all text filters.
      const similar = (found: unknown): boolean => typeof found === "string" && found.includes(String(operand));
      return list ? (found) => Array.isArray(found) && found.some(similar) : similar;
    }
    default: {
      const order = ORDERINGS[operator];
      const bound = Number(operand);
      return (found) => typeof found === "number" && order(found, bound);
    }
  }
}

function ofList(test: (texts: TextList) => boolean): (found: unknown) => boolean {
  return (found) => found !== undefined && test(found as TextList);
}

const ORDERINGS: Readonly<Record<"<" | "<=" | ">" | ">=", (left: number, right: number) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};
