import { createServer, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AlertmanagerConfig } from "../../src/config/sync-config.ts";
import { describeError, ExporterError } from "../../src/errors/exporter-error.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { certificate, keyPair } from "../support/certificates.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { clientOf, testBehaviour } from "./support/alertmanager-behaviour.ts";
import { type RunningAlertmanager, startFakeAlertmanager } from "./support/fake-alertmanager.ts";

const START = Date.UTC(2026, 10, 29, 15);
const SILENCE = {
  matchers: [{ name: "server", value: "hq", isRegex: false, isEqual: true }],
  startsAt: START,
  endsAt: START + 3_600_000,
  createdBy: "PRTG admin",
  comment: "a test",
};
const SECRET = "s3cret-token";

describe("client of Alertmanager with the fake", () => {
  const clock = new ManualClock(START);
  let running: RunningAlertmanager;

  beforeAll(async () => {
    running = await startFakeAlertmanager({ clock });
  });

  afterAll(() => running.close());

  testBehaviour(() => ({ url: running.url, clock, pass: (ms) => clock.advance(ms) }));
});

interface FakeSetting {
  readonly path?: string;
  readonly authorization?: string;
  readonly config?: Partial<AlertmanagerConfig>;
}

async function fakeSetting({ path, authorization, config }: FakeSetting = {}) {
  const clock = new ManualClock(START);
  const { fake, url, close } = await startFakeAlertmanager({
    clock,
    ...(path !== undefined && { path }),
    ...(authorization !== undefined && { authorization }),
  });
  const redactor = new Redactor();
  redactor.add(SECRET);
  const client = clientOf({ url, ...config }, clock, redactor);
  onTestFinished(async () => {
    await client.close();
    await close();
  });
  return { clock, fake, url, client };
}

describe("requests", () => {
  it("uses the path of Grafana, credentials and headers", async () => {
    const authorization = `Bearer ${SECRET}`;
    const { client, fake } = await fakeSetting({
      path: "/api/alertmanager/grafana",
      authorization,
      config: {
        authorization: async () => authorization,
        headers: { "X-Scope-OrgID": "network", Accept: "text/html" },
      },
    });
    const id = await client.putSilence(SILENCE, never);
    await client.silences(never);
    await client.alerts(never);
    await client.expireSilence(id, never);
    const base = "/api/alertmanager/grafana/api/v2";
    expect(fake.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST ${base}/silences`,
      `GET ${base}/silences`,
      `GET ${base}/alerts?active=true&silenced=true&inhibited=true&unprocessed=true`,
      `DELETE ${base}/silence/${id}`,
    ]);
    for (const { headers } of fake.requests) {
      expect(headers).toMatchObject({
        authorization,
        accept: "application/json",
        "x-scope-orgid": "network",
        "user-agent": "prtg-exporter/test",
      });
    }
  });

  it("reads the credentials for each request", async () => {
    let count = 0;
    const { client, fake } = await fakeSetting({ config: { authorization: async () => `Bearer ${++count}` } });
    await client.silences(never);
    await client.alerts(never);
    expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
  });

  it("fails with the error of the credentials", async () => {
    const authorization = () => Promise.reject(new ExporterError("SECRET_UNREADABLE", "file /token cannot be read"));
    const { client, fake } = await fakeSetting({ config: { authorization } });
    await expect(client.silences(never)).rejects.toMatchObject({ code: "SECRET_UNREADABLE" });
    expect(fake.requests).toEqual([]);
  });

  it("sends no request with an aborted signal", async () => {
    const { client, fake } = await fakeSetting();
    const reason = new Error("over");
    await expect(client.putSilence(SILENCE, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(fake.requests).toEqual([]);
  });
});

describe("an outage", () => {
  it("fails with ALERTMANAGER_UNREACHABLE while connections are cut, and ends", async () => {
    const { client, fake, url } = await fakeSetting();
    fake.fault = "down";
    const failure = client.silences(never);
    await expect(failure).rejects.toMatchObject({ code: "ALERTMANAGER_UNREACHABLE" });
    await expect(failure).rejects.toThrow(`Alertmanager at ${url} is not reachable (UND_ERR_SOCKET)`);
    fake.fault = "none";
    expect(await client.silences(never)).toEqual([]);
  });

  it("names a refused connection", async () => {
    const { url, close } = await startFakeAlertmanager({ clock: new ManualClock(START) });
    await close();
    const client = clientOf({ url }, new ManualClock(START));
    onTestFinished(() => client.close());
    await expect(client.alerts(never)).rejects.toThrow("is not reachable (ECONNREFUSED)");
  });

  it("ends a request at the timeout", async () => {
    const { client, fake, clock } = await fakeSetting();
    fake.fault = "hangs";
    const failure = client.silences(never).catch((error: unknown) => error);
    while (fake.requests.length === 0) await clock.advance(0);
    await clock.advance(10_000);
    expect(await failure).toMatchObject({
      code: "ALERTMANAGER_UNREACHABLE",
      message: expect.stringContaining("did not answer within 10 s"),
    });
  });

  it("waits for a slow answer", async () => {
    const { client, fake, clock } = await fakeSetting();
    fake.delayMs = 5_000;
    const putting = client.putSilence(SILENCE, never);
    while (fake.requests.length === 0) await clock.advance(0);
    await clock.sleeping((ms) => ms === 5_000);
    await clock.advance(5_000);
    expect(await putting).toBe(fake.silences[0]?.id);
  });

  it("does not repeat a silence whose answer is lost", async () => {
    const { client, fake } = await fakeSetting();
    await client.silences(never);
    fake.fault = "lost";
    await expect(client.putSilence(SILENCE, never)).rejects.toMatchObject({ code: "ALERTMANAGER_UNREACHABLE" });
    expect(fake.silences).toHaveLength(1);
    expect(fake.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });
});

describe("TLS", () => {
  async function secureClient(ca: string | undefined, serverName?: string) {
    const server = createSecureServer(keyPair("localhost"), (_, response) => void response.end("[]"));
    const { port, close } = await listenOnLoopback(server);
    const tls = { ca, serverName, insecureSkipVerify: false };
    const client = clientOf({ url: `https://localhost:${port}`, tls }, new ManualClock(START));
    onTestFinished(async () => {
      await client.close();
      await close();
    });
    return client;
  }

  it("trusts the configured authority", async () => {
    expect(await (await secureClient(certificate("ca.pem"))).silences(never)).toEqual([]);
  });

  it("names the fingerprint of an untrusted certificate", async () => {
    const error = await failureOf((await secureClient(undefined)).silences(never));
    expect(error.code).toBe("ALERTMANAGER_UNREACHABLE");
    expect(describeError(error)).toMatch(/the certificate is not trusted .* fingerprint is ([0-9A-F]{2}:){31}/);
    expect(error.remedy).toMatch(/^Set tls.ca_file to the issuing CA .* tls: \{ fingerprints: \["([0-9A-F]{2}:){31}/);
  });

  it("names its own key if the certificate has another name", async () => {
    const error = await failureOf((await secureClient(certificate("ca.pem"), "other.example.com")).silences(never));
    expect(error.remedy).toContain("Use the name in the certificate in sync.alertmanager.url");
  });

  it("advises about the scheme if the port has no TLS", async () => {
    const { port, close } = await listenOnLoopback(createServer());
    const client = clientOf({ url: `https://127.0.0.1:${port}` }, new ManualClock(START));
    onTestFinished(async () => {
      await client.close();
      await close();
    });
    const error = await failureOf(client.silences(never));
    expect(error).toMatchObject({
      code: "ALERTMANAGER_UNREACHABLE",
      remedy: expect.stringContaining("Check that the scheme of sync.alertmanager.url matches the port"),
    });
  });

  it.each([
    "Client sent an HTTP request to an HTTPS server.",
    "<center>The plain HTTP request was sent to HTTPS port</center>",
  ])("advises https if the port has TLS only: %s", async (body) => {
    const error = await failureOf((await answeringClient(reply(400, body))).silences(never));
    expect(error).toMatchObject({
      code: "ALERTMANAGER_REFUSED",
      remedy: "Use https:// in sync.alertmanager.url.",
    });
  });
});

type Reply = (response: ServerResponse) => void;

function reply(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** A server that gives the same answer to each request. */
async function answeringClient(answer: Reply) {
  const server = createServer((_, response) => answer(response));
  const { port, close } = await listenOnLoopback(server);
  const redactor = new Redactor();
  redactor.add(SECRET);
  const client = clientOf({ url: `http://127.0.0.1:${port}` }, new ManualClock(START), redactor);
  onTestFinished(async () => {
    await client.close();
    await close();
  });
  return client;
}

async function failureOf(work: Promise<unknown>): Promise<ExporterError> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error instanceof ExporterError) return error;
  throw new Error("no ExporterError", { cause: error });
}

const TIMES = {
  startsAt: "2026-11-29T15:00:00.000Z",
  endsAt: "2026-11-29T16:00:00.5+01:00",
  updatedAt: "2026-11-29T15:00:00Z",
};
const WIRE = { ...TIMES, id: "1", matchers: [{ name: "a", value: "b", isRegex: false }], createdBy: "me", comment: "" };

describe("answers", () => {
  it("reads silences without isEqual, with other keys and time zones, and drops expired ones", async () => {
    const states = ["active", "pending", "expired"].map((state) => ({ ...WIRE, status: { state }, annotations: {} }));
    const client = await answeringClient(reply(200, JSON.stringify(states)));
    const silence = {
      ...WIRE,
      matchers: [{ name: "a", value: "b", isRegex: false, isEqual: true }],
      startsAt: START,
      endsAt: START + 500,
      updatedAt: START,
    };
    expect(await client.silences(never)).toEqual([
      { ...silence, state: "active" },
      { ...silence, state: "pending" },
    ]);
  });

  it("reads compressed answers", async () => {
    const alerts = [{ labels: { server: "hq" }, status: { silencedBy: ["1"], state: "suppressed" } }];
    const body = gzipSync(JSON.stringify(alerts));
    const client = await answeringClient(reply(200, body, { "content-encoding": "gzip" }));
    expect(await client.alerts(never)).toEqual([{ labels: new Map([["server", "hq"]]), silencedBy: ["1"] }]);
  });

  it("reads the id in the answer of Grafana", async () => {
    const body = JSON.stringify({ id: "2", silenceID: "2", message: "silence created" });
    expect(await (await answeringClient(reply(202, body))).putSilence(SILENCE, never)).toBe("2");
  });

  it.each([
    ["500", reply(500, '"silence 1 already expired"')],
    ["500", reply(500, '"silence not found"')],
    ["404", reply(404, "")],
  ])("takes a silence that has ended for expired: %s", async (_, answer) => {
    await (await answeringClient(answer)).expireSilence("1", never);
  });

  it.each<[string, string, Reply]>([
    ["ALERTMANAGER_REFUSED", "HTTP 401: Unauthorized", reply(401, '{"message":"Unauthorized"}')],
    ["ALERTMANAGER_REFUSED", "HTTP 403: no [redacted]", reply(403, `"no ${SECRET}"`)],
    ["ALERTMANAGER_REFUSED", "HTTP 404: 404 page not found", reply(404, "404 page\nnot found")],
    ["ALERTMANAGER_UNREACHABLE", "HTTP 503: starting", reply(503, "starting")],
    ["ALERTMANAGER_ANSWER", "HTTP 302: ", reply(302, "", { location: "/login" })],
    ["ALERTMANAGER_ANSWER", "is not the expected JSON: <html>", reply(200, "<html>")],
    ["ALERTMANAGER_ANSWER", "is not the expected JSON: {}", reply(200, "{}")],
    ["ALERTMANAGER_ANSWER", "is not the expected JSON at 0.id: [{}]", reply(200, "[{}]")],
    [
      "ALERTMANAGER_ANSWER",
      "is not the expected JSON at 0.startsAt",
      reply(200, JSON.stringify([{ ...WIRE, startsAt: "soon", status: { state: "active" } }])),
    ],
    ["ALERTMANAGER_ANSWER", "unknown content encoding: zip", reply(200, "", { "content-encoding": "zip" })],
    ["ALERTMANAGER_ANSWER", "a damaged answer", reply(200, "[]", { "content-encoding": "gzip" })],
    [
      "ALERTMANAGER_ANSWER",
      "exceeds 64 MiB",
      reply(200, gzipSync(Buffer.alloc((64 << 20) + 1, " ")), { "content-encoding": "gzip" }),
    ],
    [
      "ALERTMANAGER_UNREACHABLE",
      "is not reachable",
      (response) => void response.writeHead(200).write("[", () => response.destroy()),
    ],
  ])("fails with %s: %s", async (code, message, answer) => {
    const error = await failureOf((await answeringClient(answer)).silences(never));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(describeError(error)).not.toContain(SECRET);
    expect(error.message.length).toBeLessThan(400);
  });

  it("reports an answer without an id", async () => {
    const error = await failureOf((await answeringClient(reply(200, "{}"))).putSilence(SILENCE, never));
    expect(error.code).toBe("ALERTMANAGER_ANSWER");
  });

  it("reports a failed end", async () => {
    const error = await failureOf((await answeringClient(reply(500, '"full disk"'))).expireSilence("1", never));
    expect(error).toMatchObject({ code: "ALERTMANAGER_UNREACHABLE", message: expect.stringContaining("full disk") });
  });
});
