import fc from "fast-check";
import { expect, test } from "vitest";
import { compileFilter } from "../../src/filter/compile.ts";
import { type Expression, print, RELATIONS, type Relation, type Value } from "../../src/filter/syntax.ts";
import { childrenOf, idOf, isChannel, kindOf, parentOf, type SimObject } from "../../src/world/objects.ts";
import { StaticWorld } from "../support/static-world.ts";
import { everythingOf, scopeOf } from "../support/tree-filter.ts";

const world = new StaticWorld();
const listed = everythingOf(world);
const all: readonly SimObject[] = [world.root, ...listed];

/** An independent implementation. */
const READ: Readonly<Record<string, (subject: SimObject) => unknown>> = {
  id: idOf,
  type: kindOf,
  name: ({ name }) => name,
  parentid: (subject) => parentOf(subject)?.id,
  primary: (subject) => (isChannel(subject) ? subject.primary : undefined),
  priority: (subject) => (isChannel(subject) ? undefined : subject.priority),
  limitmaxerror: (subject) => (isChannel(subject) ? subject.limits.maxError : undefined),
  "basic.tags": (subject) => (isChannel(subject) ? undefined : subject.tags),
  sensorkind: (subject) => {
    if (isChannel(subject) || subject.kind !== "sensor") return undefined;
    return subject.type === "paessler.cpu.65" ? ["paessler.cpu", "paessler.cpu.65"] : [subject.type];
  },
};

function naive(expression: Expression, subject: SimObject): boolean {
  switch (expression.kind) {
    case "and":
      return !expression.terms.some((term) => !naive(term, subject));
    case "or":
      return expression.terms.filter((term) => naive(term, subject)).length > 0;
    case "not":
      return !naive(expression.term, subject);
    case "related":
      return all.some((other) => isRelated(expression.relation, subject, other) && naive(expression.term, other));
    case "comparison": {
      const found = READ[expression.property]?.(subject);
      return naiveComparison(found, expression.operator, expression.value);
    }
  }
}

function isRelated(relation: Relation, subject: SimObject, other: SimObject): boolean {
  switch (relation) {
    case "children":
      return childrenOf(other).includes(subject);
    case "parents":
      return childrenOf(subject).includes(other);
    case "descendants":
      return chain(subject).includes(other);
    case "ancestors":
      return chain(other).includes(subject);
  }
}

function chain(subject: SimObject): SimObject[] {
  const parent = parentOf(subject);
  return parent === undefined ? [] : [parent, ...chain(parent)];
}

function naiveComparison(found: unknown, operator: string, value: Value): boolean {
  if (value.kind === "nil") return (operator === "=") === (found === undefined);
  if (operator === "!=") return !naiveComparison(found, "=", value);
  if (found === undefined) return false;
  if (Array.isArray(found)) {
    return found.some((each) => naiveComparison(each, operator === "contains" ? "=" : operator, value));
  }
  switch (value.kind) {
    case "list":
      return value.elements.some((element) => naiveComparison(found, "=", element));
    case "number":
    case "duration":
      return compareNumbers(Number(found), operator, Number(value.digits));
    case "text":
      return operator === "matches" ? String(found).split(value.text).length > 1 : found === value.text;
    case "boolean":
      return found === value.value;
    case "identifier":
      return found === value.name;
  }
}

function compareNumbers(left: number, operator: string, right: number): boolean {
  const signs: Readonly<Record<string, readonly number[]>> = {
    "=": [0],
    "<": [-1],
    "<=": [-1, 0],
    ">": [1],
    ">=": [0, 1],
  };
  return signs[operator]?.includes(Math.sign(left - right)) ?? false;
}

const at = 0;
const text = (...texts: string[]) => fc.constantFrom(...texts).map((each): Value => ({ kind: "text", text: each, at }));
const number = (...digits: string[]) =>
  fc.constantFrom(...digits).map((each): Value => ({ kind: "number", digits: each, at }));
const nil = fc.constant<Value>({ kind: "nil", at });

function comparison(
  property: string,
  operators: readonly string[],
  value: fc.Arbitrary<Value>,
): fc.Arbitrary<Expression> {
  return fc.record({
    kind: fc.constant("comparison" as const),
    property: fc.constant(property),
    operator: fc.constantFrom(...operators) as fc.Arbitrary<"=">,
    operatorAt: fc.constant(at),
    value,
    at: fc.constant(at),
  });
}

const EQUALITY = ["=", "!="];
const ORDER = [...EQUALITY, "<", "<=", ">", ">="];
const names = ["Ping", "CPU", "Network", "ping", "Downtime"].map((each) => ({ kind: "text" as const, text: each, at }));

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  comparison("id", EQUALITY, text("0", "1", "10", "11", "100", "1000", "1001.2", "4711")),
  comparison("parentid", EQUALITY, fc.oneof(text("0", "10", "100", "1000"), nil)),
  comparison("name", EQUALITY, fc.constantFrom(...names)),
  comparison(
    "name",
    ["in"],
    fc.subarray(names, { minLength: 1 }).map((elements): Value => ({ kind: "list", elements, at })),
  ),
  comparison(
    "type",
    EQUALITY,
    fc
      .constantFrom("probe", "group", "device", "sensor", "channel")
      .map((name): Value => ({ kind: "identifier", name, at })),
  ),
  comparison(
    "primary",
    EQUALITY,
    fc.oneof(
      fc.boolean().map((value): Value => ({ kind: "boolean", value, at })),
      nil,
    ),
  ),
  comparison("priority", ORDER, number("3", "4", "5", "-1")),
  comparison("limitmaxerror", ORDER, number("249.9", "250", "250.0")),
  comparison("limitmaxerror", EQUALITY, nil),
  comparison("basic.tags", ["contains"], text("cisco", "net", "wan", "cis", "")),
  comparison("sensorkind", [...EQUALITY, "matches"], text("ping", "paessler.cpu", "snmp", "65", "")),
);

const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      terms: fc.array(tie("expression"), { minLength: 2, maxLength: 4 }),
      at: fc.constant(at),
    }),
    fc.record({ kind: fc.constant("not" as const), term: tie("expression"), at: fc.constant(at) }),
    fc.record({
      kind: fc.constant("related" as const),
      relation: fc.constantFrom(...RELATIONS),
      term: tie("expression"),
      at: fc.constant(at),
    }),
  ),
}));

test("a printed and compiled filter selects the same objects as a naive evaluation", () => {
  const seen = { none: 0, some: 0, everything: 0 };
  fc.assert(
    fc.property(expression, (original) => {
      const expected = listed.filter((subject) => naive(original, subject)).map(idOf);
      const predicate = compileFilter(print(original), scopeOf(world, "specification"));
      expect(listed.filter(predicate).map(idOf)).toEqual(expected);
      seen[expected.length === 0 ? "none" : expected.length === listed.length ? "everything" : "some"]++;
    }),
    { numRuns: 1500 },
  );
  // Expressions must distinguish objects.
  expect(seen.some).toBeGreaterThan(300);
});
