import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { readingsOf } from "../../../../../scripts/generate/our-readings.ts";
import { SPECIFIED_FIELDS, SPECIFIED_HEADERS, SPECIFIED_OPERATIONS, SPECIFIED_QUERY } from "./specified.ts";

/** docs/api-coverage.md lists every mark in the contract. */

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-our-reading"?: string;
  readonly "x-seen-live"?: string;
}

type Named<Value> = Readonly<Record<string, Value>>;

interface Parameter extends Schema {
  readonly in: string;
  readonly name: string;
}

interface Document {
  readonly paths: Named<Named<Schema>>;
  readonly components: {
    readonly parameters: Named<Parameter>;
    readonly headers: Named<Schema>;
    readonly responses: Named<{ readonly headers?: Named<unknown> }>;
    readonly schemas: Named<Schema>;
  };
}

const root = new URL("../../../../../", import.meta.url);
const text = readFileSync(new URL("packages/simulator/api/openapi.yaml", root), "utf8");
const document = load(text) as Document;
const { parameters, headers, responses, schemas } = document.components;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`,
    operation,
  })),
);

function isMarked(part: Schema | undefined): boolean {
  return part?.["x-our-reading"] !== undefined || part?.["x-seen-live"] !== undefined;
}

function isInvented(part: Schema): boolean {
  return part["x-seen-live"] !== undefined || part["x-our-reading"]?.startsWith("Not in the specification") === true;
}

describe("the contract", () => {
  test("has all operations of the specification and marks additional ones", () => {
    const names = operations.map(({ name }) => name);
    expect(SPECIFIED_OPERATIONS.filter((name) => !names.includes(name))).toEqual([]);
    const others = operations.filter(({ operation }) => isInvented(operation)).map(({ name }) => name);
    expect(others).toEqual(names.filter((name) => !SPECIFIED_OPERATIONS.includes(name)));
    expect(others).toContain("POST /experimental/objects/{}/clone");
    expect(new Set(SPECIFIED_OPERATIONS).size).toBe(SPECIFIED_OPERATIONS.length);
  });

  test("marks query parameters that the specification does not name", () => {
    const unmarked = Object.values(parameters).filter((one) => one.in === "query" && !isMarked(one));
    expect(unmarked.map(({ name }) => name).filter((name) => !SPECIFIED_QUERY.includes(name))).toEqual([]);
  });

  test("marks headers that the specification does not name", () => {
    const names = Object.values(responses).flatMap((response) => Object.keys(response.headers ?? {}));
    const others = [...new Set(names)].filter((name) => !SPECIFIED_HEADERS.includes(name));
    expect(others.sort()).toEqual(["Allow", "WWW-Authenticate"]);
    expect([headers.Allow, headers.Authenticate].every(isMarked)).toBe(true);
  });

  test("has all fields of the specification and marks additional fields or records", () => {
    const [unmarked, missing]: [string[], string[]] = [[], []];
    for (const [name, schema] of Object.entries(schemas)) {
      const specified = SPECIFIED_FIELDS[name] ?? [];
      const fields = Object.entries(schema.properties ?? {});
      const ours = fields.filter(([field, part]) => !specified.includes(field) && !isMarked(part) && !isMarked(schema));
      unmarked.push(...ours.map(([field]) => `${name}.${field}`));
      const there = new Set(fields.map(([field]) => field));
      missing.push(...specified.filter((field) => !there.has(field)).map((field) => `${name}.${field}`));
    }
    expect([unmarked, missing]).toEqual([[], []]);
    expect(Object.keys(SPECIFIED_FIELDS).filter((name) => !(name in schemas))).toEqual([]);
  });
});

describe("docs/api-coverage.md", () => {
  const page = readFileSync(new URL("docs/api-coverage.md", root), "utf8");
  const rows =
    page
      .split("## Our readings")[1]
      ?.split("\n")
      .filter((line) => line.startsWith("| ")) ?? [];

  test("lists all marks of the contract in order", () => {
    const readings = readingsOf(document);
    expect(readings).toHaveLength(text.match(/^ +x-(our-reading|seen-live):/gm)?.length ?? 0);
    expect(rows.slice(2)).toHaveLength(readings.length);
    for (const [index, { what, why }] of readings.entries()) {
      expect(rows[index + 2]).toContain(what);
      expect(rows[index + 2]).toContain(why);
    }
  });

  test("names at least one operation for each mark", () => {
    const idle = readingsOf(document).filter((reading) => reading.operations.length === 0);
    expect(idle.map(({ what }) => what)).toEqual([]);
  });

  test("says which operations are missing in the specification", () => {
    const table = page.split("## Our readings")[0] ?? "";
    const marked = table.split("\n").filter((line) => line.includes("not in the specification"));
    expect(marked).toHaveLength(operations.filter(({ operation }) => isInvented(operation)).length);
    expect(marked.some((line) => line.startsWith("| `POST /experimental/objects/{id}/clone` |"))).toBe(true);
  });
});
