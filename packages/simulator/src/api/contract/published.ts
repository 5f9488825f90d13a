import type { Release } from "../../release/release.ts";
import { type Available, availabilityOf, type ContractDocument, type Reference, resolve } from "./document.ts";

/** The contract of one release in one spelling: the whole one without the parts that do not exist there. */
export function publishedContract(document: ContractDocument, release: Release): object {
  const exists = (value: unknown): boolean => {
    if (!isNode(value)) return true;
    const part =
      "$ref" in value ? resolve<object>(document, { value: value as Reference | object, pointer: "" }).value : value;
    return release.has(availabilityOf(part as Available));
  };
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const absent = new Set<unknown>(operations.filter((one) => !exists(one)).map(({ operationId }) => operationId));
  // Links lead to operations by their id, too.
  const stays = (value: unknown): boolean => exists(value) && !(isNode(value) && absent.has(value.operationId));
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter(stays).map(copy);
    if (!isNode(value)) return value;
    return Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (stays(each) ? [[key, copy(each)]] : [])));
  };
  const paths = Object.entries(copy(document.paths) as ContractDocument["paths"]);
  return {
    ...(copy(document) as object),
    paths: Object.fromEntries(paths.filter(([, methods]) => Object.keys(methods).length > 0)),
  };
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
