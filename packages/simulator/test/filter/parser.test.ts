import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FilterError } from "../../src/filter/filter-error.ts";
import { parseFilter } from "../../src/filter/parser.ts";
import {
  type Expression,
  OPERATORS,
  print,
  RELATIONS,
  RESERVED,
  type Scalar,
  type Value,
} from "../../src/filter/syntax.ts";

function structure(expression: Expression): string {
  switch (expression.kind) {
    case "comparison":
      return print(expression);
    case "and":
    case "or":
      return `(${expression.terms.map(structure).join(` ${expression.kind} `)})`;
    case "not":
      return `not ${structure(expression.term)}`;
    case "related":
      return `${expression.relation} ${structure(expression.term)}`;
  }
}

describe("structure of a parsed filter", () => {
  test.each([
    ["a = 1", "a = 1"],
    ["a=1 or b=2 and not c=3", "(a = 1 or (b = 2 and not c = 3))"],
    ["a = 1 and b = 2 or c = 3 and d = 4", "((a = 1 and b = 2) or (c = 3 and d = 4))"],
    ["(a = 1 or b = 2) and c = 3", "((a = 1 or b = 2) and c = 3)"],
    ["not not a = 1", "not not a = 1"],
    ["not(status = up)", "not status = up"],
    ["a = 1 and (b = 2 and c = 3)", "(a = 1 and (b = 2 and c = 3))"],
    ['descendants name = "x" and type = sensor', '(descendants name = "x" and type = sensor)'],
    ["not children (a = 1 or b = 2)", "not children (a = 1 or b = 2)"],
    // Before an operator, a prefix is a property.
    ['ancestors contains "40"', 'ancestors contains "40"'],
    ["interval >= 60.5s", "interval >= 60.5s"],
    ["a in [ up , down ]", "a in [up, down]"],
    ["a != nil and b = true or c = -4", "((a != nil and b = true) or c = -4)"],
    ['a = "say \\"hi\\" \\\\ 漢\n"', 'a = "say \\"hi\\" \\\\ 漢\n"'],
  ])("%s", (filter, expected) => {
    expect(structure(parseFilter(filter))).toBe(expected);
  });
});

describe("errors of the parser", () => {
  test.each([
    ["", "INVALID_FILTER", "expected a property, found the end", 1],
    ["name", "INVALID_FILTER", "expected an operator, found the end", 5],
    ["name eq 5", "INVALID_FILTER", 'expected an operator, found "eq"', 6],
    ["name =", "INVALID_FILTER", "expected a value, found the end", 7],
    ["name = and", "INVALID_FILTER", 'expected a value, found "and"', 8],
    ["nil = 5", "INVALID_FILTER", 'expected a property, found "nil"', 1],
    ["(a = 1", "INVALID_FILTER", "expected ), found the end", 7],
    ["a = 1)", "INVALID_FILTER", 'expected and, or or the end, found ")"', 6],
    ["a = 1 b = 2", "INVALID_FILTER", 'expected and, or or the end, found "b"', 7],
    ["a in []", "INVALID_FILTER", 'expected a value, found "]"', 7],
    ['a in [1, "x"]', "INVALID_FILTER", "elements of a list must be of one type", 10],
    ["a in [1 2]", "INVALID_FILTER", "expected ], found", 9],
    ['a = "x', "INVALID_FILTER", "text without closing quote", 5],
    ['a = "\\n"', "INVALID_FILTER", "are escapes", 6],
    ["a = 'x'", "INVALID_FILTER", 'unexpected character "\'"', 5],
    ["a = 😀", "INVALID_FILTER", 'unexpected character "😀"', 5],
    ["a > 60m", "INVALID_DURATION", "60m is neither a number nor a duration", 5],
    ["a > 1.2.3s", "INVALID_DURATION", "1.2.3s is neither", 5],
    ["a > 1.2.3", "INVALID_FILTER", "1.2.3 is neither", 5],
    ["a > 1e3", "INVALID_DURATION", "1e3 is neither", 5],
    ["a > 5.s", "INVALID_DURATION", "5.s is neither", 5],
    [`${"(".repeat(101)}a = 1`, "INVALID_FILTER", "nested deeper than 100 levels", 101],
    [`${"(".repeat(5000)}a = 1${")".repeat(5000)}`, "INVALID_FILTER", "nested deeper than 100 levels", 101],
    [`${"not ".repeat(4000)}a = 1`, "INVALID_FILTER", "nested deeper than 100 levels", 401],
    [`${"children (not ".repeat(900)}a = 1`, "INVALID_FILTER", "nested deeper than 100 levels", 472],
    // Too long for URLs and bodies.
    [`a = 1${" or a = 1".repeat(7000)}`, "INVALID_FILTER", "longer than 16384 characters", 16_385],
    ["(".repeat(60_000), "INVALID_FILTER", "longer than 16384 characters", 16_385],
    [`a = "${"x".repeat(9000)}" "${"y".repeat(7000)}"`, "INVALID_FILTER", `found "${"y".repeat(40)}..." at`, 9008],
  ])("%.30s", (filter, code, complaint, position) => {
    const error = refusalOf(filter);
    expect(error).toMatchObject({ code, position });
    expect(error?.message).toContain(complaint);
    expect(error?.message).toContain(`at position ${position}`);
  });
});

test("a filter can have the length of a request and any reasonable depth", () => {
  const terms = 16_000 / 10;
  expect(parseFilter(`a = 1${" or a = 1".repeat(terms)}`)).toMatchObject({ kind: "or", terms: { length: terms + 1 } });
  expect(structure(parseFilter(`${"(".repeat(99)}a = 1${")".repeat(99)}`))).toBe("a = 1");
});

function refusalOf(filter: string): FilterError | undefined {
  try {
    parseFilter(filter);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  return undefined;
}

const at = fc.constant(0);
const name = fc.stringMatching(/^[a-z_][a-z0-9_]*(\.[a-z0-9]+)?$/).filter((word) => !RESERVED.has(word));
const digits = fc.stringMatching(/^-?[0-9]{1,20}(\.[0-9]{1,10})?$/);
const scalar = (kind: Scalar["kind"]): fc.Arbitrary<Scalar> => {
  switch (kind) {
    case "text":
      return fc.record({ kind: fc.constant(kind), text: fc.string({ unit: "binary" }), at });
    case "number":
    case "duration":
      return fc.record({ kind: fc.constant(kind), digits, at });
    case "boolean":
      return fc.record({ kind: fc.constant(kind), value: fc.boolean(), at });
    case "identifier":
      return fc.record({ kind: fc.constant(kind), name, at });
  }
};
const kinds = fc.constantFrom<Scalar["kind"][]>("text", "number", "duration", "boolean", "identifier");
const value: fc.Arbitrary<Value> = fc.oneof(
  kinds.chain(scalar),
  fc.record({ kind: fc.constant("nil" as const), at }),
  kinds.chain((kind) =>
    fc.record({ kind: fc.constant("list" as const), elements: fc.array(scalar(kind), { minLength: 1 }), at }),
  ),
);
const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      kind: fc.constant("comparison" as const),
      property: name,
      operator: fc.constantFrom(...OPERATORS),
      operatorAt: at,
      value,
      at,
    }),
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      terms: fc.array(tie("expression"), { minLength: 2, maxLength: 4 }),
      at,
    }),
    fc.record({ kind: fc.constant("not" as const), term: tie("expression"), at }),
    fc.record({
      kind: fc.constant("related" as const),
      relation: fc.constantFrom(...RELATIONS),
      term: tie("expression"),
      at,
    }),
  ),
}));

function withoutPositions(parsed: Expression): unknown {
  return JSON.parse(JSON.stringify(parsed, (key, part) => (key === "at" || key === "operatorAt" ? 0 : part)));
}

describe("random filters", () => {
  test("print and parse to the same expression", () => {
    fc.assert(
      fc.property(expression, (original) => {
        expect(withoutPositions(parseFilter(print(original)))).toEqual(JSON.parse(JSON.stringify(original)));
      }),
    );
  });

  const fragments = fc.constantFrom(
    ...'and or not nil true in contains matches descendants name status ( ) [ ] , = != < >= " \\ 60s 7 -1 . é 漢 \ud800'.split(
      " ",
    ),
  );
  const noise = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join(" ")),
  );

  test("throw only FilterError, with a valid position", () => {
    fc.assert(
      fc.property(noise, (filter) => {
        const error = refusalOf(filter);
        if (error === undefined) return;
        expect(error.position).toBeGreaterThanOrEqual(1);
        expect(error.position).toBeLessThanOrEqual(filter.length + 1);
      }),
      { numRuns: 2000 },
    );
  });
});
