import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../../src/api/contract/document.ts";
import { generatorSchema, isNode, type Node } from "../../../src/api/contract/generator-schema.ts";
import { contractForGenerators, EDITED_BY } from "../../../src/api/contract/generators.ts";
import { publishedContract } from "../../../src/api/contract/published.ts";
import { STATUS_TOKENS, statusWords } from "../../../src/records/spelling.ts";
import { RELEASE_NAMES, type ReleaseName, releaseOf, type SpellingName } from "../../../src/release/release.ts";

const whole = await openDocument();
const PAIRS = (["specification", "live"] as const).flatMap((spelling) =>
  RELEASE_NAMES.map((release) => [spelling, release] as const),
);

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, { readonly schema: object }>>;
    readonly securitySchemes: object;
  };
}

interface Schema {
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
}

function generatorDocument(spelling: SpellingName, release: ReleaseName): Document {
  return contractForGenerators(whole, releaseOf(release, spelling)) as unknown as Document;
}

function published(spelling: SpellingName, release: ReleaseName): Document {
  return publishedContract(whole, releaseOf(release, spelling)) as Document;
}

/** Objects at any depth. */
function nodesOf(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  return isNode(value) ? [value, ...Object.values(value).flatMap(nodesOf)] : [];
}

function operationsOf({ paths }: Document): readonly string[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
}

function schemaOf({ components }: Document, name: string): Schema {
  const schema = components.schemas[name];
  if (schema === undefined) throw new Error(`no schema ${name}`);
  return schema;
}

function readOnlyOf(schema: Schema): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, { readOnly }]) => (readOnly === true ? [name] : []));
}

describe.each(PAIRS)("contract for generators, %s %s", (spelling, release) => {
  const document = generatorDocument(spelling, release);
  const nodes = nodesOf(document);

  test("has all operations", () => {
    expect(operationsOf(document)).toEqual(operationsOf(published(spelling, release)));
  });

  test("has enums of one type, without two values that differ only in case", () => {
    const enums = nodes
      .filter(({ nullable }) => nullable !== true)
      .flatMap((node) => (Array.isArray(node.enum) ? [{ type: node.type, values: node.enum }] : []));
    expect(enums.length).toBeGreaterThan(20);
    for (const { type, values } of enums) {
      const expected = type === "integer" ? "number" : type;
      expect(values.map((value) => typeof value)).toEqual(values.map(() => expected));
      expect(new Set(values.map((value) => String(value).toLowerCase())).size).toBe(values.length);
    }
  });

  test("has enums of one spelling", () => {
    const words = STATUS_TOKENS.map((token) => (spelling === "live" ? statusWords(token).toUpperCase() : token));
    expect(schemaOf(document, "Status").enum).toEqual(words);
    expect(schemaOf(document, "SensorNode").properties?.type).toEqual({
      type: "string",
      enum: [spelling === "live" ? "SENSOR" : "sensor"],
      readOnly: true,
    });
    const { errorintervalsdown } = schemaOf(document, "IntervalSettings").properties ?? {};
    const numbers = [0, 1, 2, 3, 4, 5];
    expect(errorintervalsdown?.enum).toEqual(spelling === "live" ? numbers.map(String) : numbers);
  });

  test("has only what OpenAPI 3.0 has, and nothing for validators alone", () => {
    const absent = ["const", "not", "prefixItems", "propertyNames", "x-expected"];
    expect(absent.filter((keyword) => nodes.some((node) => keyword in node))).toEqual([]);
    expect(nodes.filter(({ type }) => Array.isArray(type) || type === "null")).toEqual([]);
    expect(nodes.filter((node) => "$ref" in node && Object.keys(node).length > 1)).toEqual([]);
  });

  test("has a type beside each nullable, without which it has no effect", () => {
    const nullable = nodes.filter((node) => node.nullable === true);
    expect(nullable.length).toBeGreaterThan(5);
    expect(nullable.filter(({ type }) => typeof type !== "string")).toEqual([]);
  });

  test("has a target for each reference, and no component that nothing uses", () => {
    const targets = new Set(nodes.map(({ $ref }) => $ref).filter((target) => typeof target === "string"));
    const broken = [...targets].filter((target) => {
      const steps = target.slice(2).split("/");
      return steps.reduce<unknown>((node, step) => (isNode(node) ? node[step] : undefined), document) === undefined;
    });
    expect(broken).toEqual([]);
    const { securitySchemes, ...components } = document.components;
    const all = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    );
    expect(all.filter((name) => !targets.has(name))).toEqual([]);
    // Operations name it without a reference.
    expect(Object.keys(securitySchemes)).toEqual(["bearer"]);
  });

  test("has all properties of each record", () => {
    const { schemas } = published(spelling, release).components;
    for (const [name, { properties, required }] of Object.entries(document.components.schemas)) {
      const original = schemas[name];
      if (original === undefined) continue;
      expect([name, Object.keys(properties ?? {})]).toEqual([name, Object.keys(original.properties ?? {})]);
      expect([name, required]).toEqual([name, original.required]);
    }
  });
});

describe("contract for generators", () => {
  // The validator needs most of a second for each.
  const validated = process.env.PRTG_EXPORTER_NIGHTLY === "1" ? PAIRS : PAIRS.filter((_, at) => at % 7 === 0);

  test.each(validated)("%s %s is a valid OpenAPI document", async (spelling, release) => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(generatorDocument(spelling, release) as never);
    expect(errors).toBeUndefined();
    expect([valid, validator.version]).toEqual([true, "3.0"]);
  });

  test.each<[SpellingName, ReleaseName, string, string]>([
    ["live", "26.3", "DeviceNode", "Status"],
    ["live", "26.3", "DeviceInfo", "SummedStatus"],
    ["live", "26.3", "SensorInfo", "Status"],
    ["live", "25.1", "DeviceNode", "SummedStatus"],
    ["live", "25.1", "SensorNode", "Status"],
    ["specification", "25.1", "DeviceNode", "Status"],
    ["specification", "26.3", "DeviceInfo", "Status"],
  ])("%s %s: the status of %s is a %s", (spelling, release, record, status) => {
    const { allOf, $ref } = schemaOf(generatorDocument(spelling, release), record).properties?.status ?? {};
    expect(allOf ?? [{ $ref }]).toEqual([{ $ref: `#/components/schemas/${status}` }]);
  });

  test("a summed status has only values with the prefix", () => {
    const words = STATUS_TOKENS.map((token) => `SUMMED_INFO_${statusWords(token).toUpperCase()}`);
    expect(schemaOf(generatorDocument("live", "26.3"), "SummedStatus").enum).toEqual(words);
  });

  test("each record that an operation edits has its body", () => {
    const edits = Object.values(whole.paths).flatMap(({ patch }) =>
      patch?.requestBody === undefined ? [] : [JSON.stringify(patch.requestBody)],
    );
    const { requestBodies } = (whole as unknown as { components: { requestBodies: Node } }).components;
    const bodies = edits.map((reference) => JSON.stringify(requestBodies[/(\w+)"\}$/.exec(reference)?.[1] ?? ""]));
    const known = Object.values(EDITED_BY);
    expect(bodies.filter((body) => !known.some((name) => body.includes(`/${name}"`)))).toEqual([]);
    expect(known.filter((name) => !bodies.some((body) => body.includes(`/${name}"`)))).toEqual([]);
  });

  test.each([
    ["GroupNode", ["id", "name", "href", "kind", "type", "status", "parent", "sensor_status_summary", "path"]],
    ["ApiKeyInfo", ["id", "user", "created_at", "last_used_at", "expires_at"]],
    ["Section", ["_inheritancesource", "_inheritanceSource", "_shadowed"]],
    ["EditGroupRequest", []],
    ["SensorInfo", []],
  ])("marks values of %s that no edit takes", (name, expected) => {
    expect(readOnlyOf(schemaOf(generatorDocument("live", "26.3"), name))).toEqual(expected);
  });

  test("times in queries are text", () => {
    const { parameters } = generatorDocument("live", "26.3").components;
    expect([parameters.from?.schema, parameters.to?.schema]).toEqual([{ type: "string" }, { type: "string" }]);
  });

  test("rows of a time series are lists of text and numbers", () => {
    const { schemas } = generatorDocument("live", "26.3").components;
    expect(schemas.TimeSeries).toMatchObject({
      type: "array",
      items: { type: "array", items: { $ref: "#/components/schemas/TimeSeriesItem" } },
    });
    expect(schemas.TimeSeriesItem).toMatchObject({ anyOf: [{ type: "string" }, { type: "number" }] });
  });
});

describe("schema for generators", () => {
  const counts: Readonly<Record<string, number>> = { Large: 9, Small: 2 };
  const large = { $ref: "#/components/schemas/Large" };
  const small = { $ref: "#/components/schemas/Small" };
  const onlyNull = { type: "object", nullable: true, enum: [null] };

  test.each<[string, Node, Node]>([
    ["keeps a reference", large, large],
    ["makes a constant an enum", { const: "a" }, { type: "string", enum: ["a"] }],
    ["gives an enum its type", { enum: [1, 2] }, { type: "integer", enum: [1, 2] }],
    ["takes text of a mixed enum", { type: ["integer", "string"], enum: [1, "1"] }, { type: "string", enum: ["1"] }],
    ["takes upper case", { type: "string", enum: ["up", "UP"] }, { type: "string", enum: ["UP"] }],
    [
      "keeps an enum of one case",
      { type: "string", enum: ["", "path", "*"] },
      { type: "string", enum: ["", "path", "*"] },
    ],
    ["drops null from an enum", { type: ["string", "null"], enum: ["top", null] }, { type: "string", enum: ["top"] }],
    ["makes null a flag", { type: ["number", "null"] }, { type: "number", nullable: true }],
    [
      "makes a list of types a union",
      { type: ["array", "string", "null"], items: { type: "string" } },
      { anyOf: [{ type: "array", items: { type: "string" } }, { type: "string" }, onlyNull] },
    ],
    ["keeps a nullable reference", { anyOf: [large, { type: "null" }] }, { anyOf: [large, onlyNull] }],
    [
      "keeps a nullable union",
      { anyOf: [{ type: "number" }, { type: "string" }, { type: "null" }] },
      { anyOf: [{ type: "number" }, { type: "string" }, onlyNull] },
    ],
    ["keeps a nullable type", { anyOf: [{ type: "number" }, { type: "null" }] }, { type: "number", nullable: true }],
    ["puts the most demanding reference first", { anyOf: [small, large] }, { anyOf: [large, small] }],
    [
      "drops an empty text",
      {
        anyOf: [
          { type: "string", format: "date-time" },
          { type: "string", maxLength: 0 },
        ],
      },
      { type: "string", format: "date-time" },
    ],
    ["drops constraints", { type: "object", anyOf: [{ required: ["a"] }], not: small }, { type: "object" }],
    ["drops the narrowing of a reference", { allOf: [large, { properties: { code: { enum: ["A"] } } }] }, large],
    [
      "converts properties and items",
      { type: "object", properties: { type: { const: 1 } }, additionalProperties: { type: ["string", "null"] } },
      {
        type: "object",
        properties: { type: { type: "integer", enum: [1] } },
        additionalProperties: { type: "string", nullable: true },
      },
    ],
  ])("%s", (_title, schema, expected) => {
    const rules = { spelling: "live", requiredCount: (name: string) => counts[name] ?? 0 } as const;
    expect(generatorSchema(schema, rules)).toEqual(expected);
  });

  test("takes numbers and lower case for the specification", () => {
    const rules = { spelling: "specification", requiredCount: () => 0 } as const;
    expect(generatorSchema({ enum: [1, "1"] }, rules)).toEqual({ type: "integer", enum: [1] });
    expect(generatorSchema({ enum: ["up", "UP"] }, rules)).toEqual({ type: "string", enum: ["up"] });
  });
});
