import { once } from "node:events";
import { connect, createServer } from "node:net";
import { Agent, request } from "undici";
import { describe, expect, test } from "vitest";
import { certificate, keyPair } from "../../../test/support/certificates.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { type LoggedRequest, RequestLog } from "../src/server/request-log.ts";
import { startSimulator } from "../src/simulator.ts";
import type { World } from "../src/world/model.ts";
import { CREDENTIALS, startService } from "./support/running-service.ts";
import { StaticWorld } from "./support/static-world.ts";

describe("request log", () => {
  test("counts by method, route and status", async () => {
    const logged: LoggedRequest[] = [];
    const { send, simulator } = await startService({ log: (entry) => logged.push(entry) });
    for (const path of ["/sensors/1000", "/sensors/1001", "/sensors/1", "/nothing", "/version"]) await send(path);
    await send("/session", { method: "POST" });
    await expect.poll(() => simulator.requests.count()).toBe(6);
    expect(simulator.requests.counts()).toEqual([
      { method: "GET", route: "/sensors/{id}", status: 200, count: 2 },
      { method: "GET", route: "/sensors/{id}", status: 404, count: 1 },
      { method: "GET", route: "(unknown)", status: 404, count: 1 },
      { method: "GET", route: "/version", status: 200, count: 1 },
      { method: "POST", route: "/session", status: 400, count: 1 },
    ]);
    expect(simulator.requests.count({ route: "/sensors/{id}" })).toBe(3);
    expect(simulator.requests.count({ status: 404, method: "GET" })).toBe(2);
    expect(simulator.requests.recent()).toEqual(logged);
    expect(logged[0]).toMatchObject({ url: "/api/v2/sensors/1000", status: 200, bytes: expect.any(Number) });
    simulator.requests.reset();
    expect([simulator.requests.count(), simulator.requests.recent()]).toEqual([0, []]);
  });

  test("has the id of the request, and so has the answer", async () => {
    const { send, simulator } = await startService();
    const { headers } = await send("/version");
    await expect.poll(() => simulator.requests.recent()).toMatchObject([{ requestId: headers.get("x-request-id") }]);
  });

  test("knows the greatest number of concurrent requests", async () => {
    const { send, simulator, clock } = await startService({ faults: ["latency=1s"] });
    const answers = [send("/version"), send("/version"), send("/version")];
    // All must wait before time passes.
    await expect.poll(() => clock.pending).toEqual([1000, 1000, 1000]);
    expect(simulator.requests.inFlight).toBe(3);
    await clock.advance(1000);
    await Promise.all(answers);
    await expect.poll(() => simulator.requests.inFlight).toBe(0);
    expect(simulator.requests.maxInFlight).toBe(3);
    simulator.requests.reset();
    expect(simulator.requests.maxInFlight).toBe(0);
  });

  test.each([
    [10, 10],
    // URLs count, too.
    [100_000, 39],
  ])("keeps bodies of %i characters of the last %i requests at most", (size, kept) => {
    const log = new RequestLog({ clock: new ManualClock(), keepsContents: true });
    for (let i = 0; i < 100; i++) {
      const request = log.open(String(i), "POST", "/");
      request.body = "x".repeat(size);
      request.finish(200, 0);
    }
    const found = log.recent().filter(({ requestId }) => log.contentsOf(requestId) !== undefined);
    expect(found).toHaveLength(size === 10 ? 100 : kept);
    expect(found.at(-1)?.requestId).toBe("99");
    log.reset();
    expect(log.contentsOf("99")).toBeUndefined();
  });

  test("keeps no bodies without the control endpoint", async () => {
    const { send, simulator } = await startService();
    await send("/version");
    const [{ requestId } = { requestId: "" }] = simulator.requests.recent();
    expect(simulator.requests.contentsOf(requestId)).toBeUndefined();
  });

  test("keeps the last thousand requests", async () => {
    const { simulator } = await startService();
    for (let i = 0; i < 2500; i++) simulator.requests.open(String(i), "GET", "/").finish(200, 0);
    expect(simulator.requests.recent()).toHaveLength(1000);
    expect(simulator.requests.recent().at(-1)?.requestId).toBe("2499");
    expect(simulator.requests.count()).toBe(2500);
  });
});

describe("connections of the server", () => {
  test("stay open between requests", async () => {
    const { simulator } = await startService();
    const ports = new Set<number | undefined>();
    const agent = new Agent({ connections: 1 });
    agent.on("connect", () => ports.add(ports.size));
    for (let i = 0; i < 3; i++) {
      const { body } = await request(`${simulator.url}/api/v2/health`, { dispatcher: agent });
      await body.dump();
    }
    await agent.close();
    expect(ports.size).toBe(1);
  });

  test("end with the simulator, also during a request", async () => {
    const { simulator, send } = await startService({ faults: ["hang"] });
    const hanging = send("/version");
    await expect.poll(() => simulator.requests.inFlight).toBe(1);
    await Promise.all([expect(hanging).rejects.toThrow(), simulator.close()]);
    await expect(send("/version")).rejects.toThrow();
  });

  test("support TLS", async () => {
    const { simulator } = await startService({ tls: keyPair("localhost") });
    expect(simulator.url).toBe(`https://127.0.0.1:${simulator.port}`);
    const agent = new Agent({ connect: { ca: certificate("ca.pem"), servername: "localhost" } });
    const { statusCode, headers, body } = await request(`${simulator.url}/api/v2/experimental/sensors?limit=1`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${CREDENTIALS.apiKey}` },
    });
    await body.dump();
    await agent.close();
    expect(statusCode).toBe(200);
    expect(headers.link).toMatch(/^<https:\/\/127\.0\.0\.1:/);
  });

  test("stop the start if the address is in use", async () => {
    const { simulator, clock } = await startService();
    const options = { world: simulator.world, clock, spelling: "live", credentials: CREDENTIALS } as const;
    await expect(startSimulator({ ...options, port: simulator.port })).rejects.toThrow("EADDRINUSE");
  });
});

describe("malformed HTTP requests", () => {
  async function raw(port: number, text: string): Promise<{ head: string; body: unknown }> {
    const socket = connect(port, "127.0.0.1");
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.end(text);
    await once(socket, "close");
    const [head = "", body = ""] = Buffer.concat(received).toString().split("\r\n\r\n");
    return { head, body: JSON.parse(body) };
  }

  test("get an error object", async () => {
    const { simulator } = await startService();
    const { head, body } = await raw(simulator.port, "nonsense\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(body).toEqual({
      code: "BAD_REQUEST",
      message: expect.any(String),
      request_id: expect.stringMatching(/^\w{32}$/),
    });
    expect(head).toContain(`X-Request-Id: ${(body as { request_id: string }).request_id}`);
  });

  test.each([
    ["//evil/api/v2/health", 404],
    ["/api/v2/health?a=%zz&b", 204],
    ["http://other/api/v2/health", 404],
    ["*", 404],
  ])("target %s", async (target, status) => {
    const { simulator } = await startService();
    const socket = connect(simulator.port, "127.0.0.1");
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`);
    const [chunk] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(chunk.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe("a reset", () => {
  const createWorld = (): World => new StaticWorld();

  test("listens at once if a restart is under way", async () => {
    const { simulator, send } = await startService({ createWorld, faults: ["restart=1h@/version"] });
    await expect(send("/version")).rejects.toThrow();
    await expect(send("/health")).rejects.toThrow();
    await simulator.reset();
    expect((await send("/health")).status).toBe(204);
  });

  test("breaks off requests under way", async () => {
    const { simulator, send } = await startService({ createWorld, faults: ["hang@/version"] });
    const hanging = expect(send("/version")).rejects.toThrow();
    await expect.poll(() => simulator.requests.inFlight).toBe(1);
    await simulator.reset();
    await hanging;
  });

  test("ends with the delayed restart of an earlier request", async () => {
    const { simulator, send, clock } = await startService({ createWorld, faults: ["latency=1s#1", "restart=1h#1"] });
    const delayed = expect(send("/version")).rejects.toThrow();
    await expect.poll(() => clock.pending).toEqual([1000]);
    await simulator.reset();
    simulator.faults.clear();
    await clock.advance(1000);
    await delayed;
    expect((await send("/health")).status).toBe(204);
  });
});

test("listens again after a restart when another program has freed the port", async () => {
  const { simulator, send, clock } = await startService({ faults: ["restart=5s#1"] });
  await expect(send("/version")).rejects.toThrow();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(simulator.port, "127.0.0.1", resolve));
  await expect.poll(() => clock.pending).toEqual([5000]);
  await clock.advance(5000);
  await expect.poll(() => clock.pending).toEqual([200]);
  await new Promise((resolve) => other.close(resolve));
  await clock.advance(200);
  await expect
    .poll(() =>
      send("/health").then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(204);
});

test.each(["//", "//simulator", "/simulator//x"])("answers a request for %s", async (target) => {
  const { simulator } = await startService({ control: true });
  const socket = connect(simulator.port, "127.0.0.1");
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 4\d\d /);
});

test("the log of bodies does not delay the answer of a fault", async () => {
  const { simulator } = await startService({ keepsContents: true, faults: ["error=503"] });
  const socket = connect(simulator.port, "127.0.0.1");
  socket.write("POST /api/v2/session HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 503 /);
  socket.end("late");
  const [{ requestId = "" } = {}] = simulator.requests.recent();
  await expect.poll(() => simulator.requests.contentsOf(requestId)?.body).toBe("late");
});
