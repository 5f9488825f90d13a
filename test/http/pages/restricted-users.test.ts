import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Shard } from "../../../src/exposition/representation.ts";
import { createRoutes, tenantRoutes } from "../../../src/http/pages/routes.ts";
import { startWebServer, type WebServer } from "../../../src/http/server/connection-handler.ts";
import { fakeServers } from "../../support/fake-status-source.ts";

/** Another user may see `globex`. The configuration has no server `gone`. */
const VISIBLE = ["acme", "gone"];
const SERVERS = ["acme", "globex"];
/** Each answers users who may see everything. */
const OTHER_PATHS = [
  ...["/", "/tree?server=globex", "/search?q=a", "/status.json", "/debug/runs", "/sd", "/-/healthy", "/-/ready"],
  ...["/-/reload", "/nothing", "/metricsx", "/-/reload/../metrics/globex"],
];

let visible: readonly string[] = VISIBLE;
let web: WebServer;
const asked: Shard[] = [];

beforeAll(async () => {
  const exposition = {
    streamedPage: async (_format: unknown, _encoding: unknown, part: Shard) => {
      asked.push(part);
      return { beginning: [], end: async () => [] };
    },
  };
  const report = async () => ({ status: 200 as const, sections: [{ title: "globex" }], json: {} });
  const options = { telemetryPath: "/metrics", exposition, served: () => undefined };
  const metrics = { ...options, hasServer: (name: string) => SERVERS.includes(name) };
  web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "silent" }),
    routes: createRoutes({
      ...{ ...metrics, isReady: () => true, status: fakeServers(1).source },
      debug: { explain: report, cardinality: report, runs: report },
    }),
    actions: new Map([["/-/reload", (_request, response) => void response.end("Reloaded.\n")]]),
    restricted: () => (visible.length === 0 ? new Map() : tenantRoutes(metrics, visible, undefined)),
  });
});

afterAll(() => web.close(0));

async function answer(path: string, method = "GET") {
  asked.length = 0;
  const response = await fetch(`${web.urls[0]}${path}`, { method, headers: { "accept-encoding": "identity" } });
  return { status: response.status, text: await response.text() };
}

test.each([
  ["/metrics", { servers: ["acme"] }],
  ["/metrics/acme", { servers: ["acme"] }],
  ["/metrics?server=acme", { servers: ["acme"] }],
  ["/metrics?shard=0/2", { index: 0, count: 2, servers: ["acme"] }],
  ["/metrics/acme?shard=1/2", { index: 1, count: 2, servers: ["acme"] }],
])("a restricted user gets only visible servers from %s", async (path, part) => {
  expect((await answer(path)).status).toBe(200);
  expect(asked).toMatchObject([part]);
});

test.each(["/metrics/globex", "/metrics?server=globex", "/metrics?server=acme&server=globex", "/metrics/never"])(
  "a restricted user gets 403 for %s, whether the server exists or not",
  async (path) => {
    expect(await answer(path)).toEqual({
      ...{ status: 403, text: "This user has no access to the metrics of this server.\n" },
    });
    expect(asked).toEqual([]);
  },
);

test("a restricted user gets 404 for a visible server that the configuration lacks", async () => {
  expect((await answer("/metrics/gone")).status).toBe(404);
});

test.each(OTHER_PATHS)("a restricted user gets 403 for %s with any method", async (path) => {
  for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
    const { status, text } = await answer(path, method);
    expect([method, status]).toEqual([method, 403]);
    expect(text).not.toMatch(/globex|acme/);
  }
});

test("a user who may see no server gets 403 everywhere", async () => {
  visible = [];
  for (const path of ["/metrics", "/metrics/acme", ...OTHER_PATHS]) {
    expect([path, (await answer(path)).status]).toEqual([path, 403]);
  }
  visible = VISIBLE;
});
