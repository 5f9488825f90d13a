import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../../../src/http/mcp/tools.ts";
import { CLOCK_START } from "../../support/manual-clock.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../../support/simulated-exporter.ts";
import { dataOf, type McpServer, startMcpServer, textOf } from "./support/mcp-server.ts";

const MINUTE = 60_000;
const PAGES = "https://exporter.example.com/prtg";

let exporter: SimulatedExporter;
let mcp: McpServer;
/** A sensor that is down since ten minutes. */
let downId: string;
let deviceId: string;

beforeAll(async () => {
  exporter = await startSimulatedExporter({
    size: { sensors: 60 },
    settings: "web: { external_url: https://exporter.example.com/prtg, mcp: true }",
  });
  const { world } = exporter.simulator;
  const at = exporter.clock.now();
  const [first, ...others] = world.list("sensor");
  if (first === undefined) throw new Error("a world without sensors");
  for (const { id } of others) world.force(id, "up", at - 30 * MINUTE);
  world.rename(first.id, "Ping of the tests");
  world.addIncident(first.id, {
    ...{ start: at - 10 * MINUTE, lengthMs: 60 * MINUTE, everyMs: 120 * MINUTE, times: 1 },
    effect: { kind: "status", status: "down", message: "Request timed out" },
  });
  [downId, deviceId] = [first.id, first.parent?.id ?? ""];
  await exporter.poll();
  mcp = await startMcpServer(exporter.exporter.status, { externalUrl: () => PAGES });
});

afterAll(async () => {
  await mcp.close();
  await exporter.close();
});

/** Result, and the number of requests to PRTG. */
async function ask(name: string, args: object = {}) {
  const { requests } = exporter.simulator;
  const before = requests.count();
  const result = await mcp.callTool(name, args);
  return { result, data: result.structuredContent as never, requests: requests.count() - before };
}

describe("tools", () => {
  it("have output schemas, untrusted keys in their descriptions, and hints that they only read", async () => {
    const { result } = await mcp.send("tools/list");
    const { tools } = result as { readonly tools: readonly Record<string, unknown>[] };
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { description, outputSchema, annotations } of tools) {
      expect(description).toMatch(/untrusted/);
      expect(outputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(annotations).toEqual({
        ...{ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      });
    }
  });

  it.each([
    ["list_servers", {}],
    ["list_outages", {}],
    ["find_objects", { text: "ping of the tests" }],
    ["get_object", { id: "SENSOR" }],
    ["get_changes", { minutes: 240 }],
    ["explain_series", { id: "SENSOR" }],
  ])("%s sends no request to PRTG, and its text has the same data", async (name, args) => {
    const { result, data, requests } = await ask(name, "id" in args ? { ...args, id: downId } : args);
    expect(requests).toBe(0);
    expect(result.isError).toBeUndefined();
    expect(dataOf(result)).toEqual(data);
    expect(data).toMatchObject({ as_of: expect.stringMatching(/^2/), age_seconds: expect.any(Number) });
    expect(mcp.called.at(-1)).toBe(`${name} ok`);
  });
});

describe("list_servers", () => {
  it("returns state, statuses and the page of each server", async () => {
    const { data } = await ask("list_servers");
    expect(data).toMatchObject({
      ...{ total: 1, next_from: null },
      servers: [
        {
          ...{ name: "hq", state: "working", up: true, sensors: 60, sensors_by_status: { down: 1, up: 59 } },
          ...{ page_url: `${PAGES}/tree?server=hq`, age_seconds: expect.any(Number) },
        },
      ],
    });
  });

  it("finds servers by words of their names, and none beyond the end", async () => {
    expect((await ask("list_servers", { find: "else" })).data).toMatchObject({ total: 0, servers: [] });
    expect((await ask("list_servers", { from: 1 })).data).toMatchObject({ total: 1, servers: [], next_from: null });
  });
});

describe("list_outages", () => {
  it("returns the sensor that is down, with message and links", async () => {
    const { data, result } = await ask("list_outages", { server: "hq" });
    expect(data).toMatchObject({
      ...{ outages_total: 0, problems_total: 1, sensors_by_status: { down: 1, up: 59 } },
      problems: [
        {
          ...{ id: downId, kind: "sensor", status: "down" },
          untrusted: { name: "Ping of the tests", message: "Request timed out" },
          page_url: `${PAGES}/tree?server=hq&id=${downId}`,
        },
      ],
    });
    expect(textOf(result)).toMatch(/^0 of 0 outages, and 1 single problems\./);
  });

  it("names the known servers if the server is unknown", async () => {
    const { result, requests } = await ask("list_outages", { server: "dc" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^There is an unknown server "dc"\./);
    expect(dataOf(result)).toEqual({ known: ["hq"] });
    expect(requests).toBe(0);
    expect(mcp.called.at(-1)).toBe("list_outages refused");
  });
});

describe("find_objects", () => {
  it("finds by words, status and tag together", async () => {
    const { data } = await ask("find_objects", { text: "tests", status: ["down"], server: "hq" });
    expect(data).toMatchObject({ total: 1, objects: [{ id: downId }] });
    expect((await ask("find_objects", { text: "tests", status: ["up"] })).data).toMatchObject({ total: 0 });
    expect((await ask("find_objects", { tag: "no such tag" })).data).toMatchObject({ total: 0 });
  });

  it("returns the whole list in parts", async () => {
    const ids: string[] = [];
    let from: number | null = 0;
    while (from !== null) {
      const { data } = await ask("find_objects", { status: ["up", "down"], from });
      const part: { next_from: number | null; objects: { id: string }[] } = data;
      ids.push(...part.objects.map(({ id }) => id));
      from = part.next_from;
    }
    expect(new Set(ids).size).toBe(60);
    expect(ids.length).toBe(60);
  });
});

describe("get_object", () => {
  it("returns a sensor with its channels and limits", async () => {
    const { data } = await ask("get_object", { id: downId, server: "hq" });
    expect(data).toMatchObject({
      object: { id: downId, status: "down", untrusted: { message: "Request timed out" } },
      parent: { id: deviceId, kind: "device" },
      ...{ sensor: { interval_seconds: expect.any(Number) }, children: [], next_from: null },
    });
    const { channels, channels_total }: { channels: object[]; channels_total: number } = data;
    expect(channels).toHaveLength(channels_total);
    expect(channels[0]).toMatchObject({ channel_id: expect.any(String), limits: {}, untrusted: {} });
  });

  it("returns a device with its sensors, and the root of a server", async () => {
    const device = await ask("get_object", { id: deviceId });
    expect(device.data).toMatchObject({ object: { kind: "device" }, sensor: null, channels: [] });
    expect(device.data).toHaveProperty("children.0.id", downId);
    const root = await ask("get_object", { id: "0", server: "hq" });
    expect(root.data).toMatchObject({ object: { kind: "root", page_url: `${PAGES}/tree?server=hq` }, parent: null });
  });

  it("takes an ID as a number, as some models write it", async () => {
    const { data } = await ask("get_object", { id: Number(downId) });
    expect(data).toMatchObject({ object: { id: downId } });
  });

  it("names the nearest objects if the ID is a name", async () => {
    const { result } = await ask("get_object", { id: "Ping of the tests" });
    expect(textOf(result)).toMatch(/^No object has the ID "Ping of the tests"\. These objects contain the text\./);
    expect(dataOf(result)).toMatchObject({ nearest: [{ id: downId, untrusted: { name: "Ping of the tests" } }] });
    const unknown = await ask("get_object", { id: "99999", server: "hq" });
    expect(textOf(unknown.result)).toMatch(/on the server "hq"\. Search for its name with find_objects\.$/);
  });
});

describe("get_changes", () => {
  it("returns changes since the first poll", async () => {
    const { world } = exporter.simulator;
    const renamed = world.list("device").at(-1)?.id ?? "";
    world.rename(renamed, "Router of the tests");
    await exporter.poll();
    const { data } = await ask("get_changes", { server: "hq" });
    expect(data).toMatchObject({
      known_since: expect.stringMatching(/^2/),
      changed: { renamed: 1 },
      changes: [
        { change: "renamed", object: { id: renamed, exists: true }, untrusted: { name: "Router of the tests" } },
      ],
      page_url: `${PAGES}/changes?server=hq`,
    });
  });
});

describe("get_history", () => {
  it("sends one request for a sensor, and none for the same sensor within a minute", async () => {
    const [, sensor] = exporter.simulator.world.list("sensor");
    const { id } = sensor ?? { id: "" };
    const first = await ask("get_history", { id });
    expect(first.requests).toBe(1);
    const {
      channels,
      from,
      to,
    }: { channels: { channel_id: string; points: { at: string }[] }[]; from: string; to: string } = first.data;
    expect(Date.parse(to) - Date.parse(from)).toBe(4 * 60 * MINUTE);
    expect(Date.parse(to)).toBeGreaterThanOrEqual(CLOCK_START);
    expect(channels.length).toBeGreaterThan(0);
    const [channel] = channels;
    expect(channel).toMatchObject({ low: expect.any(Number), untrusted: { name: expect.any(String) } });
    const one = await ask("get_history", { id: `${id}.${channel?.channel_id}` });
    expect(one.requests).toBe(0);
    const single: typeof channels = (one.data as { channels: typeof channels }).channels;
    expect(single.map(({ channel_id }) => channel_id)).toEqual([channel?.channel_id]);
    expect(single[0]?.points.length).toBeGreaterThanOrEqual(channel?.points.length ?? 0);
    const none = await ask("get_history", { id, channel: "999" });
    expect(textOf(none.result)).toMatch(/^The sensor has no values of a channel "999"/);
    expect(dataOf(none.result)).toMatchObject({ channel_ids: expect.arrayContaining([channel?.channel_id]) });
  });

  it("refuses objects without a history, without a request", async () => {
    const { result, requests } = await ask("get_history", { id: deviceId });
    expect(textOf(result)).toBe("The object is a device. Only sensors have a history: take one of its children.");
    expect(requests).toBe(0);
  });

  it("says what failed, and when to call again", async () => {
    const sensors = exporter.simulator.world.list("sensor").slice(2, 14);
    const texts: string[] = [];
    for (const { id } of sensors) texts.push(textOf((await ask("get_history", { id })).result));
    expect(texts.at(-1)).toMatch(/^PRTG got 10 such requests in the last minute\. Call again in \d+ s\.$/);
  });
});

describe("explain_series", () => {
  it("explains a channel by the labels of its series", async () => {
    const [sensor] = exporter.simulator.world.list("sensor").slice(3);
    const first = await ask("explain_series", { id: sensor?.id });
    const { channels }: { channels: { channel_id: string; state: string; untrusted: { series: string[] } }[] } =
      first.data;
    const served = channels.find(({ state }) => state === "served");
    const [line] = served?.untrusted.series ?? [];
    expect(line).toMatch(/^prtg_/);
    const { data } = await ask("explain_series", { series: line });
    expect(data).toMatchObject({
      ...{ server: "hq", id: sensor?.id, status: "up", stale_after_seconds: expect.any(Number) },
      channels: [{ channel_id: served?.channel_id, state: "served", why: expect.stringMatching(/current value/) }],
    });
  });

  it("says what it needs", async () => {
    expect(textOf((await ask("explain_series")).result)).toMatch(/^Give series or id\./);
    const other = await ask("explain_series", { series: 'prtg_up{server="hq"}' });
    expect(textOf(other.result)).toMatch(/^The series has no label sensor_id\./);
    const device = await ask("explain_series", { id: deviceId });
    expect(textOf(device.result)).toMatch(/^The object is a device\./);
    const channel = await ask("explain_series", { id: downId, channel: "999" });
    expect(textOf(channel.result)).toMatch(/^The sensor has no channel "999"\./);
  });
});
