import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../../../src/records/spelling.ts";
import { query, startService } from "../../../support/running-service.ts";
import { SINCE } from "../../../support/tiny-world.ts";

const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

describe.each(SPELLINGS)("%s: single info records", (spelling) => {
  test.each([
    ["probes", "1"],
    ["groups", "11"],
    ["devices", "200"],
    ["sensors", "1001"],
    ["channels", "1001.2"],
    ["channels", "1000.-4"],
  ])("GET /%s/%s/overview equals the record of the deprecated list", async (kind, id) => {
    const { send } = await startService({ spelling });
    const listed = (await send(`/${kind}${query({ filter: `id = "${id}"` })}`)).json as unknown[];
    const { json, status } = await send(`/${kind}/${id}/overview`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id });
    expect([json]).toEqual(listed);
  });

  test("the root counts as a group", async () => {
    const { send } = await startService({ spelling });
    expect((await send("/groups/0/overview")).json).toMatchObject({ id: "0", name: "Root", path: [{ id: "0" }] });
  });

  test("the server hides invisible objects", async () => {
    const { send } = await startService({ spelling });
    expect((await send("/devices/100/overview", { bearer: "RESTRICTED" })).status).toBe(200);
    expect((await send("/devices/101/overview", { bearer: "RESTRICTED" })).status).toBe(404);
  });
});

const EVERYTHING = "1 2 10 11 20 100 101 200 1000 1001 1002 2000 1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3";

describe.each(SPELLINGS)("%s: GET /objects", (spelling) => {
  test("lists everything, like its successor", async () => {
    const { ids, send } = await startService({ spelling });
    expect((await ids("/objects")).join(" ")).toBe(EVERYTHING);
    const { headers, json } = await send(`/objects${query({ filter: "type = device", limit: "1", offset: "2" })}`);
    expect(json).toMatchObject([{ id: "200" }]);
    expect([headers.get("x-total-count"), headers.get("x-result-count")]).toEqual(["3", "1"]);
    expect(headers.get("link")).toContain('rel="previous"');
  });

  test("does not support sort_by", async () => {
    const { ids } = await startService({ spelling });
    expect((await ids("/objects?sort_by=-id")).join(" ")).toBe(EVERYTHING);
  });

  test("has the sensors per status if requested, for objects that have sensors", async () => {
    const { send } = await startService({ spelling });
    const withSummary = async (parameter: string) => {
      const objects = (await send(`/objects${parameter}`)).json as Record<string, unknown>[];
      return objects.filter((object) => "sensor_status_summary" in object).map(({ id }) => id);
    };
    expect(await withSummary("")).toEqual([]);
    expect(await withSummary("?sensor_status_summary=false")).toEqual([]);
    expect((await withSummary("?sensor_status_summary=true")).join(" ")).toBe("1 2 10 11 20 100 101 200");
    expect((await send("/objects?sensor_status_summary=1")).status).toBe(400);
  });
});

describe.each(SPELLINGS)("%s: records of /objects", (spelling) => {
  test.each([
    ["/probes", "probe"],
    ["/groups", "group"],
    ["/devices", "device"],
    ["/sensors", "sensor"],
    ["/channels", "channel"],
  ])("equal the records of %s", async (path, type) => {
    const { send } = await startService({ spelling });
    const parameters = { sensor_status_summary: "true" };
    const listed = (await send(path + query(parameters))).json as unknown[];
    expect(listed.length).toBeGreaterThan(1);
    expect((await send(`/objects${query({ ...parameters, filter: `type = ${type}` })}`)).json).toEqual(listed);
  });
});

describe.each(SPELLINGS)("%s: GET /sensors/alarms", (spelling) => {
  test.each([
    ["down", true],
    ["partialdown", true],
    ["acknowledged", true],
    ["warning", true],
    ["unusual", true],
    ["up", false],
    ["unknown", false],
    ["collecting", false],
    ["disconnected", false],
    ["none", false],
    ["pausedbyuser", false],
    ["pauseduntil", false],
    ["pausedbydependency", false],
    ["pausedbyschedule", false],
    ["pausedbylicense", false],
  ] as const)("shows a sensor with status %s: %s", async (status, listed) => {
    const { ids, simulator } = await startService({ spelling });
    simulator.world.force("1000", status, SINCE);
    expect((await ids("/sensors/alarms")).includes("1000")).toBe(listed);
  });

  test("has the parameters and the records of /sensors", async () => {
    const { ids, send } = await startService({ spelling });
    expect(await ids("/sensors/alarms")).toEqual(["1001", "2000"]);
    expect(await ids("/sensors/alarms?sort_by=-id")).toEqual(["2000", "1001"]);
    expect(await ids(`/sensors/alarms${query({ filter: "status = down" })}`)).toEqual(["2000"]);
    const { headers } = await send("/sensors/alarms?limit=1");
    expect([headers.get("x-total-count"), headers.get("x-result-count")]).toEqual(["2", "1"]);
    for (const parameters of [{}, { include_all_channels: "true" }]) {
      const filter = 'id = "1001"';
      const { json } = await send(`/sensors/alarms${query({ ...parameters, filter })}`);
      expect(json).toEqual((await send(`/sensors${query({ ...parameters, filter })}`)).json);
    }
  });
});
