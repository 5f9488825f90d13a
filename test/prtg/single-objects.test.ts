import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { type ChannelRecord, READING_ORDER } from "../../src/prtg/records.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { sendError, sendJson, startApiServer } from "./support/api-server.ts";
import { never, rejection, testClient } from "./support/test-client.ts";

/** So that nothing is measured between two answers. */
function stoppedClock(): Clock {
  const now = Date.now();
  return { ...systemClock, now: () => now };
}

describe.each(["live", "specification"] as const)("of a server in the spelling %s", (spelling) => {
  async function client() {
    const { url } = await simulateServer({ spelling, clock: stoppedClock() });
    return testClient(url, { auth: { kind: "api_key", key: async () => CREDENTIALS.apiKey } });
  }

  test.each(READING_ORDER)("a single %s is what its list shows", async (kind) => {
    const { api, recorded } = await client();
    const options = { interval: true, statusSummary: true };
    const { items } = await api.nodes(kind, options, never);
    for (const item of items) {
      expect(item).toMatchObject(await api.node(kind, item.id, options, never));
    }
    expect(items.length).toBeGreaterThan(0);
    expect(recorded.problems).toEqual(new Map());
  });

  test("a sensor's data has the values of its channels, and single channels have their units, too", async () => {
    const { api, recorded } = await client();
    const sensors = await api.nodes("sensor", {}, never);
    const channels = (await api.channels({}, never)).items.map((each) => ({ ...each }));
    let read = 0;
    for (const { id } of sensors.items) {
      const listed = channels.filter(({ sensorId, measuredAt }) => sensorId === id && measuredAt !== undefined);
      const data = (await api.sensorChannels(id, never)).filter(({ measuredAt }) => measuredAt !== undefined);
      const measured = listed.map(({ channelId, name, value }) => ({ sensorId: id, channelId, name, value }));
      expect(data).toMatchObject(measured);
      read += data.length;
    }
    expect(read).toBeGreaterThan(50);
    for (const channel of channels.slice(0, 20)) {
      const { sensorId, channelId, name, unit } = channel;
      expect(await api.channel(sensorId, channelId, {}, never)).toMatchObject({ name, unit, limits: undefined });
    }
    expect(recorded.problems).toEqual(new Map());
  });

  test("a single channel has the limits and the lookup that its list shows, where they are asked for", async () => {
    const { api, recorded } = await client();
    const asked = { limits: true, lookups: true };
    const listed = (await api.channels(asked, never)).items.map((each) => ({ ...each }));
    const isLimited = ({ limits }: ChannelRecord) => Object.keys(limits ?? {}).length > 0;
    const hasLookup = ({ lookup }: ChannelRecord) => (lookup ?? "") !== "";
    for (const some of [
      listed.filter(isLimited),
      listed.filter(hasLookup),
      listed.filter((each) => !isLimited(each)),
    ]) {
      expect(some.length).toBeGreaterThan(0);
      for (const { sensorId, channelId, limits, lookup } of some.slice(0, 10)) {
        const single = await api.channel(sensorId, channelId, asked, never);
        expect({ limits: single.limits, lookup: single.lookup }).toEqual({ limits, lookup });
      }
    }
    expect(recorded.problems).toEqual(new Map());
  });

  test("what is not there is not found, object or endpoint", async () => {
    const { api } = await client();
    for (const asked of [
      api.node("device", "999999", {}, never),
      api.channel("999999", "0", {}, never),
      api.sensorChannels("999999", never),
    ]) {
      expect(await rejection(asked)).toMatchObject({ code: "API_NOT_FOUND", httpStatus: 404 });
    }
  });
});

test("what a server refuses to include is left out of the next requests", async () => {
  const sensor = { id: "7", name: "Ping", status: "UP" };
  const server = await startApiServer(({ query }, response) => {
    if (query.has("include")) sendError(response, 400, "BAD_REQUEST");
    else sendJson(response, sensor);
  });
  const { api } = testClient(server.url);
  for (let reading = 0; reading < 2; reading++) {
    expect(await api.node("sensor", "7", { interval: true }, never)).toMatchObject({ id: "7", status: "up" });
  }
  expect(server.requests.map(({ url }) => url)).toEqual([
    "/sensors/7?include=intervalgroup",
    ...["/sensors/7", "/sensors/7?include=intervalgroup"],
    ...["/sensors/7", "/sensors/7"],
  ]);
});

test.each([{ id: "8", status: "UP" }, {}, [], "text", null])(
  "an answer about something else is none: %j",
  async (json) => {
    const server = await startApiServer((_request, response) => sendJson(response, json));
    const { api } = testClient(server.url);
    expect(await rejection(api.node("sensor", "7", {}, never))).toMatchObject({ code: "API_NOT_JSON" });
    expect(await rejection(api.channel("7", "0", {}, never))).toMatchObject({ code: "API_NOT_JSON" });
  },
);

test("a sensor that was never scanned has no channels yet", async () => {
  const server = await startApiServer((_request, response) => sendError(response, 400, "WRONG_NODE_STATUS"));
  expect(await testClient(server.url).api.sensorChannels("7", never)).toEqual([]);
});

test.each([
  { what: "beside the channel", record: { channel: { id: "7.1", name: "Load" }, display_value: 5 }, unit: "" },
  {
    what: "nested",
    record: { channel: { id: "7.1", name: "Load" }, last_measurement: { display_value: 5 } },
    unit: "",
  },
  { what: "with a unit", record: { channel: { id: 1, name: "Load" }, unit: "%", display_value: 5 }, unit: "%" },
  {
    what: "below its id",
    record: { channel_id: "7.1", name: "Load", unit: { display_unit: "%" }, display_value: 5 },
    unit: "%",
  },
])("a measurement is understood $what", async ({ record, unit }) => {
  const server = await startApiServer((_request, response) => sendJson(response, [record]));
  const channels = await testClient(server.url).api.sensorChannels("7", never);
  expect(channels).toMatchObject([{ sensorId: "7", channelId: "1", name: "Load", unit, value: 5 }]);
});
