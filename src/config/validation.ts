import { z } from "zod";
import { mapEntry } from "../lib/map-entry.ts";
import { nearest } from "../lib/nearest-word.ts";
import { quote } from "../lib/printable-text.ts";
import { type ConfigProblem, comparePlaces, MAX_FINDINGS } from "./config-error.ts";
import { literalSecrets } from "./literal-secrets.ts";
import { formatKey, type KeyPath, type Origin, type Place, UNRESOLVED, valueAt } from "./origin.ts";
import { type JsonSchema, type Settings, settingsSchema, syncSectionSchema } from "./schema.ts";

type Issue = z.core.$ZodIssue;

/** `settings` is set if there are no problems. */
export interface Validation<Output> {
  readonly settings: Output | undefined;
  /** The first problems in the file. */
  readonly problems: readonly ConfigProblem[];
  /** Number of omitted problems. */
  readonly more: number;
}

/** @param needsSync If `false`, `settings` has no `sync`, but its structure is checked. */
export function validate(value: unknown, origin: Origin, needsSync: boolean): Validation<Settings> {
  const literals = literalSecrets(value, origin);
  const taken = new Set(literals.map(({ key }) => key));
  const {
    settings,
    problems: others,
    more,
  } = needsSync ? validateAs(settingsSchema, value, origin) : validateWithoutSync(value, origin);
  const problems = [...literals, ...others.filter(({ key }) => key === "" || !taken.has(key))];
  return { settings: problems.length === 0 ? settings : undefined, problems, more };
}

function validateWithoutSync(value: unknown, origin: Origin): Validation<Settings> {
  const sync = valueAt(value, ["sync"]);
  if (sync === undefined) return validateAs(settingsSchema, value, origin);
  const others = validateAs(settingsSchema, withValues(value, [{ path: ["sync"], value: undefined }]), origin);
  // Without settings and problems if only variables are unset.
  const { problems, more } = validateAs(syncSectionSchema, { sync }, origin);
  return { ...others, problems: [...others.problems, ...problems], more: others.more + more };
}

export function validateAs<Output>(schema: z.ZodType<Output>, value: unknown, origin: Origin): Validation<Output> {
  const parse = (input: unknown) => schema.safeParse(input, { error: expectationOf, reportInput: true });
  let input = value;
  let result = parse(input);
  if (!result.success) {
    const conversions = result.error.issues.flatMap((issue) => conversionOf(issue, origin));
    input = withValues(value, conversions);
    if (conversions.length > 0) result = parse(input);
  }
  if (result.success) return { settings: result.data, problems: [], more: 0 };
  const issues = result.error.issues.flatMap(ofItems);
  const unquoted = unquotedTexts(schema, input, issues, origin);
  const findings = issues.flatMap((issue) => findingsOf(issue, origin, unquoted));
  const first = firstFindings(findings);
  const problems = first.map(({ describe }) => describe(() => jsonSchemaOf(schema)));
  return { settings: undefined, problems, more: findings.length - first.length };
}

/** Issues of the list items, if a value matches no branch of a union with a list. */
function ofItems(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union" || !Array.isArray(issue.input)) return [issue];
  const inItems = issue.errors.find((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0));
  return inItems?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

/** Generated for the first unknown key, because that takes milliseconds. */
const jsonSchemas = new Map<z.ZodType, JsonSchema>();

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return mapEntry(jsonSchemas, schema, () => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

/** Creates its text lazily. */
interface Finding {
  readonly place: Place;
  readonly describe: (jsonSchema: () => JsonSchema) => ConfigProblem;
}

function firstFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_FINDINGS) return findings;
  return findings.toSorted((a, b) => comparePlaces(a.place, b.place)).slice(0, MAX_FINDINGS);
}

/** Text for issues without one in the schema. */
function expectationOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_value") return `one of ${issue.values.map(String).join(", ")}`;
  if (issue.code !== "invalid_type") return "another value";
  return TYPE_NAMES[issue.expected] ?? issue.expected;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "a map",
  array: "a list",
  boolean: "true or false",
  string: "a text",
};

/** Another value at a path of a document. */
interface Change {
  readonly path: KeyPath;
  readonly value: unknown;
}

/** Copy of a document with other values. `depth`: length of the path to `root`. */
function withValues(root: unknown, changes: readonly Change[], depth = 0): unknown {
  const [first] = changes;
  if (first === undefined) return root;
  if (first.path.length === depth) return first.value;
  if (typeof root !== "object" || root === null) return root;
  const byKey = Map.groupBy(changes, ({ path }) => path[depth]);
  const inside = (value: unknown, key: PropertyKey) => withValues(value, byKey.get(key) ?? [], depth + 1);
  if (Array.isArray(root)) return root.map(inside);
  const entries = Object.entries(root).map(([key, value]) => [key, inside(value, key)]);
  // Without a prototype, `__proto__` is an ordinary key.
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

/** Converts the text of an environment variable, or null (a section with all keys commented out). */
function conversionOf(issue: Issue, origin: Origin): Change[] {
  if (issue.code !== "invalid_type" || issue.path.length === 0) return [];
  const value = issue.expected === "object" && issue.input === null ? {} : convert(issue, origin);
  return value === undefined ? [] : [{ path: issue.path, value }];
}

function convert({ expected, input, path }: Extract<Issue, { code: "invalid_type" }>, origin: Origin): unknown {
  if (typeof input !== "string" || origin.reference(path) === undefined) return undefined;
  if (expected === "boolean") return { true: true, "1": true, false: false, "0": false }[input.toLowerCase()];
  const isNumber = (expected === "number" || expected === "int") && /^-?\d+(\.\d+)?$/.test(input);
  return isNumber ? Number(input) : undefined;
}

function findingsOf(issue: Issue, origin: Origin, unquoted: ReadonlySet<string>): Finding[] {
  if (issue.input === UNRESOLVED) return [];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      place: origin.place([...issue.path, key], "key"),
      describe: (jsonSchema) => unknownKey(issue.path, key, origin, jsonSchema),
    }));
  }
  const place = origin.place(issue.path, "value");
  return [{ place, describe: () => problemOf(issue, place, origin, unquoted) }];
}

function problemOf(issue: Issue, place: Place, origin: Origin, unquoted: ReadonlySet<string>): ConfigProblem {
  if (formatKey(issue.path) === "servers" && (issue.input === undefined || issue.code === "custom")) {
    const text = "no server is configured: give servers or servers_from, or set PRTG_URL and PRTG_API_KEY_FILE";
    return { code: "CONFIG_NO_SERVER", ...place, text };
  }
  if (unquoted.has(idOf(issue.path))) return { code: "CONFIG_INVALID", ...place, text: wantsQuotes(issue, origin) };
  const fault = issue.code === "custom" ? String(issue.params?.fault ?? "") : "";
  const text = `${faced(issue, origin)}${fault === "" ? "" : `: ${fault}`}`;
  return { code: "CONFIG_INVALID", ...place, text };
}

/** Paths of numbers, booleans and nulls that the schema accepts in quotes. */
function unquotedTexts(schema: z.ZodType, root: unknown, issues: readonly Issue[], origin: Origin): Set<string> {
  const sources = issues.values().map(({ path }): Change => ({ path, value: origin.source(path) }));
  const quoted = [...sources.filter(({ value }) => value !== undefined).take(MAX_FINDINGS)];
  if (quoted.length === 0) return new Set();
  const { error } = schema.safeParse(withValues(root, quoted), { reportInput: true });
  const wrong = new Set(error?.issues.flatMap(ofItems).map(({ path }) => idOf(path)));
  return new Set(quoted.map(({ path }) => idOf(path)).filter((id) => !wrong.has(id)));
}

function wantsQuotes({ input, path }: Issue, origin: Origin): string {
  if (isSensitive(input, path)) return `expected text, found a ${kindOf(input)} (not shown). Put it in quotes.`;
  const source = shorten(origin.source(path) ?? String(input));
  const kind = typeof input === "number" ? "the number " : "";
  return `expected text, found ${kind}${source}. Put it in quotes: "${source}".`;
}

function kindOf(input: unknown): string {
  return input === null ? "null" : typeof input;
}

function idOf(path: KeyPath): string {
  return JSON.stringify(path);
}

/** Never includes the value of a variable. */
function faced({ input, message, path, code }: Issue, origin: Origin): string {
  if (input === undefined) return `missing, expected ${message}`;
  const variables = origin.reference(path)?.variables;
  if (variables !== undefined) return `expected ${message}, but the value of ${variables.join(" and ")} is different`;
  return `expected ${message}, found ${found(input, path, code, origin)}`;
}

const MAX_SHOWN = 60;

function found(input: unknown, path: KeyPath, code: Issue["code"], origin: Origin): string {
  if (input === null) return "nothing";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "object") {
    const keys = Object.keys(input);
    return code === "custom" ? keys.join(" and ") || "nothing" : "a map";
  }
  const isText = typeof input === "string";
  if (isSensitive(input, path)) return `a ${isText ? "text" : typeof input} (not shown)`;
  if (!isText) return shorten(typeof input === "number" ? String(input) : (origin.source(path) ?? String(input)));
  return quote(shorten(withoutCredentials(input)));
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** Credentials, URLs that may contain some, and a file that is one scalar, perhaps a misplaced key. */
function isSensitive(input: unknown, path: KeyPath): boolean {
  // The path in front of the message shows it already.
  if (path.length > 0 && input === path.at(-1)) return false;
  return (
    path.length === 0 ||
    isBelowCredentials(path) ||
    (/^(proxy_)?url$/.test(String(path.at(-1))) && /[@?#]/.test(String(input)))
  );
}

function isBelowCredentials(path: KeyPath): boolean {
  const [first, second, third] = path;
  if (first === "sync" && second === "servers") return true;
  if (first === "sync" && second === "alertmanager" && /password|token|headers/.test(String(third))) return true;
  return path.some((key) => key === "auth" || key === "proxy_auth");
}

/** A URL of any scheme may contain a password. */
function withoutCredentials(text: string): string {
  return text.replace(/:\/\/.*@/s, "://[redacted]@");
}

/** Suggests a similar key. @param jsonSchema Schema of the whole file, generated for the first unknown key. */
export function unknownKey(parent: KeyPath, key: string, origin: Origin, jsonSchema: () => JsonSchema): ConfigProblem {
  const path = [...parent, key];
  const place = origin.place(path, "key");
  if (isBelowCredentials(parent) && !/^[A-Za-z_-]+$/.test(key)) {
    // For example `auth: { <the API key> }`.
    return { code: "CONFIG_INVALID", ...place, key: formatKey(parent), text: "unknown key (not shown)" };
  }
  return { code: "CONFIG_INVALID", ...place, text: `unknown key${suggestion(key, parent, jsonSchema)}` };
}

function suggestion(key: string, parent: KeyPath, jsonSchema: () => JsonSchema): string {
  const known = propertiesAt(parent, jsonSchema);
  const names = Object.keys(known);
  const meant = nearest(key, names) ?? names.find((name) => Object.hasOwn(propertiesOf(known[name]), key));
  if (meant === undefined) return `. Known keys: ${names.join(", ")}`;
  const isBelow = Object.hasOwn(propertiesOf(known[meant]), key);
  return `, did you mean \`${isBelow ? `${meant}.${key}` : meant}\`?`;
}

function propertiesAt(path: KeyPath, jsonSchema: () => JsonSchema): Readonly<Record<string, unknown>> {
  let schema: unknown = jsonSchema();
  for (const key of path) {
    schema = typeof key === "number" ? itemsOf(schema) : (propertiesOf(schema)[String(key)] ?? valuesOf(schema));
  }
  return propertiesOf(schema);
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return isSchema(schema) ? (schema.properties ?? {}) : {};
}

/** Of a map with any keys. */
function valuesOf(schema: unknown): unknown {
  return isSchema(schema) ? schema.additionalProperties : undefined;
}

function itemsOf(schema: unknown): unknown {
  return isSchema(schema) ? schema.items : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
