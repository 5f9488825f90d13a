import { describe, expect, test } from "vitest";
import { outcome } from "../../support/accounts.ts";
import { query, startService } from "../../support/running-service.ts";

describe("GET /libraries", () => {
  test("lists libraries with what they show", async () => {
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

  test("counts what the user sees", async () => {
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

  test.each([
    ["?filter=priority", "400 INVALID_FILTER"],
    ["?sort_by=tags", "400 BAD_REQUEST"],
    ["?offset=-1", "400 BAD_REQUEST"],
  ])("%s is refused with %s", async (parameters, refusal) => {
    const { send } = await startService();
    expect(outcome(await send(`/libraries${parameters}`))).toBe(refusal);
  });
});
