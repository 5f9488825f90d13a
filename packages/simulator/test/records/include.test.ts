import { describe, expect, test } from "vitest";
import { startService } from "../support/running-service.ts";

const ROOT = { id: "0", type: "REFERENCED_ROOT", name: "Root", href: "/api/v2/groups/0" };
const DEVICE = { id: "100", type: "REFERENCED_DEVICE", name: "core-sw-1", href: "/api/v2/devices/100" };

/** The members that an `include` adds to the default selection. */
async function added(path: string, include: string): Promise<Record<string, unknown>> {
  const { send } = await startService({ spelling: "live" });
  const base = (await send(path)).json as Record<string, unknown>;
  const { json, status } = await send(`${path}?include=${include}`);
  expect(status).toBe(200);
  return Object.fromEntries(Object.entries(json as Record<string, unknown>).filter(([name]) => !(name in base)));
}

const SENSOR_SECTIONS = ["intervalgroup", "scheduledependency", "accessrightsgroup", "path"];
const NODE_SECTIONS = [...SENSOR_SECTIONS, "windowsconnection", "discoverytypegroup"];

describe("include: sections", () => {
  test.each([
    ["/sensors/1001", "", []],
    ["/sensors/1001", ",", []],
    ["/sensors/1001", "basic", []],
    ["/sensors/1001", "path", ["path"]],
    ["/sensors/1001", "intervalgroup,path", ["intervalgroup", "path"]],
    ["/sensors/1001", "all_sections", SENSOR_SECTIONS],
    ["/sensors/1001", "*", SENSOR_SECTIONS],
    ["/devices/100", "all_sections", NODE_SECTIONS],
    ["/devices/100", "sensor_status_summary", ["sensor_status_summary"]],
    ["/devices/100", "*", [...NODE_SECTIONS, "sensor_status_summary"]],
    ["/groups/10", "all_sections,sensor_status_summary", [...NODE_SECTIONS, "sensor_status_summary"]],
    ["/channels/1001.1", "all_sections", ["alerting", "values", "path"]],
    ["/channels/1001.1", "*", ["alerting", "values", "path"]],
  ])("%s?include=%s", async (path, include, sections) => {
    expect(Object.keys(await added(path, include)).sort()).toEqual([...sections].sort());
  });

  test("each object of a mixed list has those sections that it can have", async () => {
    const { send } = await startService();
    const objects = (await send("/experimental/objects?include=*")).json as Record<string, unknown>[];
    const having = (name: string) => objects.filter((object) => name in object).map(({ type }) => type);
    expect(new Set(having("alerting"))).toEqual(new Set(["CHANNEL"]));
    expect(new Set(having("intervalgroup"))).toEqual(new Set(["PROBE", "GROUP", "DEVICE", "SENSOR"]));
    expect(new Set(having("sensor_status_summary"))).toEqual(new Set(["PROBE", "GROUP", "DEVICE"]));
    expect(having("path")).toHaveLength(objects.length);
  });

  test("different includes of the same channel one after the other", async () => {
    const { send } = await startService();
    const keys = async (include: string) =>
      Object.keys((await send(`/channels/1000.0?include=${include}`)).json as object);
    expect(await keys("alerting")).toContain("alerting");
    expect(await keys("values")).not.toContain("alerting");
    expect(await keys("alerting,values")).toEqual(expect.arrayContaining(["alerting", "values"]));
    expect(await keys("")).not.toContain("values");
  });

  test("a password is masked", async () => {
    expect(await added("/groups/10", "windowsconnection")).toHaveProperty(
      "windowsconnection.windowsloginpassword",
      "********",
    );
  });
});

describe("include: inheritance", () => {
  test("settings of the object's own shadow nothing", async () => {
    expect(await added("/sensors/1001", "intervalgroup,inheritance")).toEqual({
      intervalgroup: {
        interval: "30",
        errorintervalsdown: "1",
        _inheritancesource: DEVICE,
        _inherited: false,
        _shadowed: null,
      },
    });
  });

  test("inherited settings say where from", async () => {
    expect(await added("/sensors/1000", "intervalgroup,inheritance")).toEqual({
      intervalgroup: {
        interval: "60",
        errorintervalsdown: "1",
        _inheritancesource: ROOT,
        _inherited: true,
        _shadowed: { interval: "60", errorintervalsdown: "1" },
      },
    });
  });

  test("every section of every object carries it, a path and a summary do not", async () => {
    const { send } = await startService();
    const objects = (await send("/experimental/objects?include=*")).json as Record<string, unknown>[];
    for (const object of objects) {
      const { parent: _, last_measurement: __, sensor_status_summary: summary, ...rest } = object;
      const sections = Object.values(rest).filter(
        (part) => typeof part === "object" && part !== null && !Array.isArray(part),
      );
      expect(sections.length).toBeGreaterThanOrEqual(3);
      for (const section of sections) {
        expect(section).toHaveProperty("_inherited");
        expect(section).toHaveProperty("_shadowed");
        expect(section).toHaveProperty("_inheritancesource.type");
      }
      expect(summary ?? {}).not.toHaveProperty("_inherited");
    }
    const basics = (await send("/sensors/1000?include=basic,inheritance")).json;
    expect(basics).toMatchObject({ basic: { name: "Ping", _inherited: false, _shadowed: null } });
  });

  test("without it no section does", async () => {
    const { send } = await startService();
    expect((await send("/experimental/objects?include=all_sections")).text).not.toContain("_inherit");
  });
});
