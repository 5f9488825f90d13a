import { describe, expect, test } from "vitest";
import { loadContract } from "../../../src/api/contract/contract.ts";
import type { Endpoint } from "../../../src/api/endpoint.ts";
import { ENDPOINTS } from "../../../src/api/endpoints/table.ts";
import { NO_CONTENT } from "../../../src/api/reply.ts";
import { ApiError } from "../../../src/api-errors.ts";
import { buildRoutes } from "../../../src/server/routes.ts";

const contract = await loadContract();
const routes = buildRoutes(contract, ENDPOINTS);
const operation = (id: string) => {
  const found = contract.operations.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
};

function refusal(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.code} ${error.message}`;
    throw error;
  }
}

function requested(query: string): Pick<URL, "search" | "searchParams"> {
  return new URL(`http://server/?${query}`);
}

describe("operations of the contract", () => {
  test("have exactly one handler each", () => {
    const handled = ENDPOINTS.map((endpoint): string => endpoint.operation);
    expect(handled.toSorted()).toEqual(contract.operations.map(({ id }) => id).toSorted());
  });

  test("have the prefix if they are experimental, and only then", () => {
    for (const { path, maturity } of contract.operations) {
      // Some deprecated operations were experimental before.
      if (maturity !== "deprecated")
        expect([path, path.startsWith("/experimental/")]).toEqual([path, maturity === "experimental"]);
    }
  });

  test("need no user only if the specification says so", () => {
    const open = contract.operations.filter(({ accessLevel }) => accessLevel === undefined);
    expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      "GET /health",
      "GET /settings/public",
      "POST /session",
      "POST /users/request-password",
      "POST /users/reset-password",
    ]);
  });

  test("need the access level that their name implies", () => {
    const level = (id: string) => operation(id).accessLevel;
    for (const { id, method, accessLevel } of contract.operations) {
      if (method === "GET" && accessLevel !== undefined) expect([id, accessLevel]).toEqual([id, "READ"]);
      if (method === "PATCH") expect([id, accessLevel]).toEqual([id, id === "editApiKey" ? "FULL" : "WRITE"]);
    }
    expect(level("closeSession")).toBe("READ");
    expect([level("acknowledgeSensor"), level("acknowledgeSensors")]).toEqual(["ACKNOWLEDGE", "ACKNOWLEDGE"]);
    expect([level("pauseSensor"), level("scanGroups"), level("createSensor"), level("moveObject")]).toEqual(
      Array(4).fill("WRITE"),
    );
    expect([level("deleteProbe"), level("createApiKey"), level("pauseUser")]).toEqual(Array(3).fill("FULL"));
  });
});

describe("routes of the contract", () => {
  test.each([
    ["GET", "/api/v2/sensors/2490", "getSensor", { id: "2490" }],
    ["GET", "/api/v2/sensors/alarms", "listAlarms", {}],
    ["GET", "/api/v2/channels/2490.-4", "getChannel", { id: "2490.-4" }],
    ["GET", "/api/v2/channels/a%2Fb%20%C3%A4", "getChannel", { id: "a/b ä" }],
    ["GET", "/api/v2/devices/icons", "listDeviceIcons", {}],
    ["GET", "/api/v2/devices/icons2", "getDevice", { id: "icons2" }],
    ["POST", "/api/v2/users/api-keys/find", "findApiKey", {}],
    ["DELETE", "/api/v2/users/api-keys/7", "deleteApiKey", { id: "7" }],
    ["GET", "/api/v2/users/me/api-keys", "listApiKeys", { id: "me" }],
    ["GET", "/api/v2/experimental/schemas/40", "listCreatableKinds", { parent: "40" }],
    ["GET", "/api/v2/experimental/schemas/40/get", "getReadSchema", { id: "40" }],
    ["GET", "/api/v2/experimental/schemas/40/post", "getCreateSchema", { parent: "40" }],
    ["GET", "/api/v2/experimental/autodiscoveryjobs/history", "listAutodiscoveryHistory", {}],
    ["GET", "/api/v2/experimental/timeseries/5/medium", "getTimeSeries", { id: "5", type: "medium" }],
    // "Default `live`", for a value in the path.
    ["GET", "/api/v2/experimental/timeseries/5/", "getTimeSeries", { id: "5", type: "live" }],
    ["GET", "/api/v2/experimental/timeseries/5", "getTimeSeriesOfRange", { id: "5" }],
  ])("%s %s is %s", (method, path, id, params) => {
    expect(contract.match(method, path)).toEqual({ operation: operation(id), params });
  });

  test.each([
    "",
    "/",
    "/sensors",
    "/api/v2",
    "/api/v2/",
    "/api/v2/nothing",
    "/api/v2/sensors/",
    "/api/v2/Sensors",
    "/api/v2/sensors/1/2/3",
    "/api/v2//sensors",
    "/api/v20/sensors",
    "/api/v2/channels/%zz",
    "/api/v2/experimental/timeseries//",
  ])("no operation has the path %s", (path) => {
    expect(routes.methodsOf(path)).toEqual([]);
  });

  test.each([
    ["/api/v2/session", "GET POST DELETE"],
    ["/api/v2/devices/7", "GET PATCH"],
    ["/api/v2/experimental/autodiscoveryjobs/7", "GET PATCH DELETE"],
    // Paths without placeholders take precedence.
    ["/api/v2/sensors/pause", "POST"],
    ["/api/v2/experimental/devices/templates", "GET"],
    ["/api/v2/users/api-keys/find", "POST"],
  ])("%s has %s", (path, methods) => {
    expect(routes.methodsOf(path).join(" ")).toBe(methods);
  });
});

describe("handlers of operations", () => {
  const handler = (id: string, access: "public" | "bearer" = "bearer"): Endpoint =>
    ({ operation: id, access, handle: () => NO_CONTENT }) as Endpoint;

  test.each([
    [[handler("getNothing")], "The contract has no operation getNothing"],
    [[handler("getSensor"), handler("getSensor")], "The operation getSensor has two handlers"],
    [[handler("getSensor", "public")], "disagree on whether a user is needed"],
    [[handler("getHealth")], "disagree on whether a user is needed"],
  ])("reject handlers that do not fit %#", (endpoints, message) => {
    expect(() => buildRoutes(contract, endpoints)).toThrow(message);
  });

  test("are optional", () => {
    expect(buildRoutes(contract, []).match("GET", "/api/v2/health")).toMatchObject({ endpoint: undefined });
  });
});

describe("check of parameters", () => {
  const NAMELESS = "BAD_REQUEST";
  test.each([
    ["listSensors", "", undefined],
    ["listSensors", "limit=3000&offset=0&filter=&include=", undefined],
    // The first of repeated parameters counts.
    ["listSensors", "sort_by=-name&nothing=%00&limit=1&limit=x", undefined],
    ["listSensors", "limit=3001", "limit must be <= 3000"],
    ["listSensors", "limit=-1", "limit must be >= 0"],
    ["listSensors", "limit=", "limit must be integer"],
    ["listSensors", "limit=1.5", "limit must be integer"],
    ["listSensors", "limit=ten", "limit must be integer"],
    ["listSensors", "offset=2147483648", "offset must be <= 2147483647"],
    ["listSensors", "include=path,%20basic", undefined],
    [
      "listSensors",
      "include=path,alerting",
      "include/1 must be one of basic, intervalgroup, scheduledependency, accessrightsgroup, path, all_sections, inheritance, *",
    ],
    ["listSensors", "include=inheritance", "include must have another value beside inheritance"],
    ["listSensors", "include=inheritance,path", undefined],
    ["listDeviceInfo", "sensor_status_summary=true", undefined],
    ["listDeviceInfo", "sensor_status_summary=1", "sensor_status_summary must be boolean"],
    ["getSchema", "purpose=delete", "purpose must be one of create, update, read"],
    ["getCreateSchema", "", "kind is required"],
    ["getTimeSeries", "channels=1.0,%201.1", undefined],
    ["getTimeSeriesOfRange", "", "from is required"],
    [
      "getTimeSeriesOfRange",
      "from=2026-02-31T00:00:00Z",
      "from must be an RFC 3339 date-time such as 2026-03-12T17:00:00Z",
    ],
    ["getTimeSeriesOfRange", "from=2026-02-28T00:00:00Z&to=", undefined],
    ["listSensors", "filter=name%20%3D%20%22%C3%BC%22", undefined],
    ["listSensors", "filter=%EF%BF%BD", undefined],
    ["listSensors", "filter=50%", undefined],
    ["listSensors", "filter=name%20%3D%20%22%FC%22", "filter is not UTF-8"],
    ["listSensors", "limit=1&f%69lter=%c3", "filter is not UTF-8"],
    ["listSensors", "unknown=%FF", undefined],
    [
      "getTimeSeriesOfRange",
      "from=2026-02-28T00:00:00Z&to=now",
      "to must be an RFC 3339 date-time such as 2026-03-12T17:00:00Z",
    ],
  ])("checks %s: %s", (id, query, message) => {
    const params = { id: "1", parent: "1", kind: "device", type: "live" };
    const declared = Object.entries(params).filter(([name]) => operation(id).path.includes(`{${name}}`));
    const match = { operation: operation(id), params: Object.fromEntries(declared) };
    const expected = message === undefined ? undefined : `400 ${NAMELESS} ${message}`;
    expect(refusal(() => contract.checkParameters(match, requested(query)))).toBe(expected);
  });

  test("checks parameters in the path", () => {
    const match = { operation: operation("getTimeSeries"), params: { id: "1", type: "hourly" } };
    expect(refusal(() => contract.checkParameters(match, requested("")))).toBe(
      "400 BAD_REQUEST type must be one of live, short, medium, long",
    );
  });
});

describe("check of bodies", () => {
  test.each<[id: string, body: unknown, complaint: string | undefined]>([
    ["openSession", { username: "a", password: "b", more: 1 }, undefined],
    ["openSession", undefined, "BAD_REQUEST The body is required"],
    ["openSession", null, "BAD_REQUEST The body must be object"],
    ["openSession", [], "BAD_REQUEST The body must be object"],
    ["openSession", { username: "a" }, "BAD_REQUEST The body must have required property 'password'"],
    ["openSession", { username: "a", password: 5 }, "BAD_REQUEST The body at /password must be string"],
    ["pauseSensor", {}, undefined],
    ["pauseSensor", { duration: 0.5, message: "" }, undefined],
    ["pauseSensor", { duration: 1_000_000_000 }, undefined],
    ["pauseSensor", { duration: 1_000_000_001 }, "INVALID_DURATION The body at /duration must be <= 1000000000"],
    ["pauseSensor", { duration: -1 }, "INVALID_DURATION The body at /duration must be >= 0"],
    ["pauseSensor", { duration: "60" }, "INVALID_DURATION The body at /duration must be number"],
    ["pauseSensor", { message: 5 }, "BAD_REQUEST The body at /message must be string"],
    ["pauseSensors", { duration: 60 }, "BAD_REQUEST The body must have required property 'filter'"],
    [
      "acknowledgeSensors",
      { filter: "status = down", duration: null },
      "INVALID_DURATION The body at /duration must be number",
    ],
    ["moveObject", { parent: "1" }, undefined],
    ["moveObject", { parent: null, position: 20, position_preset: null }, undefined],
    ["moveObject", { position_preset: "up" }, undefined],
    ["moveObject", {}, "BAD_REQUEST The body must have parent, position or position_preset"],
    ["moveObject", { parent: null }, "BAD_REQUEST The body must have parent, position or position_preset"],
    [
      "moveObject",
      { position: 10, position_preset: "up" },
      "BAD_REQUEST The body must not have both position and position_preset",
    ],
    ["moveObject", { position: 5 }, "BAD_REQUEST The body at /position must be >= 10"],
    ["moveObject", { position: 15 }, "BAD_REQUEST The body at /position must be multiple of 10"],
    ["moveObject", { position: "10" }, "BAD_REQUEST The body at /position must be integer,null"],
    [
      "moveObject",
      { position_preset: "left" },
      "BAD_REQUEST The body at /position_preset must be one of top, up, down, bottom",
    ],
    [
      "cloneDevice",
      { parent_id: "1", host: "h", position: "first" },
      'BAD_REQUEST The body at /position must match pattern "^(top|bottom|[0-9]{1,9})$"',
    ],
    ["cloneDevice", { parent_id: "1", host: " " }, "BAD_REQUEST The body at /host must not be empty"],
    ["findApiKey", {}, "BAD_REQUEST The body must have id or key"],
    [
      "createApiKey",
      { name: "a", access_level: "ALL" },
      "BAD_REQUEST The body at /access_level must be one of NOT_SET, READ, ACKNOWLEDGE, WRITE, FULL",
    ],
    ["createGroupDevice", { basic: { name: "a", host: "b" }, intervalgroup: { interval: "60" } }, undefined],
    [
      "createGroupDevice",
      { basic: { name: "a" } },
      "BAD_REQUEST The body at /basic must have required property 'host'",
    ],
    ["createGroupGroup", { basic: { name: "a", host: "b" } }, "BAD_REQUEST The body at /basic must not have host"],
    ["editDevice", { colours: {} }, "BAD_REQUEST The body must not have colours"],
    ["editDevice", { basic: { priority: 6 } }, "BAD_REQUEST The body at /basic/priority must be one of 1, 2, 3, 4, 5"],
    ["editSensor", { windowsconnection: {} }, "BAD_REQUEST The body must not have windowsconnection"],
  ])("checks %s: %j", (id, body, complaint) => {
    const expected = complaint === undefined ? undefined : `400 ${complaint}`;
    expect(refusal(() => contract.checkBody(operation(id), body))).toBe(expected);
  });
});
