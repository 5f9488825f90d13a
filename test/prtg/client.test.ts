import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import { CHANNEL_RECORD_BYTES } from "../../src/prtg/answer-bounds.ts";
import type { Section } from "../../src/prtg/node-record.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { type Handler, type SeenRequest, sendError, sendJson, startApiServer } from "./support/api-server.ts";
import { rejection, testClient } from "./support/test-client.ts";

function sensor(id: number): object {
  return {
    id: String(id),
    name: `Sensor ${id}`,
    status: "UP",
    kind: "ping",
    parent: { id: "40", name: "Device", type: "REFERENCED_DEVICE", href: "/api/v2/devices/40" },
    basic: { tags: [], priority: "3" },
  };
}

function sendPage(request: SeenRequest, response: ServerResponse, list: readonly object[]): void {
  const offset = Number(request.query.get("offset"));
  const records = list.slice(offset, offset + Number(request.query.get("limit")));
  sendJson(response, records, { headers: { "x-total-count": String(list.length) } });
}

function listOf(list: readonly object[]): Handler {
  return (request, response) => sendPage(request, response, list);
}

test("the redactor removes a renewed session token from known names", async () => {
  const clock = new ManualClock();
  const tokens = ["first-session-token", "second-session-token"];
  const record = (id: number) => ({
    ...{ id: `1.${id}`, name: `Channel ${id === 3 ? tokens[1] : id}`, basic: { displayunit: "%" } },
    last_measurement: { display_value: id, timestamp: "2026-03-12T17:55:10Z" },
  });
  const list = Array.from({ length: 10 }, (_, id) => record(id));
  const server = await startApiServer((request, response) => {
    const headers = { date: new Date(clock.now()).toUTCString() };
    const expiry = { expires_at: new Date(clock.now() + 3_600_000).toISOString() };
    const token = request.method === "POST" ? tokens[0] : tokens[1];
    if (request.path === "/session") return sendJson(response, { token, ...expiry }, { headers });
    return sendJson(response, list, { headers: { ...headers, "x-total-count": "10" } });
  });
  const auth = { kind: "login" as const, username: "u", password: async () => "a long password" };
  const { api, recorded } = testClient(server.url, { auth, clock });
  const names = async () => Array.from((await api.channels({}, never)).items, ({ name }) => name);
  for (let poll = 0; poll < 4; poll++) expect(await names()).toContain("Channel second-session-token");
  await clock.advance(3_590_000);
  await names();
  expect(await names()).toEqual(list.map((_, id) => `Channel ${id === 3 ? "[redacted]" : id}`));
  expect(recorded.problems.get("secret")).toBeGreaterThan(0);
});

describe("lists", () => {
  test("read several pages completely, with explicit limit and offset", async () => {
    const server = await startApiServer(listOf(Array.from({ length: 6_500 }, (_, index) => sensor(index))));
    const { api, recorded } = testClient(server.url, { limits: { maxResponseBytes: 10_000_000 } });
    const { items, complete, skipped } = await api.nodes("sensor", {}, never);
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 6_500 }, (_, index) => String(index)));
    expect({ complete, skipped }).toEqual({ complete: true, skipped: 0 });
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/experimental/sensors?limit=3000&offset=0",
      "/experimental/sensors?limit=3000&offset=2999",
      "/experimental/sensors?limit=3000&offset=5998",
    ]);
    expect(recorded.mismatches).toEqual(new Map([["/experimental/sensors", 0]]));
    expect(recorded.problems).toEqual(new Map());
    expect(api.listPages()).toBeCloseTo(6_500 / 3_000);
  });

  test.each([
    { what: "every record can be read", list: [sensor(1), sensor(2)], total: 9, hidden: undefined },
    { what: "one cannot be read", list: [sensor(1), {}], total: 2, hidden: 1 },
    { what: "there is no total", list: [sensor(1), "odd"], total: undefined, hidden: 1 },
    { what: "no record can be read", list: [[[]]], total: undefined, hidden: Number.POSITIVE_INFINITY },
    { what: "there is none", list: [], total: 0, hidden: undefined },
  ])("report the number of hidden objects, where $what: $hidden", async ({ list, total, hidden }) => {
    const headers: Record<string, string> = total === undefined ? {} : { "x-total-count": String(total) };
    const server = await startApiServer(({ query }, response) =>
      sendJson(response, query.get("offset") === "0" ? list : [], { headers }),
    );
    expect((await testClient(server.url).api.nodes("sensor", {}, never)).hidden).toBe(hidden);
  });

  test.each([
    { kind: "probe", sections: [], url: "/experimental/probes?limit=3000&offset=0" },
    {
      kind: "device",
      sections: ["sensor_status_summary", "intervalgroup"],
      url: "/experimental/devices?limit=3000&offset=0&include=intervalgroup,sensor_status_summary",
    },
    {
      kind: "device",
      sections: ["intervalgroup", "scheduledependency"],
      url: "/experimental/devices?limit=3000&offset=0&include=intervalgroup,scheduledependency",
    },
    {
      kind: "group",
      sections: ["sensor_status_summary"],
      url: "/experimental/groups?limit=3000&offset=0&include=sensor_status_summary",
    },
    {
      kind: "sensor",
      sections: ["sensor_status_summary", "intervalgroup"],
      url: "/experimental/sensors?limit=3000&offset=0&include=intervalgroup",
    },
  ] as const)("request the sections $sections of kind $kind", async ({ kind, sections, url }) => {
    const server = await startApiServer(listOf([]));
    await testClient(server.url).api.nodes(kind, { sections: new Set<Section>(sections) }, never);
    expect(server.requests.map((request) => request.url)).toEqual([url]);
  });

  test("include limits of channels on request", async () => {
    const channel = { id: "1.0", name: "Load", basic: { displayunit: "%" }, alerting: { limitmaxerror: "90" } };
    const server = await startApiServer(listOf([{ ...channel, last_measurement: { display_value: 50 } }]));
    const { api } = testClient(server.url);
    const { items } = await api.channels({ sections: new Set(["alerting"]) }, never);
    await api.channels({}, never);
    expect([...items]).toMatchObject([
      { sensorId: "1", channelId: "0", unit: "%", value: 50, limits: { max_error: 90 } },
    ]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/experimental/channels?limit=3000&offset=0&include=alerting",
      "/experimental/channels?limit=3000&offset=0",
    ]);
  });

  test("include lookups of channels on request", async () => {
    const channel = { id: "1.0", name: "Door", basic: { displayunit: "" }, values: { lookup: "acme.door" } };
    const server = await startApiServer(listOf([channel]));
    const { api } = testClient(server.url);
    const { items } = await api.channels({ sections: new Set(["alerting", "values"]) }, never);
    await api.channels({ sections: new Set(["values"]) }, never);
    expect([...items]).toMatchObject([{ sensorId: "1", channelId: "0", lookup: "acme.door" }]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/experimental/channels?limit=3000&offset=0&include=alerting,values",
      "/experimental/channels?limit=3000&offset=0&include=values",
    ]);
  });

  test("return the memory of channels to the budget", async () => {
    const channels = Array.from({ length: 5 }, (_, id) => ({ id: `1.${id}`, last_measurement: { display_value: id } }));
    const server = await startApiServer(listOf(channels));
    const memory = new MemoryBudget(5 * CHANNEL_RECORD_BYTES + 1_000);
    const { api } = testClient(server.url, { memory });
    for (let times = 0; times < 3; times++) {
      const { items } = await api.channels({}, never);
      expect(Array.from(items, ({ value }) => value)).toEqual([0, 1, 2, 3, 4]);
      expect(memory.heldBytes).toBe(0);
    }
  });

  test("keep the first of two channels with the same sensor and number in any spelling, and report both", async () => {
    const server = await startApiServer(
      listOf([
        { id: "1.0", name: "a" },
        { id: "0", parent: { id: 1 }, name: "b" },
        { id: "0", parent: { id: 2 }, name: "c" },
      ]),
    );
    const { api, recorded, logged } = testClient(server.url);
    for (let poll = 0; poll < 2; poll++) {
      const { items } = await api.channels({}, never);
      expect(Array.from(items, ({ sensorId, channelId, name }) => `${sensorId} ${channelId} ${name}`)).toEqual([
        "1 0 a",
        "2 0 c",
      ]);
    }
    expect(recorded.problems.get("duplicate")).toBe(2);
    const lines = logged().filter(({ msg }) => String(msg).includes("the same id"));
    expect(lines).toMatchObject([{ endpoint: "/experimental/channels", id: "1.0", shown: "a", left_out: "b" }]);
  });

  test("report bad records and a different X-Total-Count", async () => {
    const records = [sensor(1), { name: "no id" }, { id: "2", status: "ODD", status_since: "soon" }];
    const server = await startApiServer((request, response) =>
      sendJson(response, records.slice(Number(request.query.get("offset"))), { headers: { "x-total-count": "5" } }),
    );
    const { api, recorded } = testClient(server.url);
    expect(await api.nodes("sensor", {}, never)).toMatchObject({ complete: true, skipped: 1 });
    expect(recorded.problems).toEqual(
      new Map([
        ["record", 1],
        ["status", 1],
        ["timestamp", 1],
      ]),
    );
    expect(recorded.mismatches).toEqual(new Map([["/experimental/sensors", 2]]));
  });

  test("repeat after a move and report it", async () => {
    const list = Array.from({ length: 3_500 }, (_, index) => sensor(index));
    const server = await startApiServer((request, response) => {
      if (server.requests.length === 2) list.splice(10, 1);
      sendPage(request, response, list);
    });
    const { api, recorded } = testClient(server.url);
    const { items, complete } = await api.nodes("sensor", {}, never);
    expect(complete).toBe(true);
    expect(items).toHaveLength(3_499);
    expect(recorded.moved).toEqual(["/experimental/sensors"]);
  });

  test("are incomplete after a second move, without a difference from X-Total-Count", async () => {
    const list = Array.from({ length: 3_500 }, (_, index) => sensor(index));
    const server = await startApiServer((request, response) => {
      list.splice(10, 1);
      sendPage(request, response, list);
    });
    const { api, recorded, logText } = testClient(server.url);
    expect(await api.nodes("sensor", {}, never)).toMatchObject({ complete: false });
    expect(recorded.moved).toEqual(["/experimental/sensors"]);
    expect(recorded.mismatches.size).toBe(0);
    expect(logText()).toContain("list changed twice");
  });

  test("use smaller pages after timeouts on the server", async () => {
    const list = Array.from({ length: 2_000 }, (_, index) => sensor(index));
    const server = await startApiServer((request, response) => {
      if (Number(request.query.get("limit")) > 750) sendError(response, 408, "EXECUTION_TIMEOUT");
      else sendPage(request, response, list);
    });
    const { api } = testClient(server.url);
    expect((await api.nodes("sensor", {}, never)).items).toHaveLength(2_000);
    expect(server.requests.map(({ query }) => `${query.get("offset")}+${query.get("limit")}`)).toEqual([
      "0+3000",
      "0+1500",
      "0+750",
      "749+750",
      "1498+750",
    ]);
  });

  test("fail completely if a page fails", async () => {
    const list = Array.from({ length: 3_500 }, (_, index) => sensor(index));
    const server = await startApiServer((request, response) => {
      if (request.query.get("offset") === "0") sendPage(request, response, list);
      else sendError(response, 500, "INTERNAL_ERROR");
    });
    expect(await rejection(testClient(server.url).api.nodes("sensor", {}, never))).toMatchObject({
      code: "API_SERVER_ERROR",
    });
  });
});

describe("fallback lists", () => {
  test("have the deprecated form", async () => {
    const server = await startApiServer((request, response) => {
      if (request.path.startsWith("/experimental")) return sendError(response, 404, "NOT_FOUND");
      if (request.path === "/devices") {
        return sendPage(request, response, [
          {
            id: "40",
            name: "Device",
            status: "SUMMED_INFO_DOWN",
            path: [{ id: "7", name: "Group" }, { id: "40" }],
            scanning_interval: "60",
          },
        ]);
      }
      return sendPage(request, response, [
        { id: "1.0", name: "Load", unit: { display_unit: "%" }, limits: { limit_max_error: 90 } },
      ]);
    });
    const { api } = testClient(server.url);
    const devices = await api.nodes("device", { sections: new Set(["intervalgroup", "sensor_status_summary"]) }, never);
    const channels = await api.channels({ sections: new Set(["alerting"]) }, never);
    expect(devices.items).toMatchObject([{ id: "40", status: "down", parent: { id: "7" }, intervalSeconds: 60 }]);
    expect([...channels.items]).toMatchObject([{ sensorId: "1", unit: "%", limits: { max_error: 90 } }]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/experimental/devices?limit=3000&offset=0&include=intervalgroup,sensor_status_summary",
      "/devices?limit=3000&offset=0&sensor_status_summary=true",
      "/experimental/channels?limit=3000&offset=0&include=alerting",
      "/channels?limit=3000&offset=0",
    ]);
  });

  test.each([404, 405, 501])("replace missing lists after %i", async (status) => {
    const server = await startApiServer((request, response) => {
      if (request.path.startsWith("/experimental")) return sendError(response, status, "UNKNOWN");
      return sendPage(request, response, [sensor(1)]);
    });
    expect((await testClient(server.url).api.nodes("sensor", {}, never)).items).toHaveLength(1);
  });

  test("fail with a clear error if they are missing, but not forever", async () => {
    let lists: object[] | undefined;
    const server = await startApiServer((request, response) => {
      if (lists === undefined) sendError(response, 404, "NOT_FOUND");
      else sendPage(request, response, lists);
    });
    const { api } = testClient(server.url, { clock: new ManualClock() });
    const error = await rejection(api.nodes("sensor", {}, never));
    expect(error).toMatchObject({ code: "API_ENDPOINT_MISSING" });
    expect(error.message).toBe("the server has no /experimental/sensors and no /sensors and no /experimental/objects");
    lists = [sensor(1)];
    expect((await api.nodes("sensor", {}, never)).items).toHaveLength(1);
  });
});

describe("system endpoints", () => {
  test("return decoded records", async () => {
    const answers: Record<string, unknown> = {
      "/version": { prtg: { version: "25.1.102" } },
      "/sensor-status-summary": { total: 3, up: 2, down_acknowledged: 1 },
      "/objects/count": { probes: 1, sensors: 3 },
    };
    const server = await startApiServer(({ path }, response) => sendJson(response, answers[path]));
    const { api } = testClient(server.url);
    expect(await api.version(never)).toEqual(new Map([["prtg.version", "25.1.102"]]));
    expect(await api.statusSummary(never)).toEqual({
      total: 3,
      counts: new Map([
        ["up", 2],
        ["acknowledged", 1],
      ]),
    });
    expect(await api.objectCounts(never)).toEqual(
      new Map([
        ["probe", 1],
        ["sensor", 3],
      ]),
    );
  });

  test("return nothing if an optional one is missing", async () => {
    const server = await startApiServer((_request, response) => sendError(response, 404, "NOT_FOUND"));
    const { api } = testClient(server.url);
    expect(await api.statusSummary(never)).toBeUndefined();
    expect(await api.objectCounts(never)).toBeUndefined();
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_NOT_FOUND" });
  });

  test("fail on other errors", async () => {
    const server = await startApiServer((_request, response) => sendError(response, 403, "FORBIDDEN"));
    const { api } = testClient(server.url);
    expect(await rejection(api.statusSummary(never))).toMatchObject({ code: "API_FORBIDDEN" });
    expect(await rejection(api.objectCounts(never))).toMatchObject({ code: "API_FORBIDDEN" });
  });

  test("report a summary without counts", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, { ok: true }));
    const { api, recorded } = testClient(server.url);
    expect(await api.statusSummary(never)).toEqual({ counts: new Map(), total: undefined });
    expect(recorded.problems).toEqual(new Map([["summary", 1]]));
  });
});

test("the byte count covers bodies", async () => {
  const body = JSON.stringify({ version: "schön" });
  const server = await startApiServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(body);
  });
  const { api, recorded } = testClient(server.url);
  await api.version(never);
  expect(recorded.bytes).toBe(Buffer.byteLength(body));
});

describe("lookup definitions", () => {
  test("are complete, with a count of problems", async () => {
    const entry = { value: 0, text: "Closed" };
    const server = await startApiServer(
      listOf([{ id: "acme.door", name: "Rack Door", values: [entry, { value: 1 }] }, { name: "no id" }]),
    );
    const { api, recorded } = testClient(server.url);
    expect(await api.lookups(never)).toEqual({
      items: [{ id: "acme.door", name: "Rack Door", entries: [{ kind: "range", from: 0, to: 0, text: "Closed" }] }],
      complete: true,
      skipped: 1,
      hidden: 1,
      bytes: expect.any(Number),
    });
    expect(server.requests.map(({ url }) => url)).toEqual(["/lookup-definitions?limit=3000&offset=0"]);
    expect(Object.fromEntries(recorded.problems)).toEqual({ record: 1, lookup: 1 });
  });

  test.each([404, 405, 501])("can be missing (%i) until the next time", async (status) => {
    let missing = true;
    const server = await startApiServer((request, response) => {
      if (missing) sendError(response, status, "UNKNOWN");
      else sendPage(request, response, []);
    });
    const { api } = testClient(server.url);
    expect(await api.lookups(never)).toBeUndefined();
    missing = false;
    expect(await api.lookups(never)).toMatchObject({ items: [] });
  });

  test("fail without permission", async () => {
    const server = await startApiServer((_request, response) => sendError(response, 403, "FORBIDDEN"));
    expect(await rejection(testClient(server.url).api.lookups(never))).toMatchObject({ code: "API_FORBIDDEN" });
  });
});
