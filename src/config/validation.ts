import type { z } from "zod";
import { quote } from "../lib/printable-text.ts";
import type { ConfigProblem } from "./config-error.ts";
import { literalSecrets } from "./literal-secrets.ts";
import { formatKey, type KeyPath, type Origin, UNRESOLVED, valueAt } from "./origin.ts";
import { type JsonSchema, type Settings, settingsJsonSchema, settingsSchema } from "./schema.ts";
import { unknownKey } from "./unknown-keys.ts";

type Issue = z.core.$ZodIssue;

/** The outcome of checking the values of a file; `settings` is there when there are no problems. */
export interface Validation<Output> {
  readonly settings: Output | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** What a file may hold: as a schema, and as the JSON Schema that is made of it when a key is not known. */
export interface FileShape<Output> {
  readonly schema: z.ZodType<Output>;
  readonly jsonSchema: () => JsonSchema;
}

/** Made for the first unknown key; it never changes. */
let jsonSchema: JsonSchema | undefined;

const CONFIGURATION: FileShape<Settings> = {
  schema: settingsSchema,
  jsonSchema: () => {
    jsonSchema ??= settingsJsonSchema();
    return jsonSchema;
  },
};

/** Checks a configuration, as read from `origin`, and says everything that is wrong with it. May repair `value` in place. */
export function validate(value: unknown, origin: Origin): Validation<Settings> {
  const literals = literalSecrets(value, origin);
  const taken = new Set(literals.map(({ key }) => key));
  const { settings, problems: others } = validateAs(CONFIGURATION, value, origin);
  const problems = [...literals, ...others.filter(({ key }) => key === "" || !taken.has(key))];
  return { settings: problems.length === 0 ? settings : undefined, problems };
}

/** Checks a file of another shape in the same way. May repair `value` in place. */
export function validateAs<Output>(shape: FileShape<Output>, value: unknown, origin: Origin): Validation<Output> {
  const parse = () => shape.schema.safeParse(value, { error: expectationOf, reportInput: true });
  let result = parse();
  if (!result.success && repair(value, result.error.issues, origin)) result = parse();
  const issues = result.error?.issues ?? [];
  return { settings: result.data, problems: issues.flatMap((issue) => problemsOf(issue, origin, shape)) };
}

/** What was expected, where the schema has no words of its own. */
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

/**
 * Environment variables are texts, and a section whose keys are all commented out is null in YAML: both become what
 * the schema expects in their place. True when something changed.
 */
function repair(root: unknown, issues: readonly Issue[], origin: Origin): boolean {
  let changed = false;
  for (const issue of issues) {
    if (issue.code !== "invalid_type") continue;
    const better = issue.expected === "object" && issue.input === null ? {} : convert(issue, origin);
    if (better === undefined) continue;
    const holder = valueAt(root, issue.path.slice(0, -1));
    const key = issue.path.at(-1);
    if (key === undefined || typeof holder !== "object" || holder === null) continue;
    Reflect.set(holder, key, better);
    changed = true;
  }
  return changed;
}

function convert({ expected, input, path }: Extract<Issue, { code: "invalid_type" }>, origin: Origin): unknown {
  if (typeof input !== "string" || origin.reference(path) === undefined) return undefined;
  if (expected === "boolean") return { true: true, "1": true, false: false, "0": false }[input.toLowerCase()];
  const isNumber = (expected === "number" || expected === "int") && /^-?\d+(\.\d+)?$/.test(input);
  return isNumber ? Number(input) : undefined;
}

function problemsOf(issue: Issue, origin: Origin, shape: FileShape<unknown>): ConfigProblem[] {
  if (issue.input === UNRESOLVED) return [];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => unknownKey(issue.path, key, origin, shape.jsonSchema));
  if (formatKey(issue.path) === "servers" && (issue.input === undefined || issue.code === "custom")) {
    const text =
      "no server is configured; give a list of servers or servers_from, or set PRTG_URL and PRTG_API_KEY_FILE";
    return [{ code: "CONFIG_NO_SERVER", ...origin.place(issue.path, "value"), text }];
  }
  const fault = issue.code === "custom" ? String(issue.params?.fault ?? "") : "";
  const text = `${faced(issue, origin)}${fault === "" ? "" : `: ${fault}`}`;
  return [{ code: "CONFIG_INVALID", ...origin.place(issue.path, "value"), text }];
}

/** What was expected and what was found; the values of variables are not shown, whatever they should have been. */
function faced({ input, message, path, code }: Issue, origin: Origin): string {
  if (input === undefined) return `missing, expected ${message}`;
  const variables = origin.reference(path)?.variables;
  if (variables !== undefined) return `expected ${message}, which the value of ${variables.join(" and ")} is not`;
  return `expected ${message}, found ${found(input, path, code)}`;
}

const MAX_SHOWN = 60;

function found(input: unknown, path: KeyPath, code: Issue["code"]): string {
  if (input === null) return "nothing";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "object") {
    const keys = Object.keys(input);
    return code === "custom" ? keys.join(" and ") || "nothing" : "a map";
  }
  const isText = typeof input === "string";
  if (isSensitive(input, path)) return `a ${isText ? "text" : typeof input} (not shown)`;
  if (!isText) return String(input);
  const shown = withoutCredentials(input);
  return quote(shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}...` : shown);
}

/** Credentials, URLs in which some may hide, and a file that is but a text: it may be a key, given by mistake. */
function isSensitive(input: unknown, path: KeyPath): boolean {
  return (
    path.length === 0 ||
    path.some((key) => key === "auth" || key === "proxy_auth") ||
    (/^(proxy_)?url$/.test(String(path.at(-1))) && /[@?#]/.test(String(input)))
  );
}

/** A URL may hold a password, also one whose scheme is wrong. */
function withoutCredentials(text: string): string {
  return text.replace(/:\/\/.*@/s, "://[redacted]@");
}
