import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { CONTROL_OPERATIONS } from "../../src/control/control.ts";
import { parseScenario } from "../../src/scenario/scenario.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator.ts";
import type { SimSensor } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { type Received, type Sent, sendTo } from "../support/running-service.ts";
import { HOUR, MINUTE, STARTED_AT } from "../world/fixtures.ts";

const CREDENTIALS = { apiKey: "KEY==", username: "operator", password: "correct horse" };

interface Running {
  readonly simulator: Simulator;
  readonly clock: ManualClock;
  /** Path below `/simulator`. */
  send(method: string, path: string, body?: unknown): Promise<Received>;
  api(path: string, sent?: Sent): Promise<Received>;
}

async function start(options: Partial<SimulatorOptions> = {}): Promise<Running> {
  const clock = new ManualClock(STARTED_AT);
  const makeWorld = () => createWorld({ seed: 5, size: { sensors: 45 }, startedAt: STARTED_AT });
  const base = {
    world: makeWorld(),
    createWorld: makeWorld,
    clock,
    spelling: "live",
    credentials: CREDENTIALS,
    control: true,
  } as const;
  const simulator = await startSimulator({ ...base, ...options });
  onTestFinished(() => simulator.close());
  const send = (method: string, path: string, body?: unknown): Promise<Received> => {
    const text = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    return sendTo(`${simulator.url}/simulator${path}`, { method, ...text });
  };
  return { simulator, clock, send, api: (path, sent) => sendTo(`${simulator.url}/api/v2${path}`, sent) };
}

async function login(api: Running["api"]) {
  const body = JSON.stringify({ username: CREDENTIALS.username, password: CREDENTIALS.password });
  const { json } = await api("/session", { method: "POST", bearer: null, body });
  return json as { readonly token: string; readonly expires_at: string };
}

test("the control endpoint is off by default", async () => {
  const { send } = await start({ control: false });
  expect(await send("GET", "/time")).toMatchObject({ status: 404, json: { code: "NOT_FOUND" } });
});

describe("control endpoint", () => {
  test("lists its actions once each", async () => {
    const { send } = await start();
    const { status, json } = await send("GET", "");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      seed: 5,
      sensors: 45,
      time: { now: "2026-03-12T14:05:10.000Z", speed: 1, frozen: false },
    });
    const { operations } = json as { readonly operations: readonly string[] };
    expect(operations).toHaveLength(CONTROL_OPERATIONS.length);
    expect(new Set(operations).size).toBe(operations.length);
  });

  test("lists changing statuses at fixed steps", async () => {
    const { simulator, send } = await start();
    const [sensor] = simulator.world.list("sensor");
    if (sensor === undefined) throw new Error("no sensor");
    simulator.freezeAt(STARTED_AT + 30 * MINUTE);
    await send("POST", `/objects/${sensor.id}/pause`, { for: "30m", message: "by hand" });
    simulator.freezeAt(STARTED_AT + 2 * HOUR);
    const query = `from=${new Date(STARTED_AT).toISOString()}&step=20m`;
    const { status, json } = await send("GET", `/status-changes?${query}`);
    expect(status).toBe(200);
    const { changes } = json as { readonly changes: readonly Readonly<Record<string, unknown>>[] };
    const own = changes.filter(({ id }) => id === sensor.id);
    expect(own[0]).toMatchObject({
      type: "sensor",
      name: sensor.name,
      to: "pauseduntil",
      since: new Date(STARTED_AT + 30 * MINUTE).toISOString(),
      at: new Date(STARTED_AT + 40 * MINUTE).toISOString(),
    });
    expect(own[1]).toMatchObject({ from: "pauseduntil" });
    expect(await send("GET", "/status-changes?from=then&step=20m")).toMatchObject({ status: 400 });
    expect(await send("GET", `/status-changes?${query.replace("20m", "1ms")}`)).toMatchObject({ status: 400 });
  });

  test("accepts only the API key", async () => {
    const { simulator } = await start({ credentials: { ...CREDENTIALS, limitedApiKey: "LIMITED" } });
    for (const bearer of [null, "wrong", "LIMITED"]) {
      const answer = await sendTo(`${simulator.url}/simulator/time`, { bearer });
      expect(answer).toMatchObject({ status: 401, json: { message: expect.stringContaining("API key") } });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test.each<[method: string, path: string, body: unknown, status: number, message: string]>([
    ["GET", "/nothing", undefined, 404, "there is no /simulator/nothing"],
    ["GET", "/time/", undefined, 404, "there is no /simulator/time/"],
    ["PUT", "/time", undefined, 405, "/simulator/time supports only GET"],
    ["GET", "/objects/2001/pause", undefined, 405, "supports only POST"],
    ["POST", "/time/step", "no json", 400, "the body is not JSON"],
    ["POST", "/time/step", {}, 400, "by: "],
    ["POST", "/time/step", { by: "soon" }, 400, "expected a duration such as 90s"],
    ["POST", "/time/speed", { speed: 0 }, 400, "between 0.01 and 86400"],
    ["POST", "/time/freeze", { at: "noon" }, 400, "at: "],
    ["POST", "/time/resume", { now: true }, 400, "now"],
    ["POST", "/faults", { fault: "explode" }, 400, 'there is no fault called "explode"'],
    ["DELETE", "/faults?fault=html", undefined, 404, "the fault html is not active"],
    ["GET", "/requests?limit=-1", undefined, 400, "limit: expected a number from 0 to 1000"],
    ["GET", "/contract?for=readers", undefined, 400, "for: expected generators"],
    ["GET", "/objects/99", undefined, 404, "there is no object with the id 99"],
    ["POST", "/objects/99/pause", {}, 404, "there is no object with the id 99"],
    ["DELETE", "/objects/0", undefined, 400, "root"],
    ["POST", "/objects/1/force", { status: "down" }, 400, "is a probe, not a sensor"],
    ["POST", "/objects/1/force", { status: "broken" }, 400, "status: "],
    ["POST", "/objects/1/set", { channel: "x", to: 1 }, 404, "the probe 1 has no channel x"],
    ["POST", "/objects/1/move", { to: "2001" }, 400, "cannot hold a probe"],
    ["POST", "/objects/1/add", { sensor: "x" }, 400, "cannot hold a sensor"],
    ["POST", "/objects/1/add", { sensor: "x", device: "y" }, 400, "sensor or device, and only one"],
    ["POST", "/scenarios", "name: x", 400, "steps: missing"],
    ["POST", "/scenarios", "x".repeat(1_100_000), 413, "larger than"],
  ])("%s %s describes the error", async (method, path, body, status, message) => {
    const { send } = await start();
    expect(await send(method, path, body)).toMatchObject({
      status,
      json: { message: expect.stringContaining(message) },
    });
  });

  test("refuses a long glob for requests", async () => {
    const { send } = await start();
    expect(await send("GET", `/requests?path=${"*a".repeat(501)}`)).toMatchObject({
      status: 400,
      json: { message: "path: expected at most 1000 characters, found 1002" },
    });
  });

  test("returns the contract of the release and spelling, and the one for generators", async () => {
    const { send } = await start({ release: "25.1", spelling: "specification" });
    const statusOf = (json: unknown) =>
      (json as { components: { schemas: { SummedStatus?: object; Status: { enum: string[] } } } }).components.schemas;
    const [whole, forGenerators] = [await send("GET", "/contract"), await send("GET", "/contract?for=generators")];
    expect([whole.status, forGenerators.status]).toEqual([200, 200]);
    expect(whole.json).toMatchObject({ openapi: "3.1.0" });
    expect(forGenerators.json).toMatchObject({ openapi: "3.0.3" });
    expect(statusOf(whole.json).Status.enum).toContain("PAUSED_BY_USER");
    expect(statusOf(forGenerators.json).Status.enum).toEqual(expect.arrayContaining(["up", "pausedbyuser"]));
    expect(statusOf(forGenerators.json)).not.toHaveProperty("SummedStatus");
    expect(JSON.stringify(forGenerators.json)).not.toContain("editSensor");
  });

  test("ignores faults and stays out of the request log", async () => {
    const { send, api, simulator } = await start({ faults: ["hang", "html"] });
    expect((await send("GET", "/time")).status).toBe(200);
    expect(simulator.requests.count()).toBe(0);
    await send("DELETE", "/faults");
    expect((await api("/health")).status).toBe(204);
    expect((await send("GET", "/requests")).json).toMatchObject({
      in_flight: 0,
      counts: [{ route: "/health", status: 204, count: 1 }],
      recent: [{ method: "GET", url: "/api/v2/health", request_id: expect.stringMatching(/^[0-9a-f]{32}$/) }],
    });
    await send("DELETE", "/requests");
    expect((await send("GET", "/requests")).json).toMatchObject({ counts: [], recent: [] });
  });
});

describe("control of time", () => {
  test("stops, steps and accelerates time in all timestamps", async () => {
    const { send, api, clock } = await start();
    await send("POST", "/time/freeze");
    await clock.advance(HOUR);
    expect((await send("POST", "/time/step", { by: "1h30m" })).json).toEqual({
      now: "2026-03-12T15:35:10.000Z",
      speed: 1,
      frozen: true,
    });
    expect((await api("/health")).headers.get("date")).toBe("Thu, 12 Mar 2026 15:35:10 GMT");
    await send("POST", "/time/speed", { speed: 60 });
    await send("POST", "/time/resume");
    await clock.advance(1000);
    expect((await send("GET", "/time")).json).toEqual({ now: "2026-03-12T15:36:10.000Z", speed: 60, frozen: false });
    await send("POST", "/time/freeze", { at: "2026-03-12T20:00:00+01:00" });
    const [sensor] = (await api("/experimental/sensors?limit=1")).json as readonly { readonly lastup: string }[];
    expect(Date.parse(sensor?.lastup ?? "")).toBeGreaterThan(Date.UTC(2026, 2, 12, 18, 50));
  });

  test("starts at the given time and speed when the service listens", async () => {
    const { simulator, clock } = await start({ startAt: STARTED_AT + HOUR, speed: 10 });
    expect(simulator.now()).toBe(STARTED_AT + HOUR);
    await clock.advance(1000);
    expect(simulator.now()).toBe(STARTED_AT + HOUR + 10_000);
  });

  test("measures sessions in simulated time, so that a step can end one", async () => {
    const { api, clock, send } = await start({ frozen: true, sessionLifetimeMs: 10 * MINUTE });
    const { token, expires_at } = await login(api);
    expect(expires_at).toBe("2026-03-12T14:15:10.000Z");
    await clock.advance(HOUR);
    await send("POST", "/time/step", { by: "9m59s" });
    expect((await api("/version", { bearer: token })).status).toBe(200);
    await send("POST", "/time/step", { by: "1s" });
    expect((await api("/version", { bearer: token })).status).toBe(401);
  });
});

describe("control of objects", () => {
  test("pauses, resumes, renames, moves, adds and removes objects in the API", async () => {
    const { send, api, simulator } = await start();
    const [device, other] = simulator.world.list("device");
    const [group] = simulator.world.list("group").slice(-1);
    const paused = await send("POST", `/objects/${device?.id}/pause`, { message: "cleaning", for: "10m" });
    expect(paused.json).toMatchObject({
      id: device?.id,
      type: "device",
      status: expect.stringMatching(/^pause/),
      message: "cleaning",
    });
    expect((await send("POST", `/objects/${device?.id}/resume`)).json).toMatchObject({ status: "up" });
    expect((await send("POST", `/objects/${device?.id}/rename`, { name: "new name" })).json).toMatchObject({
      name: "new name",
    });
    expect((await send("POST", `/objects/${device?.id}/move`, { to: group?.id })).json).toMatchObject({
      parent: group?.id,
    });
    expect((await api(`/devices/${device?.id}`)).json).toMatchObject({ name: "new name", parent: { id: group?.id } });
    const added = await send("POST", `/objects/${device?.id}/add`, { sensor: "another" });
    expect(added).toMatchObject({ status: 201, json: { type: "sensor", name: "another", parent: device?.id } });
    const { id } = added.json as { readonly id: string };
    expect((await api(`/sensors/${id}`)).json).toMatchObject({ name: "another" });
    expect((await send("POST", `/objects/${group?.id}/add`, { device: "spare" })).json).toMatchObject({
      type: "device",
    });
    expect(await send("DELETE", `/objects/${other?.id}`)).toMatchObject({ status: 200, json: { removed: other?.id } });
    expect((await api(`/devices/${other?.id}`)).status).toBe(404);
  });

  test("pauses objects for the given time", async () => {
    const { send, simulator, clock } = await start();
    const id = simulator.world.list("device")[1]?.id;
    await send("POST", `/objects/${id}/pause`, { for: "10m" });
    await clock.advance(10 * MINUTE - 1);
    expect((await send("GET", `/objects/${id}`)).json).toMatchObject({ status: expect.stringMatching(/^pause/) });
    await clock.advance(1);
    expect((await send("GET", `/objects/${id}`)).json).toMatchObject({ status: "up" });
  });

  test("forces sensors down, acknowledges them and moves channel values", async () => {
    const { send, api, simulator, clock } = await start();
    const sensor = simulator.world.list("sensor")[3] as SimSensor;
    await send("POST", `/objects/${sensor.id}/force`, { status: "down" });
    expect((await api(`/sensors/${sensor.id}`)).json).toMatchObject({ status: "DOWN" });
    expect((await send("POST", `/objects/${sensor.id}/acknowledge`, { message: "on it" })).json).toMatchObject({
      status: "acknowledged",
    });
    const limited = simulator.world
      .channels()
      .find(({ limits, displayUnit }) => limits.maxError !== undefined && limits.maxError < 100 && displayUnit === "%");
    if (limited === undefined) throw new Error("no channel has an error limit");
    const { id } = limited.sensor;
    await send("POST", `/objects/${id}/set`, { channel: limited.number, to: 100, for: "1h" });
    await clock.advance(10 * MINUTE);
    expect((await send("GET", `/objects/${id}`)).json).toMatchObject({ status: "down" });
    expect((await api(`/channels/${id}.${limited.number}`)).json).toMatchObject({
      last_measurement: { display_value: 100 },
    });
    expect((await send("POST", `/objects/${id}/unset`)).json).not.toMatchObject({ status: "down" });
    await send("POST", `/objects/${id}/set`, { channel: limited.name, to: 100, for: "1h" });
    await clock.advance(HOUR + 10 * MINUTE);
    expect((await send("GET", `/objects/${id}`)).json).not.toMatchObject({ status: "down" });
  });
});

describe("control of the service", () => {
  test("adds and removes faults", async () => {
    const { send, api } = await start();
    expect(await send("POST", "/faults", { fault: "missing=501@/version" })).toMatchObject({
      status: 201,
      json: {
        faults: ["missing=501@/version"],
        active: [{ fault: "missing=501@/version", left: null, passing: 0, applied: 0 }],
      },
    });
    expect((await api("/version")).status).toBe(501);
    await send("POST", "/faults", { fault: "error=503@/health#2" });
    expect((await send("DELETE", `/faults?${new URLSearchParams({ fault: "missing=501@/version" })}`)).json).toEqual({
      faults: ["error=503@/health#2"],
      active: [{ fault: "error=503@/health#2", left: 2, passing: 0, applied: 0 }],
    });
    expect((await api("/version")).status).toBe(200);
    expect((await send("DELETE", "/faults")).json).toEqual({ faults: [], active: [] });
  });

  test.each([
    ["answer=503@/version#1", "<h1>Busy</h1>", 503, "text/html; charset=utf-8", "<h1>Busy</h1>"],
    ["answer=200", { a: ["@#,"] }, 200, "application/json; charset=utf-8", '{"a":["@#,"]}'],
    ["answer=200,type=text/x", "a\nb", 200, "text/x", "a\nb"],
    ["answer=200", "\ud800", 200, "text/plain; charset=utf-8", "\ufffd"],
    ["answer=200", null, 200, "text/plain; charset=utf-8", "null"],
  ])("adds the fault %s with the body %j", async (fault, body, status, type, text) => {
    const { send, api } = await start();
    expect((await send("POST", "/faults", { fault, body })).status).toBe(201);
    const answer = await api("/version");
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([status, type, text]);
  });

  test("finds and removes a fault with a body by its text as written", async () => {
    const { send, api } = await start();
    const fault = "answer=503@/version#2";
    expect((await send("POST", "/faults", { fault, body: "<h1>Busy</h1>" })).json).toMatchObject({ faults: [fault] });
    await api("/version");
    const query = new URLSearchParams({ fault });
    expect((await send("GET", `/requests?${query}`)).json).toMatchObject({ recent: [{ status: 503 }] });
    expect(await send("DELETE", `/faults?${query}`)).toMatchObject({ status: 200, json: { faults: [] } });
  });

  test.each([
    [{ fault: "answer=304", body: "x" }, "an answer with status 304 has no body"],
    [{ fault: "error=503", body: "x" }, "body: only a fault such as answer=503"],
    [{ fault: "answer=503,body=x", body: "x" }, "body: only a fault such as answer=503"],
    [{ fault: "hang@/sensor" }, "The nearest paths: /sensors"],
  ])("refuses %j", async (body, message) => {
    const { send } = await start();
    const answer = await send("POST", "/faults", body);
    expect([answer.status, answer.json]).toEqual([400, { message: expect.stringContaining(message) }]);
  });

  test("begins again as at the start", async () => {
    const { send, api, simulator, clock } = await start({
      startAt: STARTED_AT,
      frozen: true,
      faults: ["error=503@/health#1"],
    });
    const read = async () => (await api("/experimental/sensors?limit=3000")).text;
    const [before, first] = [await read(), simulator.world.list("sensor")[0]?.id];
    const { token } = await login(api);
    expect((await api("/health")).status).toBe(503);
    await send("POST", `/objects/${first}/rename`, { name: "another" });
    await send("POST", "/faults", { fault: "wrong-total=1" });
    await send("POST", "/time/step", { by: "1h" });
    await clock.advance(HOUR);
    expect(await send("POST", "/reset")).toMatchObject({ status: 200, json: {} });
    expect((await send("GET", "/time")).json).toEqual({ now: "2026-03-12T14:05:10.000Z", speed: 1, frozen: true });
    expect((await send("GET", "/faults")).json).toMatchObject({ faults: ["error=503@/health#1"] });
    expect((await send("GET", "/requests")).json).toMatchObject({ counts: [], recent: [] });
    expect(await read()).toBe(before);
    expect((await login(api)).token).toBe(token);
    expect(simulator.world.node(first ?? "")?.name).not.toBe("another");
    expect((await api("/health")).status).toBe(503);
    await send("POST", "/reset");
    expect((await api("/version", { bearer: token })).status).toBe(401);
  });

  test("cannot begin again with a world that it has not made", async () => {
    const { send } = await start({ createWorld: undefined });
    expect(await send("POST", "/reset")).toMatchObject({
      status: 400,
      json: { message: "this simulator cannot make its world again" },
    });
  });

  test("shows headers and bodies of requests", async () => {
    const { send, api } = await start({ faults: ["html@POST:/sensors/*"] });
    await api("/version", { bearer: "WRONG2" });
    await api("/sensors/1/pause", { method: "POST", body: '{"message":"x"}' });
    await api("/session", { method: "POST", bearer: null, body: "x".repeat(20_000) });
    const { recent } = (await send("GET", "/requests")).json as { readonly recent: readonly object[] };
    expect(recent).toMatchObject([
      { url: "/api/v2/version", headers: { authorization: "Bearer WRONG2" }, body: "" },
      { url: "/api/v2/sensors/1/pause", headers: { "content-length": "15" }, body: '{"message":"x"}' },
      { url: "/api/v2/session", status: 400 },
    ]);
    expect(recent[2]).not.toHaveProperty("body");
  });

  test.each([
    ["method=POST", ["/session"]],
    ["path=/sensors*", ["/sensors/7", "/sensors?limit=1"]],
    ["path=/sensors*&status=404", ["/sensors/7"]],
    ["fault=wrong-total=1@/sensors", ["/sensors?limit=1"]],
    ["limit=1", ["/session"]],
    ["limit=1&method=GET", ["/sensors?limit=1"]],
    ["status=503", []],
  ])("selects requests by %s", async (query, paths) => {
    const { send, api } = await start({ faults: ["wrong-total=1@/sensors"] });
    for (const path of ["/version", "/sensors/7", "/sensors?limit=1"]) await api(path);
    await api("/session", { method: "POST", bearer: null, body: "{}" });
    const { recent } = (await send("GET", `/requests?${query}`)).json as {
      readonly recent: readonly { url: string }[];
    };
    expect(recent.map(({ url }) => url)).toEqual(paths.map((path) => `/api/v2${path}`));
  });

  test.each([
    ["status=ok", "status: expected a number such as 503"],
    ["methd=GET", "methd: expected one of limit, method, path, status, fault"],
  ])("refuses the selection %s", async (query, message) => {
    const { send } = await start();
    expect(await send("GET", `/requests?${query}`)).toMatchObject({ status: 400, json: { message } });
  });

  test("drops sessions and shows mails about new passwords", async () => {
    const { send, api } = await start();
    const body = JSON.stringify({ username: CREDENTIALS.username, password: CREDENTIALS.password });
    const { token } = (await api("/session", { method: "POST", bearer: null, body })).json as {
      readonly token: string;
    };
    await send("DELETE", "/sessions");
    expect((await api("/version", { bearer: token })).status).toBe(401);
    expect(await send("GET", "/password-resets")).toMatchObject({ status: 200, json: [] });
  });

  test("starts and ends a scenario", async () => {
    const { send, simulator, clock } = await start();
    const sensor = simulator.world.list("sensor")[3] as SimSensor;
    const scenario = `name: renaming
steps:
  - { at: +1m, select: { id: ${sensor.id} }, rename: "{name} renamed" }
  - { at: +2m, select: { id: ${sensor.id} }, status: pausedbylicense }`;
    const begun = await send("POST", "/scenarios", scenario);
    expect(begun).toMatchObject({
      status: 201,
      json: {
        name: "renaming",
        begin: "2026-03-12T14:05:10.000Z",
        steps: [{ at: "2026-03-12T14:06:10.000Z" }, {}],
        failures: [],
      },
    });
    await clock.advance(3 * MINUTE);
    expect((await send("GET", `/objects/${sensor.id}`)).json).toMatchObject({
      name: expect.stringMatching(/ renamed$/),
      status: "pausedbylicense",
    });
    expect((await send("GET", "/scenarios")).json).toHaveLength(1);
    expect((await send("DELETE", "/scenarios")).json).toEqual([]);
    expect((await send("GET", `/objects/${sensor.id}`)).json).not.toMatchObject({ status: "pausedbylicense" });
    const wrong = await send("POST", "/scenarios", scenario.replace(sensor.id, "77"));
    expect(wrong).toMatchObject({ status: 400, json: { message: expect.stringContaining("scenario:3:26: ") } });
  });

  test("refuses a scenario that its world cannot run", async () => {
    const text = readFileSync(new URL("../../scenarios/datacenter-power.yaml", import.meta.url), "utf8");
    await expect(start({ scenario: parseScenario(text, "power.yaml") })).rejects.toThrow(/power\.yaml:\d+:\d+: /);
  });
});
