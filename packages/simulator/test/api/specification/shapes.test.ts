import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { SPECIFIED_OPERATIONS, SPECIFIED_SHAPES } from "./specified.ts";

interface Operation {
  readonly parameters?: readonly ({ readonly $ref: string } | Parameter)[];
  readonly requestBody?: { readonly $ref: string };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly "x-our-reading"?: string;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
}

const document = load(readFileSync(new URL("../../../api/openapi.yaml", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Operation] => [
    `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`,
    operation,
  ]),
);

function parameterOf(part: { readonly $ref: string } | Parameter): Parameter | undefined {
  return "$ref" in part ? document.components.parameters[part.$ref.split("/").at(-1) ?? ""] : part;
}

const shown = operations.filter(([name]) => name in SPECIFIED_SHAPES);

test.each(shown)("%s has the parameters, body and success answer of the specification", (name, operation) => {
  const { query = [], body, success } = SPECIFIED_SHAPES[name] ?? { success: [] };
  const parameters = (operation.parameters ?? []).map(parameterOf).filter((one) => one?.in === "query");
  expect(parameters.map((one) => one?.name).sort()).toEqual([...query].sort());
  expect(operation.requestBody?.$ref.split("/").at(-1)).toBe(body);
  // A new object is not available at once.
  const statuses = Object.keys(operation.responses).map(Number);
  expect(statuses.filter((status) => status < 300 && status !== 202)).toEqual(success);
});

test("all other operations mark payload and response as not shown", () => {
  const others = operations.filter(([name]) => SPECIFIED_OPERATIONS.includes(name) && !(name in SPECIFIED_SHAPES));
  const unmarked = others.filter(([, operation]) => !/not shown/.test(operation["x-our-reading"] ?? ""));
  expect(unmarked.map(([name]) => name)).toEqual([]);
  expect(others.length).toBeGreaterThan(15);
});
