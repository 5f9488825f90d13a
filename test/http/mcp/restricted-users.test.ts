import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MCP_TOOLS } from "../../../src/telemetry/metric-declarations.ts";
import { fakeServers } from "../../support/fake-status-source.ts";
import { type McpServer, startMcpServer } from "./support/mcp-server.ts";

/** The hostile reader owns one server. Another customer owns the other. */
const OWN = "customer 50";
const OTHER = "customer 30";
const GONE = "customer 9999";
const SECRET_WORDS = "their secret error";

/** `%` is the name of a server. */
const CALLS: readonly (readonly [name: (typeof MCP_TOOLS)[number], args: object])[] = [
  ["list_servers", { find: "%" }],
  ["list_outages", { server: "%" }],
  ["find_objects", { server: "%" }],
  ["find_objects", { server: "%", text: "ping" }],
  ["get_object", { server: "%", id: "100" }],
  ["get_object", { server: "%", id: "0" }],
  ["get_changes", { server: "%" }],
  ["get_history", { server: "%", id: "100" }],
  ["get_history", { server: "%", id: "100.1" }],
  ["explain_series", { server: "%", id: "100" }],
  ["explain_series", { series: 'prtg_channel_value{server="%",sensor_id="100",channel_id="1"}' }],
];

let customer: McpServer;
let operator: McpServer;
let work: ReturnType<typeof fakeServers>["work"];

beforeAll(async () => {
  const fake = fakeServers(60, { saidBy: (name) => (name === OWN ? "own words" : SECRET_WORDS) });
  work = fake.work;
  customer = await startMcpServer(fake.of([OWN, "gone"]));
  operator = await startMcpServer(fake.source);
});

afterAll(() => Promise.all([customer.close(), operator.close()]));

/** The whole result as text, without times. */
async function answer(mcp: McpServer, name: string, args: object, server: string): Promise<string> {
  const named = JSON.parse(JSON.stringify(args).replaceAll("%", server)) as object;
  const result = JSON.stringify(await mcp.callTool(name, named));
  return result.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replaceAll(server, "SERVER");
}

describe("a user who sees only some servers", () => {
  it("is tested with each tool", () => {
    expect(new Set(CALLS.map(([name]) => name))).toEqual(new Set(MCP_TOOLS));
  });

  it.each(CALLS)("gets the same from %s %o about another customer's server as about none", async (name, args) => {
    const other = await answer(customer, name, args, OTHER);
    expect(other).toBe(await answer(customer, name, args, GONE));
    expect(other).not.toContain(SECRET_WORDS);
    expect(other).not.toMatch(/customer (?!50)\d/);
  });

  it.each([
    ["list_servers", {}],
    ["list_outages", {}],
    ["find_objects", {}],
    ["find_objects", { text: "customer" }],
    ["get_object", { id: "100" }],
    ["get_object", { id: "nothing" }],
    ["get_changes", {}],
    ["get_history", { id: "100" }],
    ["explain_series", { id: "100" }],
  ])("gets only the own servers from %s %o", async (name, args) => {
    work.detailed.clear();
    work.drawn.clear();
    const own = await answer(customer, name, args, "SERVER");
    expect(own).not.toContain(SECRET_WORDS);
    expect(own).not.toMatch(/customer (?!50)\d/);
    expect([...work.detailed, ...work.drawn].filter((server) => server !== OWN)).toEqual([]);
  });

  it("differs from a user who sees all", async () => {
    expect(await answer(operator, "list_servers", {}, "SERVER")).toContain(SECRET_WORDS);
    expect(await answer(customer, "list_servers", {}, OWN)).toContain("own words");
    expect(await answer(customer, "get_object", { id: "100" }, OWN)).toContain("SERVER");
  });
});
