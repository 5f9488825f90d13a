import { setTimeout } from "node:timers/promises";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { start } from "../src/library.ts";
import { inOptions, readOptions } from "../src/library-options.ts";
import type { Release, SensorStatus, SimulatedServer, Spelling, StartOptions } from "../src/library-types.ts";
import type { ReleaseName, SpellingName } from "../src/release/release.ts";
import type { SETTABLE_STATUSES } from "../src/scenario/schema.ts";

const SMALL = { seed: 5, sensors: 20, frozen: true, startAt: "2026-03-12T08:00:00Z" } as const;

async function startSmall(options: StartOptions = {}): Promise<SimulatedServer> {
  const server = await start({ ...SMALL, ...options });
  onTestFinished(() => server.close());
  return server;
}

function ask({ url, apiKey }: SimulatedServer, path = "/experimental/sensors?limit=3", key = apiKey) {
  return fetch(`${url}/api/v2${path}`, { headers: { Authorization: `Bearer ${key}` } });
}

/** What the random numbers of a seed decide. */
async function outcomes(server: SimulatedServer) {
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) {
    const answer = await ask(server, "/version");
    await answer.text();
    statuses.push(answer.status);
  }
  const body = JSON.stringify({ username: "simulated-user", password: "simulated-password" });
  const login = await fetch(`${server.url}/api/v2/session`, { method: "POST", body });
  const { token } = (await login.json()) as { readonly token: string };
  const list = await (await ask(server)).text();
  const ids = server.requests.list().map(({ request_id }) => request_id);
  return { statuses, token, list, ids };
}

const EVERY_OPTION: Required<StartOptions> = {
  ...{ seed: 5, probes: 1, groups: 3, devices: 4, sensors: 20, channels: 60 },
  ...{ spelling: "live", release: "25.4", faults: ["hang"], scenario: "busy-morning" },
  ...{ startAt: new Date(0), speed: 2, frozen: true, sessionLifetime: "90s", control: true },
  ...{ hostileNames: false, acknowledgementMessages: true, host: "::1", port: 1, classicPort: 0 },
  ...{ tls: false, tlsCert: "cert.pem", tlsKey: "key.pem" },
  ...{ apiKey: "a", readApiKey: "b", username: "c", password: "d" },
};

describe("options", () => {
  test("have the defaults of the command, except for the port", () => {
    expect(readOptions({})).toEqual({
      address: { host: "127.0.0.1", port: 0 },
      flags: {
        ...{ seed: 1, spelling: "live", release: "26.3", fault: [], speed: 1 },
        ...{ apiKey: "simulated-key", readApiKey: "simulated-read-key" },
        ...{ username: "simulated-user", password: "simulated-password" },
        listenAddress: { host: "127.0.0.1", port: 1615 },
      },
    });
  });

  test("set all flags", () => {
    const { host, port, faults, startAt, sessionLifetime, ...same } = EVERY_OPTION;
    expect(readOptions(EVERY_OPTION)).toEqual({
      address: { host, port },
      flags: expect.objectContaining({ ...same, fault: faults, startAt: 0, sessionLifetime: 90_000 }),
    });
  });

  test("that are unknown throw an error with all names", () => {
    const options: StartOptions = Object.fromEntries([["sensor", 5]]);
    const names = Object.keys(EVERY_OPTION).toSorted().join(", ");
    expect(() => readOptions(options)).toThrow(
      new TypeError(`sensor: there is no such option. The options are ${names}.`),
    );
  });

  test.each([
    [{ sensors: "many" }, "sensors: found 'many'. Give a whole number of at least 1."],
    [{ sensors: [] }, "sensors: found []. Give a whole number of at least 1."],
    [{ seed: 1.5 }, "seed: found 1.5. Give a whole number of at least 0."],
    [{ port: 70_000 }, "port: found 70000. Give a whole number from 0 to 65535."],
    [{ host: "" }, "host: found ''. Give a name or an address."],
    [{ frozen: "yes" }, "frozen: found 'yes'. Give true or false."],
    [{ apiKey: 5 }, "apiKey: found 5. Give a text that is not empty."],
    [{ apiKey: "" }, "apiKey: found ''. Give a text that is not empty."],
    [{ readApiKey: " " }, "readApiKey: found ' '. Give a text that is not empty."],
    [{ seed: "" }, "seed: found ''. Give a whole number of at least 0."],
    [{ seed: " " }, "seed: found ' '. Give a whole number of at least 0."],
    [{ seed: "5" }, "seed: found '5'. Give a whole number of at least 0."],
    [{ port: "" }, "port: found ''. Give a whole number from 0 to 65535."],
    [{ port: null }, "port: found null. Give a whole number from 0 to 65535."],
    [{ classicPort: "0" }, "classicPort: found '0'. Give a whole number from 0 to 65535."],
    [{ speed: "2" }, "speed: found '2'. Give a number from 0.01 to 86400."],
    [{ release: 25.4 }, "release: found 25.4. Allowed choices are 24.3, 25.1, 25.4, 26.3."],
    [{ startAt: 0 }, "startAt: found 0. Give a time such as 2026-03-12T08:00:00Z."],
    [{ sessionLifetime: 90 }, "sessionLifetime: found 90. Give a duration such as 90s or 30m."],
    [{ faults: [5] }, 'faults: found 5. Give a text such as "error=503#2".'],
    [null, "options: found null. Give an object."],
    ["hang", "options: found 'hang'. Give an object."],
    [{ speed: 0 }, "speed: found 0. Give a number from 0.01 to 86400."],
    [{ release: "23.1" }, "release: found '23.1'. Allowed choices are 24.3, 25.1, 25.4, 26.3."],
    [{ startAt: new Date("no date") }, "startAt: found Invalid Date. Give a time such as 2026-03-12T08:00:00Z."],
    [{ sessionLifetime: "0s" }, "sessionLifetime: found '0s'. Give a duration such as 90s or 30m."],
    [{ faults: "hang" }, "faults: found 'hang'. Give a list such as [\"error=503#2\"]."],
    [{ faults: ["explode"] }, 'faults: fault "explode": there is no fault'],
    [{ faults: ["hang@/experimental/sensor"] }, "faults: "],
    [{ apiKey: "same", readApiKey: "same" }, "apiKey and readApiKey are the same key"],
    [{ tlsCert: "cert.pem" }, "give tlsCert and tlsKey together"],
  ])("%j throws an error that names it", async (options, message) => {
    await expect(start(options as StartOptions)).rejects.toThrow(message);
    await expect(start(options as StartOptions)).rejects.toBeInstanceOf(TypeError);
  });

  test("that stop the start have a code and a remedy", async () => {
    const { port } = await startSmall();
    await expect(startSmall({ port })).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: expect.stringContaining("Choose another port or classicPort"),
    });
    await expect(startSmall({ scenario: "missing" })).rejects.toMatchObject({ code: "SCENARIO_INVALID" });
  });

  test.each(["nonexistent.invalid", "192.0.2.1"])("name the host %s if nothing can listen on it", async (host) => {
    await expect(startSmall({ host })).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: `cannot listen on ${host}:0\nChoose another host. This machine cannot listen on it.`,
    });
  });

  test.each(["/tmp/a--b-c.yaml", "/tmp/ --seed --listen-address .yaml"])(
    "keep the path %s in a message",
    async (path) => {
      await expect(startSmall({ scenario: path })).rejects.toThrow(`cannot read the scenario ${path}: `);
      const files = { tlsCert: path, tlsKey: path };
      await expect(startSmall(files)).rejects.toThrow(
        `cannot use the certificate ${path} with the key ${path}\nGive a certificate and its own private key as PEM files, or tls alone.`,
      );
    },
  );

  test("replace flags in a text, and nothing else", () => {
    expect(inOptions("--tls-cert, --fault and --listen-address")).toBe("tlsCert, faults and port");
    const other = "a--seed --seed-x --unknown ---seed";
    expect(inOptions(other)).toBe(other);
  });

  test("have the types of the simulator", () => {
    expectTypeOf<Release>().toEqualTypeOf<ReleaseName>();
    expectTypeOf<Spelling>().toEqualTypeOf<SpellingName>();
    expectTypeOf<SensorStatus>().toEqualTypeOf<(typeof SETTABLE_STATUSES)[number]>();
  });
});

describe("server", () => {
  test("is independent of others, and leaves signals and output alone", async () => {
    const before = ["SIGTERM", "SIGINT", "exit"].map((name) => process.listenerCount(name));
    const [one, two] = await Promise.all([startSmall(), startSmall({ seed: 6, tls: true, classicPort: 0 })]);
    expect(["SIGTERM", "SIGINT", "exit"].map((name) => process.listenerCount(name))).toEqual(before);
    expect(one.url).toBe(`http://127.0.0.1:${one.port}`);
    expect([one.fingerprint, one.classicUrl]).toEqual([undefined, undefined]);
    expect(two.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(two.classicUrl).toMatch(/^https:/);
    expect((await ask(one)).status).toBe(200);
    expect((await fetch(`${one.url}/simulator`)).status).toBe(404);
    one.faults.add("error=503");
    expect(two.faults.list()).toEqual([]);
  });

  test("refuses connections after its disposal", async () => {
    const server = await startSmall();
    await server[Symbol.asyncDispose]();
    await expect(ask(server)).rejects.toThrow();
  });

  test("has faults", async () => {
    const server = await startSmall({ faults: ["hang@/version#1"] });
    server.faults.add("answer=503@/experimental/sensors#1", { busy: true });
    expect(server.faults.list()).toMatchObject([
      { fault: "hang@/version#1", left: 1 },
      { left: 1, passing: 0, applied: 0 },
    ]);
    const first = await ask(server);
    expect([first.status, await first.json()]).toEqual([503, { busy: true }]);
    expect((await ask(server)).status).toBe(200);
    server.faults.set(["hang@/version", "error=503"]);
    server.faults.remove("error=503");
    expect(server.faults.list().map(({ fault }) => fault)).toEqual(["hang@/version"]);
    expect(() => server.faults.set(["html", "explode"])).toThrow("explode");
    expect(() => Reflect.apply(server.faults.set, undefined, ["html"])).toThrow("faults: found 'html'. Give a list");
    expect(() => Reflect.apply(server.faults.set, undefined, [[5]])).toThrow("faults: found 5. Give a text");
    expect(() => server.faults.remove("html")).toThrow("the fault html is not active");
    expect(server.faults.list()).toHaveLength(1);
    server.faults.clear();
    expect(server.faults.list()).toEqual([]);
  });

  test("has time", async () => {
    const { time } = await startSmall();
    expect(time.get()).toEqual({ now: "2026-03-12T08:00:00.000Z", speed: 1, frozen: true });
    expect(time.step("1h30m").now).toBe("2026-03-12T09:30:00.000Z");
    expect(time.freeze(new Date("2026-03-12T12:00:00Z")).now).toBe("2026-03-12T12:00:00.000Z");
    expect(time.setSpeed(60)).toMatchObject({ speed: 60, frozen: true });
    expect(time.resume().frozen).toBe(false);
    expect(time.freeze().frozen).toBe(true);
    expect(() => time.step("soon")).toThrow(/^by: /);
  });

  test("has requests with headers and bodies", async () => {
    const server = await startSmall({ faults: ["error=503@/experimental/sensors#1"] });
    await ask(server);
    await ask(server, "/experimental/devices?limit=1");
    await fetch(`${server.url}/api/v2/session`, { method: "POST", body: "{}" });
    expect(server.requests.list().map(({ status }) => status)).toEqual([503, 200, expect.any(Number)]);
    expect(server.requests.list({ status: 503 })).toEqual([
      {
        ...{ request_id: expect.any(String), method: "GET", route: "/experimental/sensors", status: 503 },
        ...{ url: "/api/v2/experimental/sensors?limit=3", bytes: expect.any(Number) },
        ...{ faults: ["error=503@/experimental/sensors#1"], body: "" },
        headers: expect.objectContaining({ authorization: `Bearer ${server.apiKey}` }),
        ...{ duration_ms: expect.any(Number), at: expect.stringMatching(/Z$/) },
      },
    ]);
    expect(server.requests.list({ path: "/experimental/*", limit: 1 })).toMatchObject([{ status: 200 }]);
    expect(server.requests.list({ method: "POST" })).toMatchObject([{ body: "{}" }]);
    expect(() => Reflect.apply(server.requests.list, undefined, [null])).toThrow("filter: found null. Give an object.");
    expect(server.requests.counts()).toHaveLength(3);
    server.requests.clear();
    expect(server.requests.list()).toEqual([]);
  });

  test("has objects", async () => {
    const server = await startSmall();
    const { objects } = server;
    const [sensor] = (await (await ask(server)).json()) as [{ readonly id: string }];
    expect(objects.get(sensor.id)).toMatchObject({ id: sensor.id, type: "sensor" });
    expect(objects.force(sensor.id, "down").status).toBe("down");
    expect(objects.acknowledge(sensor.id, { message: "On it" }).status).toBe("acknowledged");
    expect(objects.resume(sensor.id).status).not.toBe("down");
    expect(objects.pause(sensor.id, { message: "New disks", for: "30m" })).toMatchObject({ message: "New disks" });
    objects.resume(sensor.id);
    expect(objects.rename(sensor.id, "Renamed").name).toBe("Renamed");
    objects.set(sensor.id, { channel: 0, to: 3, over: "10m" });
    objects.unset(sensor.id);
    const { parent = "" } = objects.get(sensor.id);
    const added = objects.add(parent, { sensor: "Ping from here" });
    expect(added).toMatchObject({ name: "Ping from here", parent });
    objects.remove(added.id);
    expect(() => objects.get(added.id)).toThrow(`there is no object with the id ${added.id}`);
  });

  test("begins again after a reset, and ends sessions", async () => {
    const server = await startSmall();
    const before = await (await ask(server)).text();
    const body = JSON.stringify({ username: "simulated-user", password: "simulated-password" });
    const login = await fetch(`${server.url}/api/v2/session`, { method: "POST", body });
    const { token } = (await login.json()) as { readonly token: string };
    expect((await ask(server, "/experimental/sensors", token)).status).toBe(200);
    server.endSessions();
    expect((await ask(server, "/experimental/sensors", token)).status).toBe(401);
    server.time.step("3h");
    server.faults.add("html");
    await server.reset();
    expect(server.requests.list()).toEqual([]);
    expect(await (await ask(server)).text()).toBe(before);
  });

  test("lists all requests with an undefined limit", async () => {
    const server = await startSmall();
    const answers = Array.from({ length: 120 }, () => ask(server, "/version").then((answer) => answer.text()));
    await Promise.all(answers);
    await expect.poll(() => server.requests.list()).toHaveLength(120);
    expect(server.requests.list({ limit: undefined })).toHaveLength(120);
  });

  test("repeats ids, tokens and faults after a reset and after a new start", async () => {
    const options = { faults: ["error=503@/version#0.5"] };
    const server = await startSmall(options);
    const first = await outcomes(server);
    expect(new Set(first.statuses)).toEqual(new Set([200, 503]));
    expect(new Set(first.ids).size).toBe(first.ids.length);
    server.time.step("3h");
    await server.reset();
    expect(await outcomes(server)).toEqual(first);
    expect(await outcomes(await startSmall(options))).toEqual(first);
    expect(await outcomes(await startSmall({ ...options, seed: 6 }))).not.toEqual(first);
  });

  test("has the time of its start again after a reset at another speed", async () => {
    const server = await start({ seed: 5, sensors: 20, speed: 0.01 });
    onTestFinished(() => server.close());
    const started = Date.now();
    await setTimeout(50);
    await server.reset();
    expect(Date.parse(server.time.get().now)).toBeLessThanOrEqual(started);
  });

  test("does any other operation of the control endpoint", async () => {
    const server = await startSmall();
    const scenario = "name: renaming\nsteps:\n  - { at: +1m, select: { type: probe, first: 1 }, rename: x }\n";
    expect(server.control("POST", "/scenarios", scenario)).toMatchObject({ name: "renaming", failures: [] });
    expect(server.control("GET", "/scenarios")).toHaveLength(1);
    expect(() => server.control("GET", "/nothing")).toThrow("there is no /simulator/nothing");
  });
});
