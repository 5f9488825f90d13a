import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type LookupFunction, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ConnectionPool, type ConnectionPoolOptions } from "../../../src/lib/http/connection-pool.ts";
import { sendJson, startApiServer } from "../../prtg/support/api-server.ts";
import { rejection, testClient } from "../../prtg/support/test-client.ts";
import { certificate } from "../../support/certificates.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"version":"1"}';

interface Scripted {
  readonly url: string;
  readonly port: number;
  readonly connections: () => number;
}

/** With the connection's request count. */
async function scripted(
  onRequest: (socket: Socket, nth: number, connection: number) => void,
  port = 0,
  host = "127.0.0.1",
) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = ++connections;
    let requests = 0;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => onRequest(socket, ++requests, connection));
  });
  server.listen(port, host);
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${bound}`, port: bound, connections: () => connections } satisfies Scripted;
}

/** Fails for an error. */
function resolver(addresses: () => readonly string[] | Error): LookupFunction {
  return (_name, _options, callback) => {
    const found = addresses();
    if (found instanceof Error) return callback(Object.assign(found, { code: "ENOTFOUND" }), []);
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}

test.each<[string, (socket: Socket) => void]>([
  ["closed", (socket) => void socket.end()],
  ["reset", (socket) => void socket.resetAndDestroy()],
  ["busy with the rest of an earlier answer", (socket) => void socket.write("]}garbage\r\n\r\n")],
])("a request that finds its connection %s goes out again immediately without a failure", async (_what, end) => {
  const server = await scripted((socket, nth) => (nth === 1 ? void socket.write(ANSWER) : end(socket)));
  const { api, recorded } = testClient(server.url, { limits: { concurrency: 1 } });
  for (let poll = 0; poll < 20; poll++) await api.version(never);
  expect(recorded.codes).toEqual(Array.from({ length: 20 }, () => "/version 200"));
  expect(recorded.retried).toEqual([]);
  expect(recorded.breaker).toEqual([]);
  expect(server.connections()).toBe(20);
});

test("many connections that closed while idle cost no request", async () => {
  let closing = false;
  const server = await scripted((socket, nth) => {
    if (closing && nth > 1) socket.resetAndDestroy();
    else socket.write(ANSWER);
  });
  const { api, recorded } = testClient(server.url, { limits: { concurrency: 4 } });
  const polls = () => Promise.all(Array.from({ length: 4 }, () => api.version(never)));
  await polls();
  closing = true;
  for (let round = 0; round < 5; round++) await polls();
  expect(recorded.codes).toEqual(Array.from({ length: 24 }, () => "/version 200"));
  expect(recorded.retried).toEqual([]);
});

test("opens as many connections as there are requests at once, and uses the first free one", async () => {
  const used: number[] = [];
  const server = await scripted((socket, _nth, connection) => {
    used.push(connection);
    setImmediate(() => socket.write(ANSWER));
  });
  const { ask } = poolOf(server.url);
  await Promise.all([ask(), ask(), ask()]);
  expect(used.toSorted()).toEqual([1, 2, 3]);
  for (let poll = 0; poll < 4; poll++) await ask();
  expect(new Set(used.slice(3)).size).toBe(1);
  await Promise.all([ask(), ask()]);
  expect(server.connections()).toBe(3);
});

test("connections that closed while idle cost one repeat together", async () => {
  let closing = false;
  let sent = 0;
  const server = await scripted((socket, nth, connection) => {
    if (closing && nth > 1 && connection <= 3) socket.resetAndDestroy();
    else socket.write(ANSWER);
  });
  const { ask } = poolOf(server.url, { permit: () => void sent++ });
  const polls = () => Promise.all([ask(), ask(), ask()]);
  await polls();
  closing = true;
  await ask();
  await polls();
  expect(sent).toBe(3 + 2 + 3);
});

test("the repeat of a request uses the newest connections", async () => {
  const asked = Promise.withResolvers<Socket>();
  const server = await scripted((socket, nth, connection) => {
    if (connection === 1 && nth === 2) asked.resolve(socket);
    else socket.write(ANSWER);
  });
  const { pool, ask } = poolOf(server.url);
  await ask();
  const late = ask();
  const first = await asked.promise;
  pool.renew();
  await ask();
  first.resetAndDestroy();
  expect(await late).toBe('{"version":"1"}');
  expect(server.connections()).toBe(2);
});

test("a closed new connection is a failure, without an immediate or endless retry", async () => {
  const server = await scripted((socket) => void socket.resetAndDestroy());
  const { api, recorded } = testClient(server.url, { maxAttempts: 1 });
  expect(await rejection(api.version(never))).toMatchObject({ code: "API_CONNECTION_FAILED" });
  expect(server.connections()).toBe(1);
  expect(recorded.codes).toEqual(["/version connection"]);
});

test("a partial answer gets no immediate retry", async () => {
  const server = await scripted((socket, nth) => {
    if (nth === 1) socket.write(ANSWER);
    else socket.write(ANSWER.slice(0, -3), () => socket.destroy());
  });
  const { api, recorded } = testClient(server.url, { maxAttempts: 1, limits: { concurrency: 1 } });
  await api.version(never);
  expect(await rejection(api.version(never))).toMatchObject({ code: "API_CONNECTION_FAILED" });
  expect(recorded.codes).toEqual(["/version 200", "/version connection"]);
});

test.each<[string, (socket: Socket) => void]>([
  ["ends each connection after its answer", (socket) => void socket.end(ANSWER)],
  ["says Connection: close", (socket) => void socket.end(ANSWER.replace("\r\n", "\r\nconnection: close\r\n"))],
  [
    "says Connection: close and leaves it open",
    (socket) => void socket.write(ANSWER.replace("\r\n", "\r\nconnection: close\r\n")),
  ],
  [
    "says Keep-Alive: timeout=1",
    (socket) => void socket.write(ANSWER.replace("\r\n", "\r\nkeep-alive: timeout=1\r\n")),
  ],
  ["sends a second answer with the first", (socket) => void socket.write(`${ANSWER}${ANSWER.replace('"1"', '"2"')}`)],
  ["sends garbage after the answer", (socket) => void socket.write(`${ANSWER}garbage`)],
  [
    "sends a second answer a little later",
    (socket) => void socket.write(ANSWER, () => setImmediate(() => socket.write(ANSWER.replace('"1"', '"2"')))),
  ],
])("a server that %s fails no poll and gives each its own answer", async (_what, answer) => {
  const server = await scripted((socket) => answer(socket));
  const { api, recorded } = testClient(server.url, { limits: { concurrency: 1 } });
  for (let poll = 0; poll < 20; poll++) expect(await api.version(never)).toEqual(new Map([["version", "1"]]));
  expect(recorded.codes).toEqual(Array.from({ length: 20 }, () => "/version 200"));
});

test("a login uses a new connection, because it cannot be repeated", async () => {
  const server = await startApiServer(({ path }, response) =>
    path === "/session" ? sendJson(response, { token: "token" }) : sendJson(response, { version: "1" }),
  );
  const auth = { kind: "login", username: "user", password: async () => "secret" } as const;
  const { api } = testClient(server.url, { auth, limits: { concurrency: 1 } });
  await api.health(never);
  await api.version(never);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toContain("POST /session");
  expect(server.connections()).toBe(2);
});

test("the pool resolves the server name every five minutes, even if the old address works", async () => {
  const old = await scripted((socket) => void socket.write(ANSWER));
  const moved = await scripted((socket) => void socket.write(ANSWER), old.port, "127.0.0.2");
  let address = "127.0.0.1";
  const clock = new ManualClock();
  const { api } = testClient(`http://prtg.test:${old.port}`, {
    clock,
    limits: { concurrency: 1 },
    lookup: resolver(() => [address]),
  });
  await api.version(never);
  address = "127.0.0.2";
  await api.version(never);
  expect([old.connections(), moved.connections()]).toEqual([1, 0]);
  await clock.advance(5 * 60_000 + 1);
  await api.version(never);
  expect([old.connections(), moved.connections()]).toEqual([1, 1]);
});

test("a silent old address costs one request instead of one per connection", async () => {
  let hangs = false;
  const old = await scripted((socket) => void (hangs || socket.write(ANSWER)));
  const moved = await scripted((socket) => void socket.write(ANSWER), old.port, "127.0.0.2");
  let address = "127.0.0.1";
  const clock = new ManualClock();
  const options = { clock, maxAttempts: 1, lookup: resolver(() => [address]) };
  const { api, recorded } = testClient(`http://prtg.test:${old.port}`, options);
  await Promise.all(Array.from({ length: 4 }, () => api.version(never)));
  expect(old.connections()).toBe(4);
  hangs = true;
  address = "127.0.0.2";
  const lost = rejection(api.version(never));
  await clock.advance(5_001);
  expect(await lost).toMatchObject({ code: "API_TIMEOUT" });
  for (let poll = 0; poll < 4; poll++) await api.version(never);
  expect(recorded.codes.slice(4)).toEqual(["/version timeout", ...Array.from({ length: 4 }, () => "/version 200")]);
  expect(moved.connections()).toBeGreaterThan(0);
});

test.each([
  ["the first is dead", ["127.0.0.3", "127.0.0.1"]],
  ["the last is dead", ["127.0.0.1", "127.0.0.3"]],
  ["the one of IPv6 is dead", ["::1", "127.0.0.1"]],
])("the pool finds the working address: %s", async (_which, addresses) => {
  const server = await scripted((socket) => void socket.write(ANSWER));
  const { api } = testClient(`http://prtg.test:${server.port}`, { lookup: resolver(() => addresses) });
  await api.version(never);
  expect(server.connections()).toBe(1);
});

test("the last address stays in use if the name does not resolve, with one log line", async () => {
  const server = await scripted((socket) => void socket.end(ANSWER));
  let addresses: readonly string[] | Error = ["127.0.0.1"];
  const { api, recorded, logged } = testClient(`http://prtg.test:${server.port}`, {
    lookup: resolver(() => addresses),
  });
  await api.version(never);
  addresses = new Error("getaddrinfo ENOTFOUND prtg.test");
  await api.version(never);
  addresses = [];
  await api.version(never);
  expect(recorded.codes).toEqual(["/version 200", "/version 200", "/version 200"]);
  const told = () => logged().filter(({ msg }) => String(msg).includes("does not resolve")).length;
  expect(told()).toBe(1);
  addresses = ["127.0.0.1"];
  await api.version(never);
  addresses = [];
  await api.version(never);
  expect(told()).toBe(2);
});

test("an answer without addresses counts as unresolved", async () => {
  const { api } = testClient("http://prtg.test:1616", { maxAttempts: 1, lookup: resolver(() => []) });
  const error = await rejection(api.version(never));
  expect(error).toMatchObject({ code: "API_CONNECTION_FAILED" });
  expect(error.message).toContain("the name does not resolve");
});

test("a closed TLS connection costs no request", async () => {
  const server = await startApiServer((_request, response) => {
    const { socket } = response;
    sendJson(response, { version: "1" });
    response.once("close", () => setImmediate(() => socket?.once("data", () => socket.destroy())));
  }, "localhost");
  const tls = { ca: certificate("ca.pem") };
  const { api, recorded } = testClient(server.url, { tls, limits: { concurrency: 1 } });
  for (let poll = 0; poll < 10; poll++) await api.version(never);
  expect(recorded.codes).toEqual(Array.from({ length: 10 }, () => "/version 200"));
  expect(server.connections()).toBe(10);
});

function poolOf(url: string, more: Partial<ConnectionPoolOptions> = {}) {
  const pool = new ConnectionPool({
    origin: url,
    timeoutMs: 30_000,
    clock: new ManualClock(),
    ...more,
  });
  onTestFinished(() => pool.destroy());
  const ask = async () => {
    const { body } = await pool.request({ method: "GET", path: "/", signal: never });
    return body.text();
  };
  return { pool, ask };
}

test("a forbidden request does not go out on an existing connection", async () => {
  const server = await startApiServer((_request, response) => sendJson(response, {}));
  let mayAsk = true;
  const permit = () => {
    if (!mayAsk) throw new Error("not now");
  };
  const { ask } = poolOf(server.url, { permit });
  await ask();
  mayAsk = false;
  await expect(ask()).rejects.toThrow("not now");
  expect(server.requests).toHaveLength(1);
});

test("renew: a current request ends, and the next one uses a new connection", async () => {
  const asked = Promise.withResolvers<() => void>();
  const server = await startApiServer(({ path }, response) => {
    if (server.requests.length === 1) asked.resolve(() => sendJson(response, { path }));
    else sendJson(response, { path });
  });
  const { pool, ask } = poolOf(server.url);
  const first = ask();
  const answerFirst = await asked.promise;
  pool.renew();
  await ask();
  expect(server.connections()).toBe(2);
  answerFirst();
  expect(await first).toContain("path");
});

test("destroy: current and later requests fail, also on old connections", async () => {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const server = await startApiServer(() => asked[server.requests.length === 1 ? 0 : 1].resolve());
  const { pool, ask } = poolOf(server.url);
  const outcomes = [rejection(ask())];
  await asked[0].promise;
  pool.renew();
  outcomes.push(rejection(ask()));
  await asked[1].promise;
  await pool.destroy();
  outcomes.push(rejection(ask()));
  const destroyed = { code: "UND_ERR_DESTROYED" };
  expect(await Promise.all(outcomes)).toMatchObject([destroyed, destroyed, destroyed]);
});

/** On the clock of undici's timeouts. The first tick starts new timers. */
function passTenMinutes(): void {
  const timers: { tick(ms: number): void } = createRequire(import.meta.url)("undici/lib/util/timers.js");
  for (const ms of [0, 10 * 60_000]) timers.tick(ms);
}

test("only the caller's signal bounds a request: headers and body may take minutes", async () => {
  const asked = Promise.withResolvers<void>();
  const steps: (() => void)[] = [];
  const server = await startApiServer((_request, response) => {
    steps.push(
      () => response.writeHead(200, { "content-length": "2" }).flushHeaders(),
      () => response.end("{}"),
    );
    asked.resolve();
  });
  const { pool } = poolOf(server.url);
  const answer = pool.request({ method: "GET", path: "/", signal: never });
  await asked.promise;
  passTenMinutes();
  steps[0]?.();
  const { body } = await answer;
  const text = body.text();
  passTenMinutes();
  steps[1]?.();
  expect(await text).toBe("{}");
});
