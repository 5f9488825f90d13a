import { describe, expect, test } from "vitest";
import { startService } from "../support/running-service.ts";

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

  test("each object of a mixed list has the sections of its kind", async () => {
    const { send } = await startService();
    const objects = (await send("/experimental/objects?include=*")).json as Record<string, unknown>[];
    const having = (name: string) => objects.filter((object) => name in object).map(({ type }) => type);
    expect(new Set(having("alerting"))).toEqual(new Set(["CHANNEL"]));
    expect(new Set(having("intervalgroup"))).toEqual(new Set(["PROBE", "GROUP", "DEVICE", "SENSOR"]));
    expect(new Set(having("sensor_status_summary"))).toEqual(new Set(["PROBE", "GROUP", "DEVICE"]));
    expect(having("path")).toHaveLength(objects.length);
  });

  test("one channel answers different includes in turn", async () => {
    const { send } = await startService();
    const keys = async (include: string) =>
      Object.keys((await send(`/channels/1000.0?include=${include}`)).json as object);
    expect(await keys("alerting")).toContain("alerting");
    expect(await keys("values")).not.toContain("alerting");
    expect(await keys("alerting,values")).toEqual(expect.arrayContaining(["alerting", "values"]));
    expect(await keys("")).not.toContain("values");
  });
});

describe("include: inheritance", () => {
  test("includes no inheritance in sections by default", async () => {
    const { send } = await startService();
    expect((await send("/experimental/objects?include=all_sections")).text).not.toContain("_inherit");
  });
});
