import { expect } from "vitest";
import { ACCESS_LEVELS, type AccessLevel } from "../../../../src/auth/accounts.ts";
import { RELEASE_NAMES, type ReleaseName, releaseOf, type SpellingName } from "../../../../src/release/release.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { type DocumentedOperation, OPERATIONS } from "../document.ts";
import { type Answer, known, type Row, row } from "../row.ts";
import { ID } from "../specified-world.ts";

export interface Example {
  readonly operation: DocumentedOperation;
  readonly path: string;
  readonly body: unknown;
  readonly spelling: SpellingName;
}

export function genericRows(example: Example): readonly Row[] {
  const { spelling } = example;
  const rows = [
    ...rightsRows(example),
    ...missingEndpointRows(example),
    ...missingObjectRows(example),
    ...(example.operation.body === undefined ? noBodyRows(example) : bodyRows(example)),
  ];
  return [...rows.map((row): Row => ({ ...row, spelling })), ...malformedKeyRows(example), ...absentRows(example)];
}

/** As seen on live servers. The specification says 401. Without body and query, only the token can be invalid. */
function malformedKeyRows({ operation: { id, accessLevel, body, query }, path }: Example): readonly Row[] {
  if (accessLevel === undefined || body !== undefined || query.size > 0) return [];
  const rule = "a bearer token of another form, on live servers";
  return [row(id, rule, path, "400 BAD_REQUEST", { spelling: "live", bearer: "p-w-d" })];
}

function absentRows({ operation, path, body, spelling }: Example): readonly Row[] {
  const { id, availability, responses } = operation;
  const request = { operation: id, path, body, spelling };
  const absent = RELEASE_NAMES.filter((name) => !releaseOf(name, spelling).has(availability));
  const documented = responses.some(({ status }) => status === 405);
  const rows = absent.map(
    (release): Row => ({
      ...{ ...request, release, rule: `release ${release} does not have it` },
      answers: documented && hasOther(operation, release, spelling) ? "405 METHOD_NOT_IMPLEMENTED" : "404 NOT_FOUND",
    }),
  );
  const older: Row = {
    ...request,
    rule: "a release without the endpoint",
    fault: "missing=404",
    answers: "404 NOT_FOUND",
  };
  const isSaid = availability.since !== undefined && responses.some(({ status }) => status === 404);
  return isSaid && rows.length === 0 ? [older] : rows;
}

function hasOther({ path, id }: DocumentedOperation, release: ReleaseName, spelling: SpellingName): boolean {
  const others = OPERATIONS.filter((one) => one.path === path && one.id !== id);
  return others.some(({ availability }) => releaseOf(release, spelling).has(availability));
}

/** An administrator's key with this level. */
export function keyWith(level: AccessLevel): string {
  return `KEY-${level}`;
}

/** "Missing bearer token: status 401. Insufficient user access right for the endpoint: status 403." */
function rightsRows({ operation: { id, accessLevel }, path, body }: Example): readonly Row[] {
  if (accessLevel === undefined) return [];
  const below = ACCESS_LEVELS[ACCESS_LEVELS.indexOf(accessLevel) - 1] ?? "NOT_SET";
  const request = { operation: id, path, body };
  return [
    { ...request, rule: "missing bearer token", bearer: null, answers: "401 AUTH_FAILED" },
    {
      ...request,
      rule: `an API key with the access level ${below} only`,
      bearer: keyWith(below),
      answers: "403 FORBIDDEN",
    },
  ];
}

/** For these, a missing object gives 409. */
function missingEndpointRows({ operation: { id, responses }, path, body }: Example): readonly Row[] {
  if (![404, 409].every((one) => responses.some(({ status }) => status === one))) return [];
  return [row(id, "a release without the endpoint", path, "404 NOT_FOUND", { body, fault: "missing=404" })];
}

const PLACE = /\{\w+\}/;
const TREE = /^(?:\/experimental)?\/(\w[\w-]*)\/\{(?:id|parent)\}/;
const TREE_LISTS = ["objects", "schemas", "timeseries", "sensor-status-summary"];
const OTHER_KIND: Readonly<Record<string, string>> = {
  probes: ID.group,
  groups: ID.device,
  devices: ID.up,
  sensors: ID.device,
  channels: ID.up,
};

/** "404: referenced object does not exist or is not visible to the user", "409: ... in a PUT or PATCH request". */
function missingObjectRows({ operation, path, body }: Example): readonly Row[] {
  const { id, method, path: template } = operation;
  if (!PLACE.test(template)) return [];
  const answers: Answer = method === "PATCH" ? "409 NOT_FOUND" : "404 NOT_FOUND";
  const request = { operation: id, body, answers };
  const [, list = ""] = TREE.exec(template) ?? [];
  const other = OTHER_KIND[list];
  return [
    { ...request, rule: "it does not exist", path: at(template, path, "999999") },
    ...(other === undefined ? [] : [{ ...request, rule: "it is of another kind", path: at(template, path, other) }]),
    ...(other !== undefined || TREE_LISTS.includes(list)
      ? [{ ...request, rule: "it is not visible to the user", bearer: CREDENTIALS.restrictedApiKey, path }]
      : []),
  ];
}

function at(template: string, path: string, value: string): string {
  const place = template.split("/").findIndex((step) => PLACE.test(step));
  const [pathname = "", ...query] = path.split("?");
  return [pathname.split("/").with(place, value).join("/"), ...query].join("?");
}

const TOO_LARGE = `{"more":"${"x".repeat(15 * 1024)}"}`;

/** "Maximum POST body size: 15 KB. POST requests", also without a body. */
function noBodyRows({ operation: { id, method }, path }: Example): readonly Row[] {
  if (method !== "POST") return [];
  return [row(id, "more than 15 KB", path, "400 BODY_TOO_LARGE", { body: TOO_LARGE })];
}

/** "400: any parameter or the request body is invalid", and the general rules of Request body shapes. */
function bodyRows({ operation, path, body }: Example): readonly Row[] {
  const request = { operation: operation.id, path };
  const { fields = [], required = [] } = operation.body ?? {};
  const bad: Row = { ...request, rule: "", answers: "400 BAD_REQUEST" };
  const change = (changes: object) => (it: Parameters<typeof known>[1]) => ({
    ...(known(body, it) as object),
    ...changes,
  });
  return [
    { ...bad, rule: "a body is required", shows: { message: expect.stringMatching(/body is required/) } },
    { ...bad, rule: "the body is an object", body: [] },
    { ...request, rule: "more than 15 KB", body: TOO_LARGE, answers: "400 BODY_TOO_LARGE" },
    ...required.map((name): Row => ({ ...bad, rule: `${name} is required`, body: change({ [name]: undefined }) })),
    ...(fields.includes("filter") ? filterRows(request, change) : []),
  ];
}

function filterRows(
  request: Pick<Row, "operation" | "path">,
  change: (changes: object) => Row["body"],
): readonly Row[] {
  return [
    { ...request, rule: "filter is invalid", body: change({ filter: "x" }), answers: "400 INVALID_FILTER" },
    { ...request, rule: "filter is a string", body: change({ filter: 5 }), answers: "400 BAD_REQUEST" },
    {
      ...request,
      rule: "duration in the filter is invalid",
      body: change({ filter: "scanninginterval > 5" }),
      answers: "400 INVALID_DURATION",
    },
  ];
}
