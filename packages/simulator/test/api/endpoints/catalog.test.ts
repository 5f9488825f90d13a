import { describe, expect, test } from "vitest";
import { LOOKUPS } from "../../../src/world/sensors/lookups.ts";
import { SENSOR_KINDS } from "../../../src/world/sensors/sensor-kinds.ts";
import { createWorld } from "../../../src/world/world.ts";
import { query, startService } from "../../support/running-service.ts";
import { NOW } from "../../support/tiny-world.ts";

describe("GET /libraries", () => {
  test("lists libraries with their contents", async () => {
    const { send, simulator } = await startService();
    const sensor = simulator.world.list("sensor")[1];
    sensor?.tags.push("snmptrafficsensor");
    const { json, headers } = await send("/libraries?limit=1");
    expect(headers.get("x-total-count")).toBe("5");
    expect(json).toEqual([
      {
        id: "301",
        name: "Bandwidth",
        comment: "All lines, by role",
        tags: ["traffic"],
        priority: 4,
        favorite: true,
        active: true,
        nodes: [
          { name: "All Interfaces", kind: "sensor", tags: ["snmptrafficsensor"], objects: 1 },
          { name: "Routers", kind: "device", tags: ["router"], objects: 0 },
          { name: "Firewalls", kind: "device", tags: ["firewall"], objects: 0 },
        ],
      },
    ]);
  });

  test("counts only visible objects", async () => {
    const { send, simulator } = await startService();
    for (const sensor of simulator.world.list("sensor")) sensor.tags.push("pingsensor");
    const found = async (bearer: string): Promise<unknown> => {
      const filter = query({ filter: 'name = "Availability"' });
      const { json } = await send(`/libraries${filter}`, { bearer });
      return (json as { nodes: { objects: number }[] }[])[0]?.nodes[0]?.objects;
    };
    expect([await found("KEY=="), await found("RESTRICTED")]).toEqual([4, 3]);
  });

  test.each([
    [{ filter: 'name = "Bandwidth"' }, "301"],
    [{ filter: "favorite = true" }, "301 303"],
    [{ filter: "active = false or priority >= 5" }, "303 305"],
    [{ filter: 'comment matches "facility"' }, "304"],
    [{ filter: 'tags contains "vmware"' }, "305"],
    [{ filter: "type = library and status = up", sort_by: "-priority,name" }, "303 301 302 304"],
    [{ sort_by: "name", limit: "2" }, "303 301"],
  ])("%j gives %s", async (parameters, found) => {
    const { ids } = await startService();
    expect((await ids(`/libraries${query(parameters)}`)).join(" ")).toBe(found);
  });
});

describe("lookup definitions", () => {
  test("come in pages", async () => {
    const { send, ids } = await startService();
    expect(await ids("/lookup-definitions")).toEqual(LOOKUPS.map(({ id }) => id));
    const { headers } = await send("/lookup-definitions?limit=5&offset=5");
    expect(headers.get("x-total-count")).toBe(String(LOOKUPS.length));
    expect(headers.get("link")).toContain("offset=10");
  });

  test("are available at their href", async () => {
    const { send } = await startService();
    const { json } = await send(`/lookup-definitions${query({ filter: "lookuptype = range" })}`);
    const [first] = json as { href: string }[];
    expect(first).toEqual({
      id: "prtg.simulated.certificate.keylength",
      name: "Certificate Key Length",
      lookup_type: "range",
      href: "/api/v2/lookup-definitions/prtg.simulated.certificate.keylength",
      desired_value: 4096,
      values: [
        { value: 0, to: 1023, text: "Unsafe", state: "error" },
        { value: 1024, to: 2047, text: "Weak", state: "warning" },
        { value: 2048, to: 3071, text: "Good", state: "ok" },
        { value: 3072, to: 16_384, text: "Very Good", state: "ok" },
      ],
    });
    expect((await send(first?.href.replace("/api/v2", "") ?? "")).json).toEqual(first);
  });

  test("translate the codes of the channels that use them", async () => {
    const world = createWorld({ seed: 1, size: { sensors: 200 }, startedAt: NOW });
    const { send } = await startService({ world });
    const filter = query({ filter: "lookupdefinitionid != nil", include: "values", limit: "1" });
    const { json } = await send(`/experimental/channels${filter}`);
    const [channel] = json as { values: { lookup: string } }[];
    const lookup = await send(`/lookup-definitions/${channel?.values.lookup}`);
    expect(lookup.json).toMatchObject({ id: channel?.values.lookup, values: expect.any(Array) });
  });

  test.each([
    [{ filter: 'lookupdefinitionid = "prtg.simulated.door"' }, "prtg.simulated.door"],
    [{ filter: 'lookupdefinitionid matches "power"' }, "prtg.simulated.power.state prtg.simulated.power.supply"],
    [{ filter: "lookuptype = bitfield" }, "prtg.simulated.paper.tray"],
    [{ sort_by: "-name", limit: "2" }, "prtg.simulated.service.state prtg.simulated.power.state"],
  ])("%j gives %s", async (parameters, found) => {
    const { ids } = await startService();
    expect((await ids(`/lookup-definitions${query(parameters)}`)).join(" ")).toBe(found);
  });
});

test("device templates name sensor kinds of the world", async () => {
  const { send } = await startService();
  const templates = (await send("/experimental/devices/templates")).json as { id: string; sensor_kinds: string[] }[];
  expect(templates.length).toBeGreaterThan(5);
  for (const { id, sensor_kinds } of templates) {
    expect(id).toMatch(/\.odt$/);
    expect(sensor_kinds.filter((kind) => !SENSOR_KINDS.has(kind))).toEqual([]);
  }
});

test("device icons have the fields of the specification", async () => {
  const { send } = await startService();
  const icons = (await send("/devices/icons")).json as { id: string }[];
  expect(icons[0]).toEqual({ id: "a_server_1", href: "/icons/devices/a_server_1", extensions: ["svg", "png"] });
  expect(new Set(icons.map(({ id }) => id)).size).toBe(icons.length);
});
