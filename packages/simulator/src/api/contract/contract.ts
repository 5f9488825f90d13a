import { badRequest } from "../../api-errors.ts";
import type { AccessLevel } from "../../auth/accounts.ts";
import type { Availability } from "../../release/release.ts";
import {
  availabilityOf,
  type ContractDocument,
  type DocumentOperation,
  type DocumentParameter,
  type Maturity,
  openDocument,
  type Part,
  pointerStep,
  resolve,
} from "./document.ts";
import { buildPaths, METHODS, type Route } from "./paths.ts";
import { namesNotUtf8 } from "./query-encoding.ts";
import type { OperationId } from "./types.ts";
import { createValidator, type ValidatedParts } from "./validators.ts";

/** What the contract says about an operation. */
export interface Operation extends Route {
  readonly id: OperationId;
  readonly maturity: Maturity;
  /** In which releases and spellings it exists. */
  readonly availability: Availability;
  /** Undefined for operations that need no user. */
  readonly accessLevel: AccessLevel | undefined;
  /** Whether it takes `offset` and `limit`. */
  readonly paged: boolean;
  /** Names of its query parameters. */
  readonly queryNames: readonly string[];
  readonly takesBody: boolean;
}

/** An operation that a request asks for. */
export interface OperationMatch {
  readonly operation: Operation;
  /** Values of the placeholders of the path. */
  readonly params: Readonly<Record<string, string>>;
}

/** The routes and rules of `api/openapi.yaml`. */
export interface Contract {
  readonly operations: readonly Operation[];
  /** Paths are matched exactly, see `buildPaths`. Undefined where there is none. */
  match(method: string, path: string): OperationMatch | undefined;
  /** Of the path and the query. Repeated lists are one list; of other repeated parameters the first counts. @throws RequestRefused BAD_REQUEST */
  checkParameters(match: OperationMatch, url: Pick<URL, "search" | "searchParams">): void;
  /** The query with each repeated list as one list. */
  queryOf(operation: Operation, query: URLSearchParams): URLSearchParams;
  /** Undefined where there was none. @throws RequestRefused BAD_REQUEST, INVALID_DURATION */
  checkBody(operation: Operation, body: unknown): void;
}

interface Entry extends ValidatedParts {
  readonly operation: Operation;
  readonly query: readonly DocumentParameter[];
}

let loaded: Promise<Contract> | undefined;

/** Once in the life of the process, as what it compiles stays good. */
export function loadContract(): Promise<Contract> {
  loaded ??= openDocument().then(contractOf);
  return loaded;
}

function contractOf(document: ContractDocument): Contract {
  const entries = new Map(entriesOf(document).map((entry) => [entry.operation.id, entry]));
  const operations = [...entries.values()].map(({ operation }) => operation);
  const find = buildPaths(operations);
  const validator = createValidator(document);

  const match = (method: string, path: string): OperationMatch | undefined => {
    const found = find(method, path);
    return found === undefined ? undefined : { operation: found.route, params: found.params };
  };
  const entryOf = ({ id }: Operation): Entry => {
    const entry = entries.get(id);
    if (entry === undefined) throw new Error(`The contract has no operation ${id}`);
    return entry;
  };
  return {
    operations,
    match,
    checkParameters({ operation, params }, { search, searchParams: query }) {
      const entry = entryOf(operation);
      const garbled = namesNotUtf8(search);
      const wrong = entry.query.find(({ name }) => garbled.has(name));
      if (wrong !== undefined) throw badRequest(`${wrong.name} is not UTF-8`);
      validator.checkParameters(entry, { path: params, query: readQuery(entry.query, query) });
    },
    queryOf(operation, query) {
      const repeated = entryOf(operation).query.filter(
        ({ name, schema }) => schema.type === "array" && query.getAll(name).length > 1,
      );
      if (repeated.length === 0) return query;
      const joined = new URLSearchParams(query);
      for (const { name } of repeated) joined.set(name, query.getAll(name).join(","));
      return joined;
    },
    checkBody: (operation, body) => validator.checkBody(entryOf(operation), body),
  };
}

function entriesOf(document: ContractDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => entryAt(document, path, method, operation)),
  );
}

function entryAt(document: ContractDocument, path: string, methodName: string, found: DocumentOperation): Entry {
  const method = METHODS.find((known) => known === methodName.toUpperCase());
  if (method === undefined) throw new Error(`The method ${methodName} of ${found.operationId} is not known`);
  const pointer = `/paths/${pointerStep(path)}/${methodName}`;
  const parameters = (found.parameters ?? []).map((value, index) =>
    resolve<DocumentParameter>(document, { value, pointer: `${pointer}/parameters/${index}` }),
  );
  const { requestBody: body } = found;
  const query = parameters.map(({ value }) => value).filter((parameter) => parameter.in === "query");
  return {
    operation: {
      id: found.operationId,
      method,
      path,
      lastDefault: lastDefault(path, parameters),
      maturity: found["x-maturity"],
      availability: availabilityOf(found),
      accessLevel: found["x-access-level"],
      paged: query.some(({ name }) => name === "limit"),
      queryNames: query.map(({ name }) => name),
      takesBody: body !== undefined,
    },
    parameters,
    body: body === undefined ? undefined : resolve(document, { value: body, pointer: `${pointer}/requestBody` }),
    query,
  };
}

function lastDefault(path: string, parameters: readonly Part<DocumentParameter>[]): string | undefined {
  const last = parameters.find(({ value }) => path.endsWith(`/{${value.name}}`))?.value.schema.default;
  return last === undefined ? undefined : String(last);
}

function readQuery(declared: readonly DocumentParameter[], query: URLSearchParams): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const { name, schema } of declared) {
    const [text, ...others] = query.getAll(name);
    if (text !== undefined) values[name] = schema.type === "array" ? [text, ...others].flatMap(splitList) : text;
  }
  return values;
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
