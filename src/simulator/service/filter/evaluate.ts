import { childrenOf, parentOf, type Subject } from "../subject.ts";
import { invalidDuration, invalidFilter } from "./filter-error.ts";
import type { EnumerationProperty, Moment, Property } from "./properties.ts";
import type { Comparison, Expression, Operator, Relation, Scalar, Value } from "./syntax.ts";

export type Predicate = (subject: Subject) => boolean;

export interface FilterScope extends Moment {
  readonly properties: ReadonlyMap<string, Property>;
  /** What the user may see; a filter finds nothing out about the rest. */
  sees(subject: Subject): boolean;
  /** Live servers answer a list of a wrong type with no objects instead of an error. */
  readonly lenientLists: boolean;
}

/**
 * Checks an expression against the properties and turns it into a predicate.
 * @throws FilterError
 */
export function compileFilter(expression: Expression, scope: FilterScope): Predicate {
  switch (expression.kind) {
    case "comparison":
      return compileComparison(expression, scope);
    case "not": {
      const term = compileFilter(expression.term, scope);
      return (subject) => !term(subject);
    }
    case "and": {
      const terms = expression.terms.map((term) => compileFilter(term, scope));
      return (subject) => terms.every((term) => term(subject));
    }
    case "or": {
      const terms = expression.terms.map((term) => compileFilter(term, scope));
      return (subject) => terms.some((term) => term(subject));
    }
    case "related":
      return related(expression.relation, compileFilter(expression.term, scope), scope);
  }
}

/**
 * `descendants X` = all that is below an object for which X holds, and so on.
 * Each object is asked once a request, so that a large tree stays cheap.
 */
function related(relation: Relation, term: Predicate, scope: FilterScope): Predicate {
  const holds = remembered((subject) => scope.sees(subject) && term(subject));
  const below: Predicate = remembered((subject) => {
    const parent = parentOf(subject);
    return parent !== undefined && (holds(parent) || below(parent));
  });
  const above: Predicate = remembered((subject) => childrenOf(subject).some((child) => holds(child) || above(child)));
  switch (relation) {
    case "children":
      return (subject) => {
        const parent = parentOf(subject);
        return parent !== undefined && holds(parent);
      };
    case "parents":
      return (subject) => childrenOf(subject).some(holds);
    case "descendants":
      return below;
    case "ancestors":
      return above;
  }
}

function remembered(predicate: Predicate): Predicate {
  const known = new Map<Subject, boolean>();
  return (subject) => {
    const answer = known.get(subject) ?? predicate(subject);
    known.set(subject, answer);
    return answer;
  };
}

function compileComparison(comparison: Comparison, scope: FilterScope): Predicate {
  const property = scope.properties.get(comparison.property);
  if (property === undefined) throw invalidFilter(`unknown property ${comparison.property}`, comparison.at);
  const { operator, value } = comparison;
  if (value.kind === "nil") return compareWithNil(property, comparison, scope);
  if (!property.operators.includes(operator)) {
    throw invalidFilter(`${comparison.property} cannot be compared with ${operator}`, comparison.operatorAt);
  }
  if ((operator === "in") !== (value.kind === "list")) {
    throw invalidFilter(operator === "in" ? "value must be a list" : "a list goes only with in", value.at);
  }
  if (operator === "in") return compareWithList(property, value, scope);
  return compareWithScalar(property, operator, value, scope);
}

function compareWithNil(property: Property, comparison: Comparison, moment: Moment): Predicate {
  const { operator, value } = comparison;
  if (!property.optional) throw invalidFilter(`${comparison.property} is never absent`, value.at);
  if (operator !== "=" && operator !== "!=") {
    throw invalidFilter("nil goes only with = and !=", comparison.operatorAt);
  }
  return (subject) => (property.read(subject, moment) === undefined) === (operator === "=");
}

function compareWithList(property: Property, value: Value, scope: FilterScope): Predicate {
  if (value.kind !== "list") return () => false;
  const first = value.elements[0];
  if (scope.lenientLists && property.type === "text" && first?.kind === "number") return () => false;
  const wanted = new Set<unknown>(value.elements.map((element) => operandOf(property, element)));
  return (subject) => wanted.has(property.read(subject, scope));
}

function compareWithScalar(property: Property, operator: Operator, value: Value, moment: Moment): Predicate {
  const operand = operandOf(property, value);
  const read = (subject: Subject): unknown => property.read(subject, moment);
  switch (operator) {
    case "=":
      return (subject) => read(subject) === operand;
    case "!=":
      return (subject) => read(subject) !== operand;
    case "contains":
      return (subject) => {
        const list = read(subject);
        return Array.isArray(list) && list.includes(operand);
      };
    default: {
      const order = ORDERINGS[operator];
      const bound = Number(operand);
      return (subject) => {
        const number = read(subject);
        return typeof number === "number" && order !== undefined && order(number, bound);
      };
    }
  }
}

const ORDERINGS: Readonly<Partial<Record<Operator, (left: number, right: number) => boolean>>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

/** The value in the form that `read` gives, when it is of the property's type. */
function operandOf(property: Property, value: Value): string | boolean | number {
  switch (property.type) {
    case "text":
    case "texts":
      if (value.kind === "text") return value.text;
      throw invalidFilter("value must be a text", value.at);
    case "boolean":
      if (value.kind === "boolean") return value.value;
      throw invalidFilter("value must be true or false", value.at);
    case "duration":
      if (value.kind === "duration") return Number(value.digits);
      if (value.kind === "number") throw invalidDuration("value needs the suffix s", value.at);
      throw invalidFilter("value must be a duration", value.at);
    case "enumeration":
      return tokenOf(property, value);
  }
}

/** Tokens are matched without case: live servers take `UP` as well as `up`, but no prefix and no underscore. */
function tokenOf(property: EnumerationProperty, value: Value | Scalar): string {
  if (value.kind !== "identifier") throw invalidFilter("value must be an identifier without quotes", value.at);
  const token = property.tokens.get(value.name.toLowerCase());
  if (token === undefined) throw invalidFilter(`unknown identifier ${value.name}`, value.at);
  return token;
}
