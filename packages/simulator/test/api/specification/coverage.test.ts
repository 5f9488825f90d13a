import { expect, test } from "vitest";
import { ERROR_STATUS } from "../../../src/api-errors.ts";
import { type DocumentedOperation, OPERATIONS } from "./document.ts";
import { SERVICE_FAILURES } from "./rows/errors.ts";
import { ROWS } from "./rows.ts";

/** The neighbouring test runs the rows. */
const shown = new Set(ROWS.map(({ operation, answers }) => `${operation} ${answers}`));

/** Successes, and each rejection with each code. */
function documented({ id, responses }: DocumentedOperation): readonly string[] {
  return responses.flatMap(({ status, codes }) =>
    status < 400 ? [`${id} ${status}`] : codes.map((code) => `${id} ${status} ${code}`),
  );
}

/** A fault replaces the answer before an endpoint runs: the rows of one operation show it. */
function isFailureOfService(answer: string): boolean {
  return SERVICE_FAILURES.some((failure) => answer.endsWith(` ${failure}`));
}

test("every path and method has a row for success and for each documented failure", () => {
  const expected = OPERATIONS.flatMap(documented).filter((answer) => !isFailureOfService(answer));
  expect(expected.filter((answer) => !shown.has(answer))).toEqual([]);
  expect(OPERATIONS.length).toBeGreaterThan(100);
});

test("every path and method documents the failures of the service", () => {
  const missing = OPERATIONS.flatMap((operation) => {
    const known = documented(operation);
    return SERVICE_FAILURES.map((failure) => `${operation.id} ${failure}`).filter((answer) => !known.includes(answer));
  });
  expect(missing).toEqual([]);
});

test("every path and method documents its success and its error codes", () => {
  const poor = OPERATIONS.filter(
    ({ responses }) =>
      !responses.some(({ status }) => status < 300) ||
      responses.some(({ status, codes }) => status >= 400 && codes.length === 0),
  );
  expect(poor.map(({ id }) => id)).toEqual([]);
});

/** Section Error codes. */
const CODES = [
  ...["AUTH_FAILED", "BAD_GATEWAY", "BAD_REQUEST", "BODY_TOO_LARGE", "EXECUTION_TIMEOUT", "FORBIDDEN"],
  ...["GATEWAY_TIMEOUT", "INTERNAL_ERROR", "INVALID_DURATION", "INVALID_FILTER", "INVALID_PASSWORD_RESET_TOKEN"],
  ...["LICENSE_INACTIVE", "LOGIN_FAILED", "LOGOUT_FAILED", "LOW_PASSWORD_COMPLEXITY", "NOT_FOUND"],
  ...["METHOD_NOT_IMPLEMENTED", "PAUSE_ADMIN", "RENEW_FAILED", "SERVICE_UNAVAILABLE", "UNKNOWN", "WRONG_NODE_STATUS"],
];

test("the rows cover exactly the error codes of the specification", () => {
  const reached = new Set(
    ROWS.flatMap(({ answers }) => (typeof answers === "string" ? (answers.split(" ")[1] ?? []) : [])),
  );
  expect([...reached].sort()).toEqual([...CODES].sort());
  expect(Object.keys(ERROR_STATUS).sort()).toEqual([...CODES].sort());
});

test("all rows differ", () => {
  const names = ROWS.map(({ operation, rule, answers, path }) => `${operation} ${rule} ${answers} ${path}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
