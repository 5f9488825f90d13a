import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { type Available, availabilityOf } from "../../../src/api/contract/document.ts";
import type { OperationId } from "../../../src/api/contract/types.ts";
import type { AccessLevel } from "../../../src/auth/accounts.ts";
import type { Availability } from "../../../src/release/release.ts";

export interface DocumentedOperation {
  readonly id: OperationId;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Undefined: needs no user. */
  readonly accessLevel: AccessLevel | undefined;
  readonly query: ReadonlySet<string>;
  /** Undefined: no body. */
  readonly body: { readonly fields: readonly string[]; readonly required: readonly string[] } | undefined;
  readonly responses: readonly DocumentedResponse[];
  readonly availability: Availability;
}

export interface DocumentedResponse {
  readonly status: number;
  /** Only of errors. */
  readonly codes: readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

const ROOT = load(readFileSync(new URL("../../../api/openapi.yaml", import.meta.url), "utf8")) as Node;

function follow(node: unknown): Node {
  const { $ref } = node as { readonly $ref?: string };
  if ($ref === undefined) return node as Node;
  const steps = $ref.split("/").slice(1);
  return follow(steps.reduce<unknown>((at, step) => (at as Node)[step], ROOT));
}

function read(path: string, method: string, operation: Node): DocumentedOperation {
  const { operationId, parameters = [], requestBody, responses, summary } = operation;
  const declared = (parameters as readonly unknown[]).map(follow);
  return {
    id: operationId as OperationId,
    method: method.toUpperCase(),
    path,
    summary: String(summary),
    accessLevel: operation["x-access-level"] as AccessLevel | undefined,
    query: new Set(declared.filter((one) => one.in === "query").map(({ name }) => String(name))),
    body: requestBody === undefined || follow(requestBody).required !== true ? undefined : bodyOf(follow(requestBody)),
    availability: availabilityOf(operation as Available),
    responses: Object.entries(responses as Node).map(([status, response]) => ({
      status: Number(status),
      codes: Number(status) < 400 ? [] : codesOf(follow(response)),
    })),
  };
}

function bodyOf({ content }: Node): DocumentedOperation["body"] {
  const { schema } = (content as Node)["application/json"] as Node;
  const { properties = {}, required = [] } = follow(schema);
  return { fields: Object.keys(properties as Node), required: required as readonly string[] };
}

/** Codes beyond the general error schema. */
function codesOf({ content }: Node): readonly string[] {
  const { schema } = (content as Node)["application/json"] as Node;
  const { allOf = [] } = schema as { readonly allOf?: readonly Node[] };
  return allOf.flatMap(
    ({ properties }) => ((properties as Node | undefined)?.code as Node | undefined)?.enum ?? [],
  ) as string[];
}

export const OPERATIONS: readonly DocumentedOperation[] = Object.entries(ROOT.paths as Node).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Node).map(([method, operation]) => read(path, method, operation as Node)),
);
