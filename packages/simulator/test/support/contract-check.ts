import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { load } from "js-yaml";
import { type Contract, loadContract } from "../../src/api/contract/contract.ts";

export interface ContractAnswer {
  readonly method: string;
  /** With query: `/api/v2/sensors?limit=1`. */
  readonly target: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface DocumentResponse {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: object }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

const OUTSIDE = [404, 405];

const DOCUMENT = load(readFileSync(new URL("../../api/openapi.yaml", import.meta.url), "utf8")) as {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, object>> }>>>
  >;
};

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false });
ajvFormats.default(ajv);
for (const format of ["int32", "double"]) ajv.addFormat(format, true);
ajv.addSchema(DOCUMENT, "contract");

let contract: Promise<Contract> | undefined;

export async function complaintAbout(answer: ContractAnswer): Promise<string | undefined> {
  contract ??= loadContract();
  const { method, target, status } = answer;
  const { pathname } = new URL(target, "http://service");
  const match = (await contract).match(method, pathname);
  const about = `${method} ${target} answered ${status}`;
  if (match === undefined) return OUTSIDE.includes(status) ? undefined : `${about}, but is not in the contract`;
  const { path } = match.operation;
  const pointer = ["paths", path, method.toLowerCase(), "responses", String(status)];
  const response = resolved(pointer);
  if (response === undefined) return `${about}, which ${match.operation.id} has not`;
  const complaint = headerComplaint(response.value, answer.headers) ?? bodyComplaint(response, answer);
  return complaint === undefined ? undefined : `${about}: ${complaint}`;
}

function headerComplaint({ headers = {} }: DocumentResponse, received: Headers): string | undefined {
  for (const [name, reference] of Object.entries(headers)) {
    const { required = false, schema } = follow(reference).value as NonNullable<DocumentResponse["headers"]>[string];
    const text = received.get(name);
    if (text === null && required) return `the header ${name} is missing`;
    if (text === null) continue;
    const isNumber = (schema as { type?: string }).type === "integer";
    const problem = problemWith(isNumber ? Number(text) : text, schema);
    if (problem !== undefined) return `the header ${name}: ${text} ${problem}`;
  }
  return undefined;
}

function bodyComplaint({ value, pointer }: Resolved, { headers, text }: ContractAnswer): string | undefined {
  if (value.content === undefined) return text === "" ? undefined : "there is a body";
  const type = headers.get("content-type");
  if (type !== "application/json; charset=utf-8") return `the content type is ${type}`;
  const schema = { $ref: `contract#/${[...pointer, "content", "application/json", "schema"].map(escaped).join("/")}` };
  return problemWith(JSON.parse(text), schema);
}

const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

function problemWith(data: unknown, schema: object): string | undefined {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(schema);
  compiled.set(key, validate);
  if (validate(data)) return undefined;
  return (validate.errors ?? []).map(worded).join("; ");
}

function worded({ instancePath, message, params, schemaPath }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)} (${schemaPath})`;
}

interface Resolved {
  readonly value: DocumentResponse;
  readonly pointer: readonly string[];
}

function resolved(pointer: readonly string[]): Resolved | undefined {
  const value = pointer.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], DOCUMENT);
  if (value === undefined) return undefined;
  const followed = follow(value as object);
  return { value: followed.value as DocumentResponse, pointer: followed.pointer ?? pointer };
}

function follow(node: object): { readonly value: object; readonly pointer: readonly string[] | undefined } {
  if (!("$ref" in node)) return { value: node, pointer: undefined };
  const pointer = String(node.$ref).split("/").slice(1);
  return { value: pointer.reduce<object>((value, key) => value[key as keyof object] as object, DOCUMENT), pointer };
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}
