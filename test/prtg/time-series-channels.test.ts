import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { MonitoringApi } from "../../src/prtg/monitoring-api.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { type SeenRequest, sendError, sendJson, startApiServer } from "./support/api-server.ts";
import { rejection, testClient } from "./support/test-client.ts";

const HOUR = 3_600_000;

interface Server {
  readonly channels: readonly string[];
  /** Status for unknown channels. */
  readonly refusal: number;
  /** Omits unknown channels instead of an error. */
  readonly silent: boolean;
  readonly has: RegExp;
}

const BOTH = /^\/experimental\/timeseries\/([1-9]\d*)(\/live)?$/;

async function channelServer(more: Partial<Server> = {}) {
  const server: Server = { channels: ["0", "1", "2", "-4"], refusal: 404, silent: false, has: BOTH, ...more };
  const answer = ({ path, query }: SeenRequest, response: ServerResponse): void => {
    const id = server.has.exec(path)?.[1];
    const all = server.channels.map((channel) => `${id}.${channel}`);
    const asked = query.get("channels")?.split(",") ?? all;
    const columns = asked.filter((channel) => all.includes(channel));
    if (id === undefined) sendError(response, 404, "NOT_FOUND");
    else if (columns.length < asked.length && !server.silent) sendError(response, server.refusal, "UNKNOWN");
    else
      sendJson(response, [
        ["time", ...columns],
        ["2026-03-12T15:00:00Z", ...columns.map((_, index) => index)],
      ]);
  };
  const clock = new ManualClock(Date.UTC(2026, 2, 12, 16));
  const { url, requests } = await startApiServer(answer);
  const { api, logText } = testClient(url, { clock, maxAttempts: 1 });
  const asked = (): readonly (string | null)[] => requests.map(({ query }) => query.get("channels"));
  return { server, api, clock, requests, asked, logText };
}

async function emptyServer() {
  const { url, requests } = await startApiServer((_request, response) => sendJson(response, []));
  return { api: testClient(url).api, requests };
}

const columnsOf = async (api: MonitoringApi, sensorId: string, channels?: readonly string[]) =>
  (await api.timeSeries(sensorId, "live", never, { channelIds: channels })).rows[0]?.values.map(
    ([channelId]) => channelId,
  );

describe("time series of selected channels", () => {
  test("starts once the endpoint has answered", async () => {
    const { api, requests } = await channelServer();
    expect(await columnsOf(api, "7", ["1", "-4"])).toEqual(["0", "1", "2", "-4"]);
    expect(await columnsOf(api, "7", ["1", "-4"])).toEqual(["1", "-4"]);
    expect(await columnsOf(api, "7")).toEqual(["0", "1", "2", "-4"]);
    expect(requests.map(({ url }) => url)).toEqual([
      "/experimental/timeseries/7/live",
      "/experimental/timeseries/7/live?channels=7.1,7.-4",
      "/experimental/timeseries/7/live",
    ]);
  });

  test("works with the deprecated endpoint", async () => {
    const { api, requests } = await channelServer({ has: /^\/experimental\/timeseries\/([1-9])$/ });
    await columnsOf(api, "7", ["1"]);
    expect(await columnsOf(api, "7", ["1"])).toEqual(["1"]);
    expect(requests.at(-1)?.url).toBe("/experimental/timeseries/7?from=2026-03-12T12:01:00Z&channels=7.1");
  });
});

describe("server with an unknown channel", () => {
  test.each([
    { says: "404", more: { refusal: 404 } },
    { says: "400", more: { refusal: 400 } },
    { says: "414", more: { refusal: 414 } },
    { says: "nothing, and leaves it out", more: { silent: true } },
  ])("gets one request for all channels until the selection changes if it answers $says", async ({ more }) => {
    const { api, server, asked } = await channelServer(more);
    await columnsOf(api, "1");
    expect(await columnsOf(api, "7", ["1", "9"])).toEqual(server.channels);
    expect(await columnsOf(api, "7", ["1", "9"])).toEqual(server.channels);
    expect(asked()).toEqual([null, "7.1,7.9", null, null]);
    // Lists now show others.
    expect(await columnsOf(api, "7", ["1"])).toEqual(["1"]);
    expect(await columnsOf(api, "8", ["2"])).toEqual(["2"]);
    expect(asked().slice(4)).toEqual(["7.1", "8.2"]);
  });

  test("reports a deleted sensor only if all channels fail", async () => {
    const { api, asked } = await channelServer();
    await columnsOf(api, "1");
    expect(await rejection(api.timeSeries("0", "live", never, { channelIds: ["1"] }))).toMatchObject({
      code: "API_NOT_FOUND",
      message: "the server has no time series of sensor 0",
    });
    expect(asked()).toEqual([null, "0.1", null]);
    // Other sensors have the endpoint and the parameter.
    expect(await columnsOf(api, "7", ["1"])).toEqual(["1"]);
  });

  test.each([403, 500])("gets a request for all channels next time after %i", async (refusal) => {
    const { api, asked } = await channelServer({ refusal });
    await columnsOf(api, "1");
    await rejection(api.timeSeries("7", "live", never, { channelIds: ["9"] }));
    expect(asked()).toEqual([null, "7.9"]);
    expect(await columnsOf(api, "7", ["9"])).toHaveLength(4);
  });

  test("gets a request for the same channels after an outage", async () => {
    const { api, asked } = await channelServer({ refusal: 503 });
    await columnsOf(api, "1");
    await rejection(api.timeSeries("7", "live", never, { channelIds: ["9"] }));
    await rejection(api.timeSeries("7", "live", never, { channelIds: ["9"] }));
    expect(asked()).toEqual([null, "7.9", "7.9"]);
  });

  test("gets no selections for an hour after three refusals in a row", async () => {
    const { api, clock, asked, logText } = await channelServer();
    await columnsOf(api, "1");
    for (const sensor of ["2", "3"]) await columnsOf(api, sensor, ["9"]);
    await columnsOf(api, "4", ["0"]);
    for (const sensor of ["5", "6", "7"]) await columnsOf(api, sensor, ["9"]);
    expect(logText()).toContain("reading time series with all channels");
    expect(asked()).toEqual([null, "2.9", null, "3.9", null, "4.0", "5.9", null, "6.9", null, "7.9", null]);
    const before = asked().length;
    expect(await columnsOf(api, "8", ["0"])).toHaveLength(4);
    expect(asked().slice(before)).toEqual([null]);
    await clock.advance(HOUR);
    await columnsOf(api, "1");
    expect(await columnsOf(api, "8", ["0"])).toEqual(["0"]);
  });
});

test("sensors without scans do not count as refusals", async () => {
  const { api, requests } = await emptyServer();
  for (const sensor of ["1", "2", "3", "4", "5"]) await api.timeSeries(sensor, "live", never, { channelIds: ["0"] });
  expect(requests.map(({ query }) => query.get("channels"))).toEqual([
    null,
    ...["2.0", null, "3.0", null, "4.0", null, "5.0", null],
  ]);
});
