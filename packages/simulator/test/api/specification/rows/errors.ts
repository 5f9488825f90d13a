import { type Answer, force, type Row, row } from "../row.ts";
import { ID } from "../specified-world.ts";

/** Core server and time cause them, not the request. */
export const SERVICE_FAILURES = [
  ...(["408 EXECUTION_TIMEOUT", "500 INTERNAL_ERROR", "500 UNKNOWN", "502 BAD_GATEWAY"] as const),
  ...(["503 SERVICE_UNAVAILABLE", "504 GATEWAY_TIMEOUT"] as const),
] satisfies readonly Answer[];

export const ERRORS: readonly Row[] = [
  ...SERVICE_FAILURES.map((failure) => {
    const [status, code] = failure.split(" ");
    return row("listSensors", "a failure of the service", "/experimental/sensors", failure, {
      fault: `error=${status},code=${code}`,
    });
  }),
  row(
    "listSensors",
    "an unexpected internal error is no end of the service",
    "/experimental/sensors",
    "500 INTERNAL_ERROR",
    {
      before: [
        ({ simulator: { world } }) => {
          world.list = () => {
            throw new Error("unexpected");
          };
        },
      ],
    },
  ),
  ...[
    "/nothing",
    "/experimental/sensors/",
    "/Version",
    "/channels/%zz",
    "/experimental/timeseries//live",
    `/experimental/timeseries/${ID.up}/live/1`,
  ].map((path) => row("none", "no such endpoint", path, "404 NOT_FOUND", { method: "GET" })),
  row("none", "OPTIONS is no method", "/sensors/1000", "405 METHOD_NOT_IMPLEMENTED", {
    ...{
      method: "OPTIONS",
      headers: { allow: "GET", "x-request-id": /^[0-9a-f]{32}$/, date: "Thu, 12 Mar 2026 17:55:10 GMT" },
    },
  }),
  row("none", "all methods of a path", "/session", "405 METHOD_NOT_IMPLEMENTED", {
    ...{ method: "PUT", headers: { allow: "GET, POST, DELETE" } },
  }),
  row("listSensors", "the key counts before the parameters", "/experimental/sensors?limit=-1", "401 AUTH_FAILED", {
    bearer: "WRONGKEY",
  }),
  row(
    "none",
    "the reference form of creation paths is the singular",
    `/experimental/groups/${ID.group}/devices`,
    "404 NOT_FOUND",
    { method: "POST", body: { basic: { name: "new", host: "10.9.9.9" } } },
  ),
  row("listSensors", "a parameter is UTF-8", "/experimental/sensors?filter=%FF", "400 BAD_REQUEST", {
    shows: { message: "filter is not UTF-8" },
  }),
  row("pauseSensor", "the body is JSON", `/sensors/${ID.up}/pause`, "400 BAD_REQUEST", { body: "{" }),
  row("pauseSensor", "the body is UTF-8", `/sensors/${ID.up}/pause`, "400 BAD_REQUEST", {
    body: Buffer.from('{"name":"\xfc"}', "latin1"),
    shows: { message: "The body is not UTF-8" },
  }),
  row("pauseSensor", "15 KB are not too much", `/sensors/${ID.up}/pause`, 204, {
    body: JSON.stringify({ message: "" }).padEnd(15 * 1024),
  }),
  row(
    "acknowledgeSensor",
    "an API key with the access level ACKNOWLEDGE can acknowledge",
    `/sensors/${ID.up}/acknowledge`,
    204,
    { before: [force(ID.up, "down")], bearer: "KEY-ACKNOWLEDGE", body: {} },
  ),
];
