import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVERS_A_PAGE } from "../../../src/app/reports/server-list.ts";
import { StatusReport } from "../../../src/http/pages/status/report.ts";
import type { WebServer } from "../../../src/http/server/connection-handler.ts";
import { STATUS_TOKENS } from "../../../src/prtg/status.ts";
import { startPageServer } from "../../http/support/page-server.ts";
import { type FakeServers, fakeServers } from "../../support/fake-status-source.ts";

const MAX_BYTES = 100_000;

let many: FakeServers;
let web: WebServer;
let url: string;

beforeAll(async () => {
  // Until all of it is visible.
  many = fakeServers(500, { said: `<"&'> ${"the server's words ".repeat(20)}` });
  ({ web, url } = await startPageServer({ status: many.source }));
});

afterAll(() => web.close(0));

async function workOf(path: string, servers: FakeServers = many, base = url) {
  servers.work.nodes = 0;
  servers.work.detailed.clear();
  servers.work.drawn.clear();
  const response = await fetch(base + path, { headers: { "Accept-Encoding": "identity" } });
  const text = await response.text();
  const { nodes, detailed, drawn } = servers.work;
  return { status: response.status, text, bytes: Buffer.byteLength(text), nodes, detailed, drawn };
}

describe("pages with 500 servers", () => {
  test.each(["/", "/?page=10", "/?find=customer", "/status.json", "/status.json?page=3"])(
    "%s reads only the shown servers, and trees only for the worst problems",
    async (path) => {
      const { status, nodes, detailed, drawn, bytes } = await workOf(path);
      // 57 servers have sensors that are down, which fill the list of problems.
      expect([status, nodes, [...detailed]]).toEqual([200, 57 * 22, []]);
      expect(drawn.size).toBe(path.startsWith("/status.json") ? 0 : SERVERS_A_PAGE);
      expect(bytes).toBeLessThan(MAX_BYTES);
      expect(bytes).toBeGreaterThan(10_000);
    },
  );

  test("the page of a server has the same cost as with a single server", async () => {
    const few = fakeServers(2);
    const alone = await startPageServer({ status: few.source });
    try {
      const path = "/tree?server=customer+2";
      const expected = await workOf(path, few, alone.url);
      const { nodes, detailed, drawn } = await workOf(path);
      expect(nodes).toBe(expected.nodes);
      expect(nodes).toBeGreaterThan(0);
      expect([[...detailed], [...drawn]]).toEqual([["customer 2"], ["customer 2"]]);
    } finally {
      await alone.web.close(0);
    }
  });

  test("a search covers the objects of all servers", async () => {
    const { text, nodes } = await workOf("/search?q=ping+15&status=");
    expect(nodes).toBeGreaterThanOrEqual(500 * 22);
    expect(text).toContain("500 objects for");
  });

  test("the list has every server on one page, the worst first", async () => {
    const seen: string[] = [];
    const states: string[] = [];
    for (let page = 1; page <= 20; page++) {
      const report = StatusReport.parse(await many.source.status({ find: "", page, view: "grouped" }));
      expect(report.page).toEqual({ number: page, pages: 20, from: (page - 1) * 25, matching: 500 });
      expect(report.servers.every(({ collectors }) => collectors === undefined)).toBe(true);
      seen.push(...report.servers.map(({ name }) => name));
      states.push(...report.servers.map(({ state }) => state));
    }
    expect(new Set(seen).size).toBe(500);
    expect(states.slice(0, 10)).toEqual([...Array(5).fill("unreachable"), ...Array(5).fill("failing")]);
    expect(seen.slice(0, 2)).toEqual(["customer 300", "customer 100"]);
    const beyond = await many.source.status({ find: "", page: 21, view: "grouped" });
    expect(beyond?.page.number).toBe(20);
  });

  test("totals cover all servers on any page", async () => {
    const all = await many.source.status();
    expect(all?.totals).toMatchObject({
      servers: 500,
      servers_by_state: { unreachable: 5, failing: 5 },
      objects: { probe: 500, device: 500, sensor: 10_000, channel: 30_000 },
    });
    const byStatus = Object.values(all?.totals.sensors_by_status ?? {});
    expect(byStatus.reduce((sum, count) => sum + count, 0)).toBe(10_000);
    expect((await many.source.status({ find: "nowhere", page: 1, view: "grouped" }))?.totals).toEqual(all?.totals);
  });

  test("a search finds servers by words of their names", async () => {
    const found = async (find: string) => {
      const report = await many.source.status({ find, page: 1, view: "grouped" });
      return [report?.page.matching, report?.servers[0]?.name];
    };
    expect(await found("CUSTOMER 123")).toEqual([1, "customer 123"]);
    expect(await found("49 cust")).toEqual([15, "customer 49"]);
    expect(await found("nowhere")).toEqual([0, undefined]);
  });

  test("a request for one server returns its details from any page", async () => {
    const { text, detailed } = await workOf("/status.json?server=customer+321");
    const [server] = StatusReport.parse(JSON.parse(text)).servers;
    expect([...detailed]).toEqual(["customer 321"]);
    expect(server).toMatchObject({ name: "customer 321", state: "working", api: { requests: 1 } });
    expect(server?.collectors).toHaveLength(6);
    expect((await workOf("/status.json?server=customer+501")).status).toBe(404);
    expect((await workOf("/tree?server=customer+501")).status).toBe(404);
  });
});

test.each([
  { servers: 100, field: "select", absent: "input" },
  { servers: 101, field: "input", absent: "select" },
])("a search of $servers servers has the field $field for the server", async ({ servers, field, absent }) => {
  const some = fakeServers(servers);
  const { url, web } = await startPageServer({ status: some.source });
  try {
    const { text } = await workOf("/search?q=ping", some, url);
    expect(text).toContain(`<${field} name="server"`);
    expect(text).not.toContain(`<${absent} name="server"`);
  } finally {
    await web.close(0);
  }
});

test("the largest page stays below 100 kB with long errors and sensors in every status", async () => {
  const counts = new Map(STATUS_TOKENS.map((token) => [token, 12_345]));
  const worst = fakeServers(500, { said: "'&".repeat(200), isWorst: true, counts });
  const all = await startPageServer({ status: worst.source });
  try {
    for (const path of ["/", "/?page=10", "/status.json"]) {
      expect((await workOf(path, worst, all.url)).bytes, path).toBeLessThan(MAX_BYTES);
    }
  } finally {
    await all.web.close(0);
  }
});

test("a single server shows its details and its tree immediately", async () => {
  const single = fakeServers(1);
  const alone = await startPageServer({ status: single.source });
  try {
    const { text, detailed } = await workOf("/", single, alone.url);
    expect([...detailed]).toEqual(["customer 1"]);
    for (const part of ["Collectors", "Endpoints", "Local probe", 'id="exporter"']) expect(text).toContain(part);
    const [server] = (await single.source.status())?.servers ?? [];
    expect(server?.collectors).toHaveLength(6);
  } finally {
    await alone.web.close(0);
  }
});
