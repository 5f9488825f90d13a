import { expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { READING_ORDER, type Section } from "../../../src/prtg/node-record.ts";
import { CLOCK_START } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { sendError, sendJson, startApiServer } from "../support/api-server.ts";
import { testClient } from "../support/test-client.ts";

test.each(["live", "specification"] as const)(
  "the list of all objects replaces each other list, %s",
  async (spelling) => {
    const clock = { ...systemClock, now: () => CLOCK_START };
    const { url, faults } = await simulateServer({ spelling, clock });
    const auth = { kind: "api_key", key: async () => CREDENTIALS.apiKey } as const;
    const { api, recorded } = testClient(url, { auth });
    const options = { sections: new Set<Section>(["intervalgroup", "sensor_status_summary", "alerting"]) };
    const read = async () => {
      const nodes = await Promise.all(READING_ORDER.map((kind) => api.nodes(kind, options, never)));
      const { items } = await api.channels(options, never);
      return [...nodes.flatMap(({ items: found }) => found), ...items];
    };
    const before = await read();
    const gone = [...READING_ORDER, "channel"].flatMap((kind) => [
      `missing@/experimental/${kind}s*`,
      `missing@/${kind}s*`,
    ]);
    faults.set(gone);
    expect(await read()).toEqual(before);
    expect(recorded.problems).toEqual(new Map());
  },
);

test("the filter has the kind, and the client removes other kinds if the server ignores it", async () => {
  const server = await startApiServer((request, response) => {
    if (request.path !== "/experimental/objects") return sendError(response, 404, "NOT_FOUND");
    sendJson(response, [
      { id: "1", name: "Probe", type: "PROBE", status: "UP" },
      { id: "2", name: "Ping", type: "SENSOR", status: "UP" },
      { id: "3", name: "Load", type: "sensor", status: "UP" },
    ]);
  });
  const { api, recorded } = testClient(server.url);
  const { items } = await api.nodes("sensor", { filter: 'name = "x" or name = "y"' }, never);
  expect(items.map(({ id }) => id)).toEqual(["2", "3"]);
  expect(server.requests.at(-1)?.query.get("filter")).toBe('type = sensor and (name = "x" or name = "y")');
  expect(recorded.problems).toEqual(new Map([["record", 1]]));
});

test.each(["live", "specification"] as const)(
  "one list of all objects equals the lists of each kind, %s",
  async (spelling) => {
    const { url } = await simulateServer({ spelling, clock: { ...systemClock, now: () => CLOCK_START } });
    const auth = { kind: "api_key", key: async () => CREDENTIALS.apiKey } as const;
    const { api, recorded } = testClient(url, { auth });
    const options = { sections: new Set<Section>(["intervalgroup", "sensor_status_summary"]) };
    const each = await Promise.all(READING_ORDER.map((kind) => api.nodes(kind, options, never)));
    const all = await api.allNodes(options, never);
    const byId = (a: { readonly id: string }, b: { readonly id: string }) => Number(a.id) - Number(b.id);
    expect(all?.items.toSorted(byId)).toEqual(each.flatMap(({ items }) => items).toSorted(byId));
    expect(all).toMatchObject({ complete: true, skipped: 0 });
    expect(recorded.problems).toEqual(new Map());
  },
);
