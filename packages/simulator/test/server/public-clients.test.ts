import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { type Simulator, startSimulator } from "../../src/simulator.ts";
import type { SimDevice, SimSensor, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";

/** In their own form. All were written for live servers, so tests use that spelling. */

const NOW = Date.UTC(2026, 2, 12, 17, 55, 10);
const KEY = "U2ltdWxhdGVkIGtleSwgcGFkZGVkIGxpa2UgcmVhbCBvbmVz====";

let simulator: Simulator;
let world: World;
let down: SimSensor;
let warning: SimSensor;
let upSensor: SimSensor;

beforeAll(async () => {
  world = createWorld({ seed: 11, size: { sensors: 400, channels: 2000 }, startedAt: NOW });
  const up = world.list("sensor").filter((sensor) => world.state(sensor, NOW).status === "up");
  [down = expect.fail(), warning = expect.fail(), upSensor = expect.fail()] = up;
  world.force(down.id, "down", NOW - 3_600_000);
  world.force(warning.id, "warning", NOW - 600_000);
  simulator = await startSimulator({
    ...{ world, clock: new ManualClock(NOW), spelling: "live" },
    credentials: { apiKey: KEY, username: "prtgadmin", password: "prtgadmin" },
  });
  return () => simulator.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await fetch(`${simulator.url}/api/v2/${path}`, { headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function read<Shape>(path: string, headers: Readonly<Record<string, string>>): Promise<Shape> {
  const { status, text } = await send(path, headers);
  expect(status, text.slice(0, 300)).toBe(200);
  return JSON.parse(text) as Shape;
}

interface Reference {
  readonly id: string;
  readonly name: string;
}

interface Node {
  readonly id: string;
  readonly name: string;
  readonly kind_name?: string;
  readonly message?: string;
  readonly status: string;
  readonly lastup?: string;
  readonly parent: Reference;
}

interface Channel {
  readonly id: string;
  readonly name: string;
}

type Row = readonly [string, ...(number | string)[]];

function ids(nodes: readonly { readonly id: string }[]): string[] {
  return nodes.map(({ id }) => id);
}

function sensorsIn(...statuses: readonly string[]): string[] {
  return ids(world.list("sensor").filter((sensor) => statuses.includes(world.state(sensor, NOW).status)));
}

/** paesslerdavid/prtg-skill: a dashboard script with curl and Python's `urlencode`. */
describe("generator of demonstration pages", () => {
  const headers = { Authorization: `Bearer ${KEY}`, Accept: "*/*", "User-Agent": "curl/8.5.0" };
  const get = <Shape>(path: string) => read<Shape>(path, headers);

  test("reads the whole tree in four requests", async () => {
    const probes = await get<Node[]>("experimental/probes?limit=100");
    const groups = await get<Node[]>("experimental/groups?limit=3000");
    const devices = await get<(Node & { sensor_status_summary: Record<string, number> })[]>(
      "experimental/devices?limit=3000&include=sensor_status_summary",
    );
    const sensors = await get<Node[]>("experimental/sensors?limit=3000");
    expect(ids(probes)).toEqual(ids(world.list("probe")));
    expect(ids(groups)).toEqual(ids(world.list("group")));
    expect(ids(devices)).toEqual(ids(world.list("device")));
    expect(ids(sensors)).toEqual(ids(world.list("sensor")));
    for (const { status, name, parent, kind_name } of sensors) {
      expect(status).toMatch(/^[A-Z_]+$/);
      expect([typeof name, typeof kind_name, typeof parent.id, typeof parent.name]).not.toContain("undefined");
    }
    const names = new Set([...groups, ...probes].map(({ name }) => name));
    for (const device of devices) {
      expect(names).toContain(device.parent.name);
      expect(device.sensor_status_summary.down).toBeGreaterThanOrEqual(0);
      expect(device.sensor_status_summary.total).toBe(world.node(device.id)?.children.length);
    }
  });

  test.each(["down", "warning"])("finds objects that are %s, and all sensors of the device", async (status) => {
    const found = await get<Node[]>(`experimental/sensors?filter=status+%3D+${status}&limit=3000`);
    expect(ids(found)).toEqual(sensorsIn(status));
    const [first = expect.fail("nothing found")] = found;
    const device = first.parent.id;
    const siblings = await get<Node[]>(`experimental/sensors?filter=parentid+%3D+%22${device}%22&limit=3000`);
    expect(ids(siblings)).toEqual(ids(world.node(device)?.children ?? []));
  });

  test("names the columns of a time series after the channels", async () => {
    const channels = await get<Channel[]>(`experimental/channels?filter=parentid+%3D+%22${upSensor.id}%22&limit=100`);
    const [header, ...rows] = await get<Row[]>(`experimental/timeseries/${upSensor.id}/medium`);
    const names = new Map(channels.map(({ id, name }) => [id, name]));
    expect(header?.[0]).toBe("time");
    const columns = header?.slice(1).map((id) => names.get(String(id)));
    expect(columns).toEqual(upSensor.channels.map(({ name }) => name));
    const whole = rows.filter(({ length }) => length === header?.length);
    expect(whole.length).toBeGreaterThan(1000);
    // The script takes the last row as the newest.
    expect(Date.parse(whole.at(-1)?.[0] ?? "")).toBeGreaterThan(NOW - 3 * 3_600_000);
    expect(whole.every(([, ...cells]) => cells.every((cell) => typeof cell === "number"))).toBe(true);
  });
});

/** stylersnico/PRTG-API-v2-Grafana-Dashboard: Infinity panels, parameters sorted by name. */
describe("dashboard of current alerts", () => {
  const headers = { Authorization: `Bearer ${KEY}`, "User-Agent": "Grafana/12.1.1" };

  test.each(["down", "warning"])("shows objects that are %s, with its columns", async (status) => {
    const objects = await read<Node[]>(`experimental/objects?filter=status+%3D+${status}&limit=0&offset=0`, headers);
    expect(ids(objects)).toEqual(sensorsIn(status));
    expect(ids(objects)).toContain(status === "down" ? down.id : warning.id);
    for (const { id, kind_name, message, parent, lastup, ...rest } of objects) {
      const sensor = world.node(id);
      expect(kind_name).toBe(sensor?.typeName);
      expect(rest.status).toBe(status.toUpperCase());
      expect(typeof message).toBe("string");
      expect(parent.name).toBe(sensor?.parent?.name);
      // "Last Up": before the failure.
      const { since } = world.state(sensor ?? expect.fail(), NOW);
      if (status === "down") expect(Date.parse(lastup ?? "")).toBeLessThan(since);
    }
  });
});

/** senhub-io/mcp-server-prtg: a Go program that passes answers to a language model. */
describe("MCP server", () => {
  const headers = {
    Authorization: `Bearer ${KEY}`,
    Accept: "application/json",
    "User-Agent": "Go-http-client/1.1",
    "Accept-Encoding": "gzip",
  };

  test("reads channels with an old parameter without effect, and selects them by parent", async () => {
    interface Measured extends Channel {
      readonly kind: string;
      readonly type: string;
      readonly parent: Reference & { readonly type: string };
      readonly basic: { readonly name: string; readonly displayunit: string; readonly unittype: string };
      readonly last_measurement: {
        readonly timestamp: string;
        readonly value: number;
        readonly display_value: number;
      } | null;
    }
    const channels = await read<Measured[]>(`experimental/channels?filter_objid=${upSensor.id}`, headers);
    // It does not know that the list is partial.
    expect(channels.length).toBe(100);
    const own = channels.filter(({ parent }) => parent.id === upSensor.id);
    expect(own.map(({ name }) => name)).toEqual(upSensor.channels.map(({ name }) => name));
    for (const { basic, name, last_measurement: measured, parent } of own) {
      expect([basic.name, parent.name]).toEqual([name, upSensor.name]);
      expect([typeof basic.displayunit, typeof basic.unittype]).toEqual(["string", "string"]);
      expect(measured?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect([typeof measured?.value, typeof measured?.display_value]).toEqual(["number", "number"]);
    }
  });
});

/** Sensors of a device with channel details in one request. */
describe("status page of a device", () => {
  test("reads names, units and last values", async () => {
    interface Info {
      readonly id: string;
      readonly status: string;
      readonly path: readonly Reference[];
      readonly channels: readonly {
        readonly name: string;
        readonly unit: { readonly display_unit: string };
        readonly last_measurement: { readonly display_value: number; readonly display_volume: number | null } | null;
      }[];
    }
    const device = upSensor.parent as SimDevice;
    const filter = encodeURIComponent(`ancestors contains "${device.id}"`);
    const path = `sensors?include_all_channels=true&limit=0&filter=${filter}`;
    const sensors = await read<Info[]>(path, { Authorization: `Bearer ${KEY}` });
    expect(ids(sensors)).toEqual(ids(device.children));
    const own = sensors.find(({ id }) => id === upSensor.id);
    expect(own?.status).toBe("UP");
    expect(own?.path.map(({ id }) => id)).toContain(device.id);
    expect(own?.channels.map(({ name }) => name)).toEqual(upSensor.channels.map(({ name }) => name));
    for (const { last_measurement: measured, unit } of own?.channels ?? []) {
      expect(typeof unit.display_unit).toBe("string");
      expect(typeof measured?.display_value).toBe("number");
      expect(measured).toHaveProperty("display_volume");
    }
  });
});
