import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { Faults } from "../../src/faults/faults.ts";
import { seededRandom } from "../../src/random.ts";
import { createWorld } from "../../src/world/world.ts";
import { startService } from "../support/running-service.ts";

const LIST = "/experimental/sensors";

describe("faults that replace the answer", () => {
  test.each<[fault: string, status: number, code: string]>([
    ["error=503", 503, "SERVICE_UNAVAILABLE"],
    ["error=500", 500, "INTERNAL_ERROR"],
    ["error=401", 401, "AUTH_FAILED"],
    ["error=503,code=LICENSE_INACTIVE", 503, "LICENSE_INACTIVE"],
    ["missing", 404, "NOT_FOUND"],
    ["missing=501", 501, "METHOD_NOT_IMPLEMENTED"],
    ["execution-timeout=99", 408, "EXECUTION_TIMEOUT"],
  ])("%s", async (fault, status, code) => {
    const { send } = await startService({ faults: [fault] });
    const answer = await send(LIST);
    expect([answer.status, answer.json]).toEqual([
      status,
      { code, message: expect.any(String), request_id: answer.headers.get("x-request-id") },
    ]);
  });

  test("sends an error with Retry-After", async () => {
    const { send } = await startService({ faults: ["error=429,retry-after=7s"] });
    const { status, headers } = await send(LIST);
    expect([status, headers.get("retry-after")]).toEqual([429, "7"]);
  });

  test.each(["error=503,retry-date=90s", "answer=503,retry-date=90s"])("%s sends a date", async (fault) => {
    const { send } = await startService({ faults: [fault] });
    const { headers } = await send(LIST);
    expect(Date.parse(headers.get("retry-after") ?? "") - Date.parse(headers.get("date") ?? "")).toBe(90_000);
  });

  test.each([
    ["answer=418,body=%3Ch1%3EBusy%3C%2Fh1%3E", 418, "text/html; charset=utf-8", "<h1>Busy</h1>"],
    ["answer=200,body=%5B1%5D", 200, "application/json; charset=utf-8", "[1]"],
    ["answer=204", 204, null, ""],
  ])("%s", async (fault, status, type, text) => {
    const { send } = await startService({ faults: [fault] });
    const answer = await send(LIST);
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([status, type, text]);
  });

  test("sends an error with Wait-For and without a body", async () => {
    const { send } = await startService({ faults: ["error=503,body=none,wait-for=3s"] });
    const { status, headers, text } = await send(LIST);
    expect([status, headers.get("wait-for"), headers.get("content-type"), text]).toEqual([503, "3", null, ""]);
  });

  test("sends a foreign page", async () => {
    const { send } = await startService({ faults: ["html"] });
    const { status, headers, text } = await send(LIST);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain("<html>");
  });

  test("redirects to a login page", async () => {
    const { send } = await startService({ faults: ["redirect"] });
    const { status, headers, text } = await send("/health", { bearer: null });
    expect([status, headers.get("location"), text]).toEqual([302, expect.stringContaining("/login.htm"), ""]);
  });

  test("sends nothing until the client gives up", async () => {
    const { simulator } = await startService({ faults: ["hang"] });
    const client = new AbortController();
    const request = expect(fetch(`${simulator.url}/api/v2/health`, { signal: client.signal })).rejects.toThrow(
      "enough",
    );
    // The client may otherwise give up before its request arrives.
    await expect.poll(() => simulator.requests.inFlight).toBe(1);
    client.abort(new Error("enough"));
    await request;
    await expect.poll(() => simulator.requests.inFlight).toBe(0);
    expect(simulator.requests.count({ route: "/health", status: undefined })).toBe(1);
  });

  test("closes the connection", async () => {
    const { simulator, send } = await startService({ faults: ["cut=start"] });
    await expect(send(LIST)).rejects.toThrow("fetch failed");
    await expect.poll(() => simulator.requests.count({ status: undefined })).toBe(1);
  });
});

describe("faults of the connection", () => {
  test.each([
    ["wrong-length=10", 10],
    ["wrong-length=-2", -2],
    ["wrong-length=-1000000", undefined],
  ])("%s sends the whole body, and ends the connection", async (fault, by) => {
    const { simulator } = await startService({ faults: [fault] });
    const socket = connect(simulator.port, "127.0.0.1");
    socket.write(`GET /api/v2${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY==\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
    const [head = "", body = ""] = Buffer.concat(chunks).toString("latin1").split("\r\n\r\n");
    expect(head).toMatch(/\r\nConnection: close/);
    expect(body.endsWith("]")).toBe(true);
    expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBe(by === undefined ? 0 : body.length + by);
  });

  test.each([
    ["wrong-length=-1", "1"],
    ["wrong-length=10", "10"],
  ])("%s shows with an empty body", async (fault, stated) => {
    const { simulator } = await startService({ faults: [fault, "empty=body"] });
    const socket = connect(simulator.port, "127.0.0.1");
    socket.write(`GET /api/v2${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY==\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
    const head = Buffer.concat(chunks).toString("latin1");
    expect(/Content-Length: (\d+)/.exec(head)?.[1]).toBe(stated);
  });

  test("resets the connection", async () => {
    const { simulator } = await startService({ faults: ["cut=reset"] });
    const socket = connect(simulator.port, "127.0.0.1");
    socket.write(`GET /api/v2${LIST} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNRESET" });
    await expect.poll(() => simulator.requests.count({ status: undefined })).toBe(1);
  });

  test("closes all connections at a restart and forgets sessions", async () => {
    const { simulator, send, clock } = await startService();
    const login = JSON.stringify({ username: "operator", password: "correct horse" });
    const { json } = await send("/session", { method: "POST", body: login });
    const { token } = json as { readonly token: string };
    expect((await send(LIST, { bearer: token })).status).toBe(200);
    simulator.faults.set(["restart=5s@/version#1"]);
    await expect(send("/version")).rejects.toThrow("fetch failed");
    await clock.sleeping();
    await expect(send("/health")).rejects.toThrow("fetch failed");
    await clock.advance(5_000);
    await expect.poll(async () => (await send("/health").catch(() => undefined))?.status).toBe(204);
    expect((await send(LIST, { bearer: token })).status).toBe(401);
    expect((await send(LIST)).status).toBe(200);
  });

  test("stays down if the simulator closes during the restart", async () => {
    const { simulator, send } = await startService({ faults: ["restart=5s"] });
    await expect(send("/version")).rejects.toThrow("fetch failed");
    await simulator.close();
    await expect(send("/version")).rejects.toThrow("fetch failed");
  });
});

describe("faults with unusual answers", () => {
  test.each<[fault: string, status: number, text: string, total: string | null]>([
    ["empty", 200, "[]", "0"],
    ["empty=null", 200, "null", "0"],
    ["empty=204", 204, "", "0"],
    ["empty=body", 200, "", null],
  ])("%s", async (fault, status, text, total) => {
    const { send } = await startService({ faults: [fault] });
    const answer = await send(LIST);
    expect([answer.status, answer.text, answer.headers.get("x-total-count")]).toEqual([status, text, total]);
  });

  test("shortens all rows of a time series except the header", async () => {
    const { send, simulator } = await startService();
    const ask = async () => (await send("/experimental/timeseries/1000/live")).json as unknown[][];
    const [header, ...sound] = await ask();
    expect(sound.length).toBeGreaterThan(0);
    simulator.faults.set(["short-rows"]);
    expect(await ask()).toEqual([header, ...sound.map((row) => (row.length > 1 ? row.slice(0, -1) : row))]);
  });

  test("sends values with their unit", async () => {
    const { send } = await startService({ faults: ["text-values"] });
    const { text } = await send("/experimental/channels");
    expect(text).toMatch(/"display_value":"[0-9.]+ %"/);
    expect(text).not.toMatch(/"display_value":[0-9]/);
  });

  test("sends values in another unit and language", async () => {
    const { send, simulator } = await startService({ faults: ["text-values=de"] });
    const { text } = await send("/experimental/channels");
    expect(text).toMatch(/"display_value":"[0-9.]+,[0-9]{1,2} \D+"/);
    expect(text).not.toMatch(/"display_value":[0-9]/);
    simulator.faults.set(["text-values=odd"]);
    expect((await send("/experimental/channels")).text).toMatch(/"display_value":"about [0-9.]+"/);
  });

  test("refuses one parameter only", async () => {
    const { send } = await startService({
      faults: ["refuses=include:intervalgroup@/experimental/sensors", "refuses=limit:1000@/experimental/devices"],
    });
    const statusOf = async (path: string) => (await send(path)).status;
    expect(await statusOf("/experimental/sensors?include=path,intervalgroup")).toBe(400);
    expect(await statusOf("/experimental/sensors?include=path")).toBe(200);
    expect(await statusOf("/experimental/groups?include=intervalgroup")).toBe(200);
    expect(await statusOf("/experimental/devices?limit=1001")).toBe(400);
    expect(await statusOf("/experimental/devices?limit=1000")).toBe(200);
  });

  test("refuses requests like the classic web port", async () => {
    const { send } = await startService({ faults: ["unsupported-scheme"] });
    const { status, text } = await send(LIST);
    expect([status, text]).toEqual([401, expect.stringContaining("Unsupported authorization scheme")]);
  });
});

describe("faults of the delivery", () => {
  test.each(["endless", "endless=400MB"])("%s", async (fault) => {
    const { simulator } = await startService({ clock: systemClock, faults: [fault] });
    const headers = { Authorization: "Bearer KEY==" };
    const response = await fetch(`${simulator.url}/api/v2${LIST}`, { headers });
    const reader = response.body?.getReader();
    let size = 0;
    while (size < 200_000) size += (await reader?.read())?.value?.length ?? Number.NaN;
    expect([response.status, response.headers.get("content-length")]).toEqual([200, null]);
    await reader?.cancel();
    await expect.poll(() => simulator.requests.inFlight).toBe(0);
  });

  test("sends an endless body only if the answer has one", async () => {
    const { send } = await startService({ faults: ["endless"] });
    expect((await send("/health")).status).toBe(204);
  });

  test("sends a wrong content type", async () => {
    const { send } = await startService({ faults: ["content-type=application/xml"] });
    const { headers, text } = await send(LIST);
    expect([headers.get("content-type"), JSON.parse(text)]).toEqual(["application/xml", expect.any(Array)]);
  });

  test("cuts the answer off half-way", async () => {
    const { simulator } = await startService({ faults: ["cut"] });
    const socket = connect(simulator.port, "127.0.0.1");
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.write(`GET /api/v2${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY==\r\n\r\n`);
    await once(socket, "close");
    const [head = "", body = ""] = Buffer.concat(received).toString("latin1").split("\r\n\r\n");
    const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(announced).toBeGreaterThan(500);
    expect(body.length).toBe(Math.floor(announced / 2));
  });

  test("truncates the JSON in a complete HTTP answer", async () => {
    const { send, simulator } = await startService();
    const whole = (await send(LIST)).text;
    simulator.faults.set(["truncate=0.25"]);
    const { status, json, text } = await send(LIST);
    expect(status).toBe(200);
    expect(json).toBeUndefined();
    expect(whole.startsWith(text)).toBe(true);
    expect(text.length / whole.length).toBeCloseTo(0.25, 2);
  });

  test("delays the answer and shows the later state", async () => {
    const { send, clock } = await startService({ faults: ["latency=1200ms"] });
    const answer = send("/version");
    expect(await clock.sleeping()).toBe(1200);
    await clock.advance(1200);
    const { status, headers } = await answer;
    expect([status, headers.get("date")]).toEqual([200, "Thu, 12 Mar 2026 17:55:11 GMT"]);
  });

  test("fails with EXECUTION_TIMEOUT after a longer delay", async () => {
    const { send, clock } = await startService({ faults: ["latency=40s"] });
    const answer = send("/version");
    expect(await clock.sleeping()).toBe(25_000);
    await clock.advance(25_000);
    expect((await answer).json).toMatchObject({ code: "EXECUTION_TIMEOUT" });
  });

  test("sends 20 pieces a second", async () => {
    const { send, simulator, clock } = await startService();
    const whole = (await send(LIST)).text;
    simulator.faults.set(["drip=4kB"]);
    const answer = send(LIST);
    const drips = Math.ceil(Buffer.byteLength(whole) / 200);
    for (let pauses = 1; pauses < drips; pauses++) {
      expect(await clock.sleeping()).toBe(50);
      await clock.advance(50);
    }
    expect((await answer).text).toBe(whole);
    expect(drips).toBeGreaterThan(5);
  });
});

describe("faults that move a list", () => {
  const all = "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3".split(" ");
  const page = (offset: number) => `/experimental/channels?limit=2&offset=${offset}`;

  test.each<[fault: string, pages: string[][], totals: string]>([
    ["moving-list=delete#1", [all.slice(0, 2), all.slice(3, 5), all.slice(5)], "6 5 5"],
    ["moving-list=delete", [all.slice(0, 2), all.slice(3, 5), []], "6 5 4"],
    ["moving-list=insert#1", [all.slice(0, 2), all.slice(1, 3), all.slice(3, 5)], "6 7 7"],
    ["moving-list=reorder#1", [all.slice(0, 2), all.slice(3, 5), ["2000.3", "1000.0"]], "6 6 6"],
  ])("%s", async (fault, pages, totals) => {
    const { send, ids, simulator } = await startService({ faults: [fault] });
    expect([await ids(page(0)), await ids(page(2)), await ids(page(4))]).toEqual(pages);
    // A one-time fault leaves the second reading undisturbed.
    if (fault.endsWith("#1")) {
      expect([...(await ids(page(0))), ...(await ids(page(2))), ...(await ids(page(4)))]).toEqual(all);
    }
    simulator.faults.set([fault]);
    const counts: (string | null)[] = [];
    for (const offset of [0, 2, 4]) counts.push((await send(page(offset))).headers.get("x-total-count"));
    expect(counts.join(" ")).toBe(totals);
  });

  test("does not move other lists", async () => {
    const { ids } = await startService({ faults: ["moving-list@/experimental/channels"] });
    await ids(page(2));
    expect(await ids("/experimental/sensors?offset=1")).toEqual(["1001", "1002", "2000"]);
  });
});

describe("faults of the content", () => {
  test("rounds values and shifts timestamps by a second", async () => {
    const { send, simulator } = await startService({ faults: ["rounded=1"] });
    const measured = async (id: string) => (await send(`/channels/${id}`)).json;
    const rounded = [await measured("1000.0"), await measured("1001.2")];
    simulator.faults.clear();
    expect(rounded).toMatchObject([
      { last_measurement: { display_value: 68.8, value: 68.8, timestamp: "2026-03-12T17:55:06Z" } },
      { last_measurement: { display_value: 12, value: 1_500_000, timestamp: "2026-03-12T17:54:59Z" } },
    ]);
    expect(await measured("1000.0")).toMatchObject({
      last_measurement: { display_value: 68.75, timestamp: "2026-03-12T17:55:05Z" },
    });
  });

  test("sends a wrong total that is never negative", async () => {
    const { send, simulator } = await startService({ faults: ["wrong-total=3"] });
    const total = async () => (await send(LIST)).headers.get("x-total-count");
    expect(await total()).toBe("7");
    simulator.faults.set(["wrong-total=-100"]);
    expect(await total()).toBe("0");
  });

  test("sends an endless list with full pages, new objects and no total", async () => {
    const { send } = await startService({ faults: ["endless-list"] });
    const seen = new Set<string>();
    for (const offset of [0, 50, 100_000]) {
      const { json, headers } = await send(`${LIST}?limit=50&offset=${offset}`);
      const records = json as readonly { readonly id: string; readonly name: string }[];
      expect([records.length, headers.get("x-total-count")]).toEqual([50, null]);
      for (const { id } of records) seen.add(id);
    }
    expect(seen.size).toBe(150);
  });

  test("keeps channels of an endless list with their sensors", async () => {
    const { send } = await startService({ faults: ["endless-list"] });
    const { json } = await send("/experimental/channels?limit=50&offset=3000");
    const sensors = new Set((json as readonly { readonly id: string }[]).map(({ id }) => id.split(".")[0]));
    const known = (await send(LIST.concat("?limit=4"))).json as readonly { readonly id: string }[];
    expect(known.map(({ id }) => id)).toEqual(expect.arrayContaining([...sensors]));
  });

  test.each([
    ["large=100000", /^\[\{\}(,\{\})+\] *$/],
    ["large=100001,arrays", /^\[+\]+ *$/],
    ["large=100000,text", /^"x+"$/],
  ])("%s: sends a complete answer of that size", async (fault, shape) => {
    const { send } = await startService({ faults: [fault] });
    const { text, status } = await send("/health");
    expect([status, text.length]).toEqual([200, Number(fault.replace(/\D/g, ""))]);
    expect(text).toMatch(shape);
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test("sends a long name in the first record of a page", async () => {
    const { send } = await startService({ faults: ["long-names=70000"] });
    const [first, second] = (await send(LIST)).json as readonly { readonly name: string }[];
    expect([first?.name.length, (second?.name.length ?? 0) < 1_000]).toEqual([70_000, true]);
  });

  test("adds invalid records to valid ones", async () => {
    const world = createWorld({
      seed: 1,
      size: { probes: 1, groups: 2, devices: 4, sensors: 20, channels: 80 },
      startedAt: 0,
    });
    const { send, ids, simulator } = await startService({ world });
    const good = (await send("/experimental/channels")).json as unknown[];
    simulator.faults.set(["odd-records=4"]);
    const mixed = (await send("/experimental/channels")).json as unknown[];
    expect(mixed).toHaveLength(good.length);
    const odd = mixed.filter((record, index) => JSON.stringify(record) !== JSON.stringify(good[index]));
    expect(odd.length).toBeGreaterThanOrEqual(18);
    expect(odd.length).toBeLessThanOrEqual(20);
    expect(
      new Set(odd.map((record) => (record === null ? "null" : Array.isArray(record) ? "array" : typeof record))),
    ).toEqual(new Set(["object", "null", "array", "string"]));
    simulator.faults.clear();
    expect(await ids("/experimental/channels")).toHaveLength(80);
  });
});

describe("faults with a wrong tree", () => {
  const groups = "/experimental/groups";
  const SIZE = { probes: 1, groups: 60, devices: 70, sensors: 80 };
  const start = () => startService({ world: createWorld({ seed: 1, size: SIZE, startedAt: 0 }) });
  type Item = { readonly id: string; readonly parent: { readonly id: string } };

  test.each<
    [shape: string, parentOf: (index: number, items: readonly Item[], sound: readonly Item[]) => string | undefined]
  >([
    ["chain", (index, items, sound) => (items[index - 1] ?? sound[0]?.parent)?.id],
    ["cycle", (index, items) => items[(index + 1) % items.length]?.id],
    ["self", (index, items) => items[index]?.id],
    ["lost", () => "987654321"],
  ])("parents=%s", async (shape, parentOf) => {
    const { send, simulator } = await start();
    const sound = (await send(groups)).json as Item[];
    simulator.faults.set([`parents=${shape}`]);
    const items = (await send(groups)).json as Item[];
    expect(items.map(({ id }) => id)).toEqual(sound.map(({ id }) => id));
    expect(items.length).toBeGreaterThan(50);
    expect(items.map(({ parent }) => parent.id)).toEqual(items.map((_, index) => parentOf(index, items, sound)));
  });

  test("gives two objects of a page the same id", async () => {
    const { ids, send, simulator } = await start();
    const sound = (await send(groups)).json as Item[];
    simulator.faults.set(["twin-ids"]);
    const twins = (await send(groups)).json as (Item & { readonly name: string })[];
    expect(await ids(groups)).toEqual([sound[0]?.id, sound[0]?.id, ...sound.slice(2).map(({ id }) => id)]);
    expect(new Set(twins.slice(0, 2).map(({ name }) => name)).size).toBe(2);
  });

  test("exchanges the ids of groups and devices", async () => {
    const { ids, send, simulator } = await start();
    const sound = [await ids(groups), await ids("/experimental/devices")];
    const parents = async () => ((await send("/experimental/sensors")).json as Item[]).map(({ parent }) => parent.id);
    const before = await parents();
    simulator.faults.set(["swapped-kinds"]);
    const swapped = [await ids(groups), await ids("/experimental/devices")];
    expect(swapped[0]).toEqual(sound[1]?.slice(0, sound[0]?.length));
    expect(swapped[1]?.slice(0, sound[0]?.length)).toEqual(sound[0]);
    const pair = new Map(sound[1]?.map((id, index) => [id, swapped[1]?.[index]]));
    expect(await parents()).toEqual(before.map((id) => pair.get(id)));
  });
});

describe("faults of the clock", () => {
  test("shifts all times of the answer", async () => {
    const { send, simulator } = await startService();
    const at = async () => {
      const { headers, json } = await send("/channels/1000.0");
      const { last_measurement: last } = json as { readonly last_measurement: { readonly timestamp: string } };
      return [headers.get("date"), last.timestamp].map((text) => Date.parse(text ?? ""));
    };
    const [date = 0, measured = 0] = await at();
    simulator.faults.set(["skew=+2h"]);
    const [later = 0, measuredLater = 0] = await at();
    expect([later - date, measuredLater - measured >= 0]).toEqual([7_200_000, true]);
    simulator.faults.set(["date=-90s"]);
    expect(await at()).toEqual([date - 90_000, measured]);
  });
});

describe("selection of requests for a fault", () => {
  test("records the faults of each request", async () => {
    const { send, simulator } = await startService({ faults: ["wrong-total=1", "error=503@/version"] });
    await send(LIST);
    await send("/version");
    simulator.faults.clear();
    await send("/version");
    expect(simulator.requests.recent().map(({ faults }) => faults)).toEqual([
      ["wrong-total=1"],
      ["wrong-total=1", "error=503@/version"],
      [],
    ]);
  });

  test("matches path and method", async () => {
    const { send } = await startService({ faults: ["error=500@POST:/session", "error=503@/experimental/*"] });
    expect((await send("/session", { method: "POST" })).status).toBe(500);
    expect((await send("/session")).status).toBe(400);
    expect((await send(LIST)).status).toBe(503);
    expect((await send("/sensors")).status).toBe(200);
  });

  test.each<[fault: string, path: string, hit: boolean]>([
    ["html@*?limit=3", "?limit=3", true],
    ["html@*?limit=3", "?limit=30", false],
    ["html@*?limit=3", "", false],
    ["html@*?limit", "?limit=7", true],
    ["html@*?limit&include=path", "?limit=7&include=basic,path", true],
    ["html@*?limit&include=path", "?limit=7&include=basic&include=path", true],
    ["html@*?limit&include=path", "?include=path", false],
    ["html@*?filter=*down*", "?filter=status%20%3D%20down", true],
  ])("%s hits %s: %s", async (fault, query, hit) => {
    const { send } = await startService({ faults: [fault] });
    const { headers } = await send(`${LIST}${query}`);
    expect(headers.get("content-type")?.startsWith("text/html")).toBe(hit);
  });

  test("begins after a number of matching requests and shows its progress", async () => {
    const { send, simulator } = await startService({ faults: ["error=503@/version#2,after=1"] });
    const statuses: number[] = [];
    for (const path of ["/health", "/version", "/version"]) statuses.push((await send(path)).status);
    expect(simulator.faults.states()).toEqual([
      { fault: "error=503@/version#2,after=1", left: 1, passing: 0, applied: 1 },
    ]);
    for (const path of ["/version", "/version"]) statuses.push((await send(path)).status);
    expect(statuses).toEqual([204, 200, 503, 503, 200]);
    simulator.faults.add("hang@/health");
    expect(simulator.faults.states()).toEqual([{ fault: "hang@/health", left: null, passing: 0, applied: 0 }]);
  });

  test("plays a sequence of faults", async () => {
    const { send } = await startService({ faults: ["error=503@/version#2", "error=500@/version#1,after=2"] });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await send("/version")).status);
    expect(statuses).toEqual([503, 503, 500, 200]);
  });

  test("refuses a fault that no operation can match", async () => {
    const { simulator } = await startService();
    expect(() => simulator.faults.add("hang@/sensor")).toThrow("The nearest paths: /sensors");
    await expect(startService({ faults: ["hang@/sensor"] })).rejects.toThrow("no operation has the path /sensor");
  });

  test("matches unknown paths", async () => {
    const { send } = await startService({ faults: ["html"] });
    expect((await send("/nothing")).status).toBe(200);
  });

  test("applies to the next matching requests only", async () => {
    const { send, simulator } = await startService({ faults: ["error=500#2", "execution-timeout=10#1"] });
    const statuses: number[] = [];
    for (let i = 0; i < 2; i++) statuses.push((await send("/version")).status);
    expect(simulator.faults.list()).toEqual(["execution-timeout=10#1"]);
    for (const limit of [10, 11, 11]) statuses.push((await send(`${LIST}?limit=${limit}`)).status);
    expect(statuses).toEqual([500, 500, 200, 408, 200]);
    expect(simulator.faults.list()).toEqual([]);
  });

  test("applies to a share, repeatable with the same seed", () => {
    const strikes = (seed: number): string => {
      const faults = new Faults(seededRandom(seed), ["hang#0.3"]);
      const target = { method: "GET", path: LIST, page: undefined, query: new URLSearchParams() };
      return Array.from({ length: 1000 }, () => (faults.apply(target).get("hang") === undefined ? "." : "x")).join("");
    };
    expect(strikes(1)).toBe(strikes(1));
    expect(strikes(1)).not.toBe(strikes(2));
    expect(strikes(1).split("x").length - 1).toBeGreaterThan(250);
    expect(strikes(1).split("x").length - 1).toBeLessThan(350);
  });

  test("combines several faults", async () => {
    const { send, clock } = await startService({ faults: ["latency=10ms", "truncate=0", "wrong-total=1"] });
    const answer = send(LIST);
    await clock.sleeping();
    await clock.advance(10);
    const { text, headers } = await answer;
    expect([text, headers.get("x-total-count")]).toEqual(["", "5"]);
  });

  test("keeps the old faults if one is wrong", async () => {
    const { simulator } = await startService({ faults: ["html"] });
    expect(() => simulator.faults.set(["hang", "nonsense"])).toThrow("there is no fault");
    expect(() => simulator.faults.add("nonsense")).toThrow("there is no fault");
    expect(simulator.faults.list()).toEqual(["html"]);
    await expect(startService({ faults: ["nonsense"] })).rejects.toThrow("there is no fault");
  });
});
