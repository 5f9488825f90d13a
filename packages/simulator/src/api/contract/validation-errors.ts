import type { ErrorObject } from "ajv/dist/2020.js";
import { ApiError, badRequest } from "../../api-errors.ts";

/** What is wrong with the parameters: which one, and what was expected. */
export function parameterError(errors: readonly ErrorObject[]): ApiError {
  // The last one is about the whole, those before it about alternatives that do not fit either.
  const error = errors.at(-1);
  if (error === undefined) return badRequest("A parameter is invalid");
  const [, , ...position] = error.instancePath.split("/");
  if (error.keyword === "required") return badRequest(`${error.params.missingProperty} is required`);
  return badRequest(`${position.join("/")} ${expectation(error)}`);
}

/** What is wrong with the body: where, as a JSON pointer, and what was expected. */
export function bodyError(body: unknown, errors: readonly ErrorObject[]): ApiError {
  const error = errors.at(-1);
  if (body === undefined || error === undefined) return badRequest("The body is required");
  const { instancePath: pointer } = error;
  const position = pointer === "" ? "The body" : `The body at ${pointer}`;
  const code = pointer === "/duration" ? "INVALID_DURATION" : "BAD_REQUEST";
  return new ApiError(code, `${position} ${expectation(error)}`);
}

/** Schemas whose words would not help say in `x-expected` what they mean. */
function expectation({ keyword, params, message = "is invalid", parentSchema }: ErrorObject): string {
  const expected: unknown = parentSchema?.["x-expected"];
  if (typeof expected === "string") return expected;
  switch (keyword) {
    case "enum":
      return `must be one of ${listed(params.allowedValues)}`;
    case "additionalProperties":
      return `must not have ${params.additionalProperty}`;
    case "pattern":
      return params.pattern === "\\S" ? "must not be empty" : message;
    default:
      return message;
  }
}

/** Numbers can be there as texts, too; null and the empty text stand for nothing chosen. */
function listed(values: readonly unknown[]): string {
  return [...new Set(values.filter((value) => value !== null && value !== "").map(String))].join(", ");
}
