import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { type SeenRequest, sendError, sendJson, startApiServer } from "./support/api-server.ts";
import { rejection, testClient } from "./support/test-client.ts";

const TYPED = /^\/experimental\/timeseries\/([^/]+)\/(live|short|medium|long)$/;
const DEPRECATED = /^\/experimental\/timeseries\/([^/]+)$/;
const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 2, 12, 12);

/** Sensors 1 to 9. */
function timeSeriesServer(has: { typed?: boolean; deprecated?: boolean }) {
  return (request: SeenRequest, response: ServerResponse): void => {
    const typed = has.typed ? TYPED.exec(request.path) : null;
    const deprecated = has.deprecated && request.query.has("from") ? DEPRECATED.exec(request.path) : null;
    const id = typed?.[1] ?? deprecated?.[1] ?? "";
    const rows = [
      ["time", `${id}.0`],
      ["2026-03-12T15:00:00Z", typed === null ? 2 : 1],
    ];
    if (/^[1-9]$/.test(id)) sendJson(response, rows);
    else sendError(response, 404, "NOT_FOUND");
  };
}

const ROW = { at: Date.UTC(2026, 2, 12, 15), values: [["0", 1]] };

describe("timeSeries", () => {
  test.each(["live", "short", "medium", "long"] as const)("requests the series %s of one sensor", async (type) => {
    const server = await startApiServer(timeSeriesServer({ typed: true }));
    const { api, recorded } = testClient(server.url);
    expect(await api.timeSeries("7", type, never)).toEqual({ rows: [ROW], gaps: [], skipped: 0 });
    expect(server.requests.map(({ url }) => url)).toEqual([`/experimental/timeseries/7/${type}`]);
    expect(recorded.codes).toEqual(["/experimental/timeseries/{id}/{type} 200"]);
  });

  test("returns the newest rows on request, in any order of the series", async () => {
    const rows = ["15:02", "15:00", "15:01"].map((minute) => [`2026-03-12T${minute}:00Z`, Number(minute.slice(3))]);
    const server = await startApiServer((_request, response) => sendJson(response, [["time", "7.0"], ...rows]));
    const { api } = testClient(server.url);
    const { rows: newest } = await api.timeSeries("7", "live", never, { newest: 2 });
    expect(newest.map(({ values }) => values)).toEqual([[["0", 1]], [["0", 2]]]);
    expect((await api.timeSeries("7", "live", never)).rows).toHaveLength(3);
  });

  test("counts only the values of the last attempt towards max_objects", async () => {
    const rows = Array.from({ length: 4_000 }, (_, minute) => [new Date(NOON + minute * 60_000).toISOString(), minute]);
    const text = JSON.stringify([["time", "7.0"], ...rows]);
    const server = await startApiServer((_request, response) => {
      if (server.requests.length > 1) return sendJson(response, JSON.parse(text));
      response.writeHead(200, { "content-type": "application/json", "content-length": String(text.length) });
      return response.write(text.slice(0, -2), () => response.destroy());
    });
    // A row has a time and a value.
    const { api, recorded } = testClient(server.url, { limits: { maxObjects: 2 * 4_001 } });
    expect((await api.timeSeries("7", "live", never)).rows).toHaveLength(4_000);
    expect(recorded.retried).toHaveLength(1);
  });

  test("escapes special characters in a path", async () => {
    const server = await startApiServer(timeSeriesServer({ typed: true }));
    await rejection(testClient(server.url).api.timeSeries("../7?x#", "live", never));
    expect(server.requests[0]?.url).toBe("/experimental/timeseries/..%2F7%3Fx%23/live");
  });

  test("counts undecodable records", async () => {
    const server = await startApiServer((_request, response) =>
      sendJson(response, [["time", "7.0"], ["2026-03-12T15:00:00Z", "n/a"], 5]),
    );
    const { api, recorded } = testClient(server.url);
    expect(await api.timeSeries("7", "live", never)).toEqual({ rows: [], gaps: [], skipped: 1 });
    expect(recorded.problems).toEqual(
      new Map([
        ["record", 1],
        ["value", 1],
      ]),
    );
  });

  test.each([
    { body: [{ datetime: "2026-03-12T15:00:00Z" }], why: "rows without a header" },
    { body: { rows: [] }, why: "no list" },
  ])("fails if the answer is $why", async ({ body }) => {
    const server = await startApiServer((_request, response) => sendJson(response, body));
    const { api } = testClient(server.url, { maxAttempts: 1 });
    expect(await rejection(api.timeSeries("7", "live", never))).toMatchObject({
      code: "API_NOT_JSON",
      endpoint: "/experimental/timeseries/{id}/{type}",
    });
  });

  test("fails with the server's error unless the series is missing", async () => {
    const server = await startApiServer((_request, response) => sendError(response, 403, "FORBIDDEN"));
    const { api } = testClient(server.url);
    expect(await rejection(api.timeSeries("7", "live", never))).toMatchObject({ code: "API_FORBIDDEN" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("newest rows of a long series", () => {
  const NEWEST = { newest: 5 };
  const minutes = Array.from({ length: 400 }, (_, minute) => minute);
  const rowOf = (minute: number) => [new Date(Date.UTC(2026, 2, 12) + minute * 60_000).toISOString(), minute];

  async function seriesServer(order: readonly number[], limits = {}) {
    const body = JSON.stringify([["time", "7.0"], ...order.map(rowOf)]);
    const server = await startApiServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(body);
    });
    const { api } = testClient(server.url, { maxAttempts: 1, limits });
    const values = async () => {
      const { rows } = await api.timeSeries("7", "live", never, NEWEST);
      return rows.flatMap(({ values: [channel] }) => channel?.[1]);
    };
    return { server, api, values };
  }

  test("are the last ones, and others count for no limit", async () => {
    const { server, api, values } = await seriesServer(minutes, { maxObjects: 100 });
    expect(await values()).toEqual([395, 396, 397, 398, 399]);
    expect(server.requests).toHaveLength(1);
    expect(await rejection(api.timeSeries("7", "live", never))).toMatchObject({ code: "API_LIST_TOO_LARGE" });
  });

  test.each([
    { order: "from the newest on", rows: minutes.toReversed() },
    { order: "from somewhere on", rows: [...minutes.slice(200), ...minutes.slice(0, 200)] },
  ])("are correct if a server sends all rows $order", async ({ rows }) => {
    const { server, values } = await seriesServer(rows, { maxObjects: 100 });
    expect(await values()).toEqual([395, 396, 397, 398, 399]);
    expect(server.requests).toHaveLength(1);
  });

  test("are missing if the end of the answer is broken", async () => {
    const { server, api } = await seriesServer(minutes);
    server.handle((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify([["time", "7.0"], ...minutes.map(rowOf)]).slice(0, -1));
    });
    expect(await rejection(api.timeSeries("7", "live", never, NEWEST))).toMatchObject({ code: "API_NOT_JSON" });
  });
});

describe("deprecated form of time series", () => {
  test.each([
    { type: "live", from: "2026-01-15T08:01:00Z" },
    { type: "short", from: "2026-01-13T12:01:00Z" },
    { type: "medium", from: "2025-11-16T12:01:00Z" },
    { type: "long", from: "2025-01-15T12:01:00Z" },
  ] as const)("requests the window of $type if the newer form is missing", async ({ type, from }) => {
    const clock = new ManualClock(Date.UTC(2026, 0, 15, 12));
    const answer = timeSeriesServer({ deprecated: true });
    const server = await startApiServer((request, response) => {
      response.setHeader("date", new Date(clock.now()).toUTCString());
      answer(request, response);
    });
    const { api, logText } = testClient(server.url, { clock });
    expect((await api.timeSeries("7", type, never)).rows).toMatchObject([{ values: [["0", 2]] }]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      `/experimental/timeseries/7/${type}`,
      `/experimental/timeseries/7?from=${from}`,
    ]);
    expect(logText()).toContain("endpoint missing: using its fallback");
  });

  test("counts its window from the server's clock", async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 15, 12));
    const answer = timeSeriesServer({ deprecated: true });
    const server = await startApiServer((request, response) => {
      response.setHeader("date", new Date(clock.now() + 2 * HOUR).toUTCString());
      answer(request, response);
    });
    const { api } = testClient(server.url, { clock });
    // A single answer may be wrong.
    for (let answers = 0; answers < 4; answers++) await api.timeSeries("7", "live", never);
    expect(server.requests.at(-1)?.query.get("from")).toBe("2026-01-15T10:01:00Z");
  });

  test.each([404, 405, 501])("replaces the newer form after %i", async (status) => {
    const answer = timeSeriesServer({ deprecated: true });
    const server = await startApiServer((request, response) => {
      if (TYPED.test(request.path)) sendError(response, status, "UNKNOWN");
      else answer(request, response);
    });
    expect((await testClient(server.url).api.timeSeries("7", "live", never)).rows).toHaveLength(1);
  });

  test("lasts an hour until another attempt with the newer form", async () => {
    const clock = new ManualClock();
    const has = { typed: false, deprecated: true };
    const server = await startApiServer(timeSeriesServer(has));
    const { api } = testClient(server.url, { clock });
    await api.timeSeries("1", "live", never);
    has.typed = true;
    await api.timeSeries("2", "live", never);
    await clock.advance(HOUR - 1);
    await api.timeSeries("3", "live", never);
    await clock.advance(1);
    await api.timeSeries("4", "live", never);
    await api.timeSeries("5", "live", never);
    expect(server.requests.map(({ path }) => path.replace("/experimental/timeseries/", ""))).toEqual([
      "1/live",
      "1",
      "2",
      "3",
      "4/live",
      "5/live",
    ]);
  });
});

describe("missing time series", () => {
  test("means a missing sensor while the endpoint works for others", async () => {
    const server = await startApiServer(timeSeriesServer({ typed: true, deprecated: true }));
    const { api } = testClient(server.url);
    await api.timeSeries("1", "live", never);
    const error = await rejection(api.timeSeries("deleted", "live", never));
    expect(error).toMatchObject({ code: "API_NOT_FOUND", httpStatus: 404, requestId: "request-1" });
    expect(error.message).toBe("the server has no time series of sensor deleted");
    expect(server.requests).toHaveLength(2);
    // Not the endpoint's fault.
    await api.timeSeries("2", "live", never);
    expect(server.requests.at(-1)?.path).toBe("/experimental/timeseries/2/live");
  });

  test("means a missing endpoint until one has answered", async () => {
    const has = { typed: false };
    const server = await startApiServer(timeSeriesServer(has));
    const { api } = testClient(server.url);
    const error = await rejection(api.timeSeries("1", "live", never));
    expect(error).toMatchObject({ code: "API_ENDPOINT_MISSING" });
    expect(error.message).toBe(
      "the server has no /experimental/timeseries/{id}/{type} and no /experimental/timeseries/{id}",
    );
    has.typed = true;
    expect((await api.timeSeries("1", "live", never)).rows).toHaveLength(1);
  });

  test("does not prevent concurrent reads from an existing endpoint", async () => {
    const server = await startApiServer(timeSeriesServer({ typed: true }));
    const { api } = testClient(server.url);
    const ids = ["deleted", "1", "gone", "2", "3"];
    const outcomes = await Promise.allSettled(ids.map((id) => api.timeSeries(id, "live", never)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
  });

  test("becomes a missing endpoint again later", async () => {
    const clock = new ManualClock();
    const has = { typed: true, deprecated: false };
    const server = await startApiServer(timeSeriesServer(has));
    const { api } = testClient(server.url, { clock });
    await api.timeSeries("1", "live", never);
    has.typed = false;
    has.deprecated = true;
    expect(await rejection(api.timeSeries("1", "live", never))).toMatchObject({ code: "API_NOT_FOUND" });
    await clock.advance(HOUR);
    expect((await api.timeSeries("1", "live", never)).rows).toHaveLength(1);
  });
});
