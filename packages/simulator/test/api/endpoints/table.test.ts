import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../../src/records/spelling.ts";
import { query, type Sent, startService } from "../../support/running-service.ts";

const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

describe.each(SPELLINGS)("%s: every endpoint", (spelling) => {
  test.each<[path: string, ids: string]>([
    ["/experimental/probes", "1 2"],
    ["/experimental/groups", "10 11 20"],
    ["/experimental/devices", "100 101 200"],
    ["/experimental/sensors", "1000 1001 1002 2000"],
    ["/experimental/channels", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
    [
      "/experimental/objects",
      "1 2 10 11 20 100 101 200 1000 1001 1002 2000 1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3",
    ],
    ["/probes", "1 2"],
    ["/groups", "10 11 20"],
    ["/devices", "100 101 200"],
    ["/sensors", "1000 1001 1002 2000"],
    ["/channels", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
  ])("GET %s lists all objects of the kind in order", async (path, ids) => {
    const { send, ids: idsOf } = await startService({ spelling });
    expect((await idsOf(path)).join(" ")).toBe(ids);
    const { headers } = await send(`${path}?limit=1&offset=1`);
    const count = ids.split(" ").length;
    expect(headers.get("x-total-count")).toBe(String(count));
    expect(headers.get("x-result-count")).toBe("1");
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test.each([
    ["/probes/1", "Local Probe"],
    ["/groups/11", 'Größe "π" \\ 漢\ud800'],
    ["/groups/0", "Root"],
    ["/devices/100", "core-sw-1"],
    ["/sensors/1001", "Uplink"],
    ["/channels/1001.2", "Traffic Out"],
    ["/channels/1000.-4", "Downtime"],
  ])("GET %s returns one object, and its href leads to it", async (path, name) => {
    const { send } = await startService({ spelling });
    const { status, json } = await send(path);
    expect(status).toBe(200);
    expect(json).toMatchObject({ name, href: `/api/v2${path}`, id: path.split("/")[2] });
  });

  test.each<[path: string, sent: Sent, status: number, code: string]>([
    ["/sensors/4711", {}, 404, "NOT_FOUND"],
    ["/channels/%zz", {}, 404, "NOT_FOUND"],
    ["/status", {}, 404, "NOT_FOUND"],
    ["/experimental/sensors/", {}, 404, "NOT_FOUND"],
    ["/Version", {}, 404, "NOT_FOUND"],
    ["", {}, 404, "NOT_FOUND"],
    ["/experimental/sensors", { method: "PATCH" }, 405, "METHOD_NOT_IMPLEMENTED"],
    ["/sensors/1000", { method: "OPTIONS" }, 405, "METHOD_NOT_IMPLEMENTED"],
    ["/experimental/sensors?include=alerting", {}, 400, "BAD_REQUEST"],
    ["/channels?sort_by=name,", {}, 400, "BAD_REQUEST"],
    ["/experimental/sensors?filter=status%20%3D%20DOWN_PARTIAL", {}, 400, "INVALID_FILTER"],
    ["/channels?filter=parentid%20%3D%202490", {}, 400, "INVALID_FILTER"],
    ["/sensors?filter=intervalgroup.interval%20%3E%2060m", {}, 400, "INVALID_DURATION"],
    ["/experimental/sensors?limit=-1", { bearer: "WRONGKEY" }, 401, "AUTH_FAILED"],
  ])("GET %s %j answers %i %s", async (path, sent, status, code) => {
    const { send } = await startService({ spelling });
    const answer = await send(path, sent);
    expect(answer.json).toEqual({
      code,
      message: expect.stringMatching(/\w/),
      request_id: answer.headers.get("x-request-id"),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get("date")).toBe("Thu, 12 Mar 2026 17:55:10 GMT");
  });

  test("a wrong method lists the permitted methods", async () => {
    const { send } = await startService({ spelling });
    expect((await send("/session", { method: "PUT" })).headers.get("allow")).toBe("GET, POST, DELETE");
    expect((await send("/health", { method: "POST" })).headers.get("allow")).toBe("GET");
  });

  test("health needs no user and sends no body", async () => {
    const { send } = await startService({ spelling });
    const { status, text, headers } = await send("/health", { bearer: null });
    expect([status, text, headers.get("content-type")]).toEqual([204, "", null]);
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  });

  test("version has the release of the core and of the application server", async () => {
    const { send } = await startService({ spelling });
    const release = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/);
    expect((await send("/version")).json).toEqual({ prtg_version: release, appserver_version: release });
  });

  test.each([
    ['name = "Ping"', "1000"],
    ['descendants id = "1" and not status = up', "1001 1002"],
    [" ", "1000 1001 1002 2000"],
    ["", "1000 1001 1002 2000"],
  ])("filter %j", async (filter, ids) => {
    const { ids: idsOf } = await startService({ spelling });
    for (const path of ["/experimental/sensors", "/sensors"]) {
      expect((await idsOf(path + query({ filter }))).join(" ")).toBe(ids);
    }
  });

  test("a filtered list pages and counts only matching objects", async () => {
    const { send } = await startService({ spelling });
    const { json, headers } = await send(
      `/experimental/objects${query({ filter: "type != channel", limit: "2", offset: "6" })}`,
    );
    expect(json).toMatchObject([{ id: "101" }, { id: "200" }]);
    expect(headers.get("x-total-count")).toBe("12");
  });

  test.each([
    ["/sensors", "name", "1002 1000 2000 1001"],
    ["/sensors", "-name", "1001 2000 1000 1002"],
    ["/sensors", "+name", "1002 1000 2000 1001"],
    ["/sensors", "-id", "2000 1002 1001 1000"],
    // Order of the specification's tokens. Equal ones keep list order.
    ["/sensors", "status", "1000 2000 1002 1001"],
    ["/sensors", "-priority,-name", "1000 1001 2000 1002"],
    ["/sensors", "intervalgroup.interval, -id", "1001 2000 1002 1000"],
    ["/devices", "basic.host", "100 101 200"],
    ["/groups", "-favorite", "10 11 20"],
    ["/channels", "-id", "2000.3 1002.0 1001.2 1001.1 1000.0 1000.-4"],
    ["/experimental/channels", "name", "2000.3 1000.-4 1000.0 1002.0 1001.1 1001.2"],
    // They have no sort_by and ignore unknown parameters.
    ["/experimental/sensors", "-id", "1000 1001 1002 2000"],
    ["/experimental/devices", "nonsense", "100 101 200"],
  ])("GET %s?sort_by=%s", async (path, sort, ids) => {
    const { ids: idsOf } = await startService({ spelling });
    expect((await idsOf(path + query({ sort_by: sort }))).join(" ")).toBe(ids);
    expect((await idsOf(`${path}?sort_by=${sort}`)).join(" ")).toBe(ids);
  });
});

test("the server chooses the default limit, and limit=0 returns as many as permitted", async () => {
  const { ids } = await startService({ defaultLimit: 2 });
  expect(await ids("/experimental/channels")).toHaveLength(2);
  expect(await ids("/experimental/channels?limit=0")).toHaveLength(6);
});

test("one request sees a single moment, and simulated time can stop", async () => {
  const { send, simulator, clock } = await startService();
  clock.setWallClock(Date.UTC(2026, 5, 1));
  expect((await send("/health")).headers.get("date")).toBe("Mon, 01 Jun 2026 00:00:00 GMT");
  simulator.freezeAt(Date.UTC(2026, 0, 1));
  expect((await send("/health")).headers.get("date")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
  expect(simulator.now()).toBe(Date.UTC(2026, 0, 1));
  simulator.freezeAt(undefined);
  expect(simulator.now()).toBe(Date.UTC(2026, 5, 1));
});
