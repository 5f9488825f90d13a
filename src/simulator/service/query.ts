import { badRequest } from "./api-errors.ts";

const INTEGER = /^-?[0-9]+$/;
const INT32_MAX = 2_147_483_647;

/** An integer parameter; undefined when absent. Unknown parameters are ignored, of a repeated one the first counts. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!INTEGER.test(text) || Math.abs(value) > INT32_MAX) throw badRequest(`${name} must be an integer`);
  return value;
}

/** A boolean parameter, false when absent. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  if (text === null || text === "false") return false;
  if (text === "true") return true;
  throw badRequest(`${name} must be true or false`);
}
