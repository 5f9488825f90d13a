import type { SpellingName } from "../../release/release.ts";

/** A JSON object of an OpenAPI document. */
export type Node = Readonly<Record<string, unknown>>;

export interface GeneratorRules {
  readonly spelling: SpellingName;
  /** Number of properties that the schema with this name requires. */
  readonly requiredCount: (name: string) => number;
}

export const SCHEMAS = "#/components/schemas/";

/** Keywords that only validators use. */
const CONSTRAINTS = ["not", "propertyNames", "x-expected"];
/** A schema without any of these only constrains another one. */
const TYPING = ["$ref", "type", "enum", "properties", "anyOf", "allOf"];
/** In OpenAPI 3.0, `nullable` has no effect without a type, so it cannot stand beside a reference or a union. */
const ONLY_NULL: Node = { type: "object", nullable: true, enum: [null] };

/** A schema of OpenAPI 3.1 in the part of OpenAPI 3.0 that generators follow. */
export function generatorSchema(schema: Node, rules: GeneratorRules): Node {
  if (typeof schema.$ref === "string") return { $ref: schema.$ref };
  const { anyOf, allOf, ...rest } = withNested(omit(schema, CONSTRAINTS), rules);
  const own = withOneType(withEnum(rest, rules.spelling));
  if (isList(allOf)) return joinAll(own, allOf);
  if (isList(anyOf)) return joinAny(own, anyOf, rules);
  return own;
}

/** Applies the rules to the schemas within this one. */
function withNested(schema: Node, rules: GeneratorRules): Node {
  const convert = (value: unknown): unknown => (isNode(value) ? generatorSchema(value, rules) : value);
  const nested = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === "properties" && isNode(value)) return [key, mapValues(value, convert)];
    if (key === "items" || key === "additionalProperties") return [key, convert(value)];
    return [key, value];
  });
  const { anyOf, allOf } = schema;
  const branches = {
    ...(isList(anyOf) ? { anyOf: anyOf.map((branch) => (isNull(branch) ? branch : convert(branch))) } : {}),
    ...(isList(allOf) ? { allOf: allOf.map(convert) } : {}),
  };
  return { ...Object.fromEntries(nested), ...branches };
}

/** OpenAPI 3.0 has no `const`. */
function withEnum(schema: Node, spelling: SpellingName): Node {
  const values = "const" in schema ? [schema.const] : schema.enum;
  if (!isList(values)) return schema;
  const chosen = enumValues(values, spelling);
  const type = chosen.every((value) => Number.isInteger(value)) ? "integer" : typeof chosen[0];
  return { ...omit(schema, ["const"]), type, enum: chosen };
}

/** Values of one type and one spelling, without null: a client omits the property instead. */
function enumValues(values: readonly unknown[], spelling: SpellingName): readonly unknown[] {
  const live = spelling === "live";
  const [texts, numbers] = ["string", "number"].map((type) => values.filter((value) => typeof value === type));
  // Live servers send settings as text.
  const typed = pick(texts ?? [], numbers ?? [], live);
  return pick(typed.filter(isUpperCase), typed.filter(isLowerCase), live, typed);
}

/** `all` if one of both is empty. */
function pick(
  ofLive: readonly unknown[],
  ofSpecification: readonly unknown[],
  live: boolean,
  all: readonly unknown[] = [...ofLive, ...ofSpecification],
): readonly unknown[] {
  if (ofLive.length === 0 || ofSpecification.length === 0) return all;
  return live ? ofLive : ofSpecification;
}

function isUpperCase(value: unknown): boolean {
  return typeof value === "string" && /^[A-Z_]+$/.test(value);
}

function isLowerCase(value: unknown): boolean {
  return typeof value === "string" && /^[a-z_]+$/.test(value);
}

/** OpenAPI 3.0 has `nullable` and unions instead of lists of types. */
function withOneType(schema: Node): Node {
  const { type } = schema;
  if (!isList(type)) return schema;
  const types = type.filter((each) => each !== "null");
  const isNullable = types.length < type.length;
  if (types.length === 1) return { ...schema, type: types[0], ...(isNullable ? { nullable: true } : {}) };
  const { items, ...others } = omit(schema, ["type"]);
  const anyOf = types.map((each) => (each === "array" ? { type: each, items } : { type: each }));
  return { ...others, anyOf: isNullable ? [...anyOf, ONLY_NULL] : anyOf };
}

/** A narrowed reference becomes the reference: generators would make a model for each error of each operation. */
function joinAll(own: Node, branches: readonly unknown[]): Node {
  const reference = branches.find((branch) => isNode(branch) && "$ref" in branch);
  return isNode(reference) ? reference : own;
}

/** The most demanding branch goes first: generated clients take the first that fits. */
function joinAny(own: Node, branches: readonly unknown[], { requiredCount }: GeneratorRules): Node {
  const isNullable = branches.some(isNull);
  const demands = (branch: Node): number =>
    typeof branch.$ref === "string" ? requiredCount(branch.$ref.slice(SCHEMAS.length)) : 0;
  const anyOf = branches
    .filter(isNode)
    .filter((branch) => !isNull(branch) && branch.maxLength !== 0 && TYPING.some((keyword) => keyword in branch))
    .toSorted((a, b) => demands(b) - demands(a));
  const [only, ...others] = anyOf;
  if (only === undefined) return own;
  if (isNullable && !("type" in only && others.length === 0)) return { ...own, anyOf: [...anyOf, ONLY_NULL] };
  if (others.length > 0) return { ...own, anyOf };
  if ("$ref" in only) return referenceWith(only, own);
  return { ...own, ...only, ...(isNullable ? { nullable: true } : {}) };
}

/** In OpenAPI 3.0, nothing can stand beside a reference. */
export function referenceWith(reference: Node, keywords: Node): Node {
  return Object.keys(keywords).length === 0 ? reference : { ...keywords, allOf: [reference] };
}

export function omit(node: Node, names: readonly string[]): Node {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !names.includes(name)));
}

export function mapValues<Value>(node: Node, change: (value: unknown, name: string) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, change(value, name)]));
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isNull(branch: unknown): boolean {
  return isNode(branch) && branch.type === "null";
}
