import { X509Certificate } from "node:crypto";
import { cpSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { PeerCertificate, TLSSocket, TlsOptions } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readTlsFiles } from "../../../src/config/tls-files.ts";
import { describeError } from "../../../src/errors/exporter-error.ts";
import type { TlsClientOptions } from "../../../src/lib/http/tls.ts";
import { type Certificates, makeCertificates } from "../../http/support/certificates.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { rejection, testClient } from "../support/test-client.ts";

let certificates: Certificates;

beforeAll(() => {
  certificates = makeCertificates();
  certificates.issue("self", { selfSigned: true });
  certificates.issue("named", { names: "DNS:prtg.example.com" });
});

afterAll(() => certificates.remove());

interface SecureServer {
  readonly url: string;
  readonly server: Server;
  /** Server name, client's common name, TLS version. */
  readonly handshakes: {
    readonly name: string | false;
    readonly client: string | undefined;
    readonly version: string;
  }[];
  readonly requests: () => number;
}

/** One connection per request. */
async function secureServer(name: string, options: TlsOptions = {}): Promise<SecureServer> {
  const handshakes: SecureServer["handshakes"] = [];
  let requests = 0;
  const own = { cert: certificates.read(`${name}.pem`), key: certificates.read(`${name}.key`) };
  const server = createServer({ ...own, ...options }, (_request, response) => {
    requests++;
    response.writeHead(200, { "content-type": "application/json", connection: "close" });
    response.end('{"version":"25.1"}');
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    const { subject }: Partial<PeerCertificate> = socket.getPeerCertificate();
    const client = subject?.CN;
    handshakes.push({
      name: socket.servername ?? false,
      client: client?.toString(),
      version: socket.getProtocol() ?? "",
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, server, handshakes, requests: () => requests };
}

function fingerprintOf(name: string): string {
  return new X509Certificate(certificates.read(`${name}.pem`)).fingerprint256;
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}

function filesOf(names: { ca?: string; client?: string }): TlsClientOptions {
  const path = (file: string | undefined) => (file === undefined ? undefined : certificates.path(file));
  const { ca, client } = names;
  const files = {
    caFile: path(ca && `${ca}.pem`),
    certFile: path(client && `${client}.pem`),
    keyFile: path(client && `${client}.key`),
  };
  const read = (file: string) => readFile(file, "utf8");
  return { read: () => readTlsFiles(files, read, read) };
}

async function ask(url: string, tls: TlsClientOptions): Promise<unknown> {
  return testClient(url, { tls, maxAttempts: 1 }).api.version(never);
}

const ANSWER = new Map([["version", "25.1"]]);
const UNKNOWN = "0".repeat(64);

describe("fingerprints", () => {
  test("accept a self-signed certificate without an authority", async () => {
    const { url } = await secureServer("self");
    expect(await ask(url, { fingerprints: [plain(fingerprintOf("self"))] })).toEqual(ANSWER);
  });

  test("accept one of several, for renewals", async () => {
    const { url, server } = await secureServer("self");
    const tls = { fingerprints: [plain(fingerprintOf("server")), plain(fingerprintOf("self"))] };
    const { api } = testClient(url, { tls });
    expect(await api.version(never)).toEqual(ANSWER);
    server.setSecureContext({ cert: certificates.read("server.pem"), key: certificates.read("server.key") });
    expect(await api.version(never)).toEqual(ANSWER);
    server.setSecureContext({ cert: certificates.read("named.pem"), key: certificates.read("named.key") });
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_TLS_FINGERPRINT" });
  });

  test("reject other certificates before any data, and name the seen one", async () => {
    const { url, requests } = await secureServer("self");
    const { api, recorded } = testClient(url, { tls: { fingerprints: [UNKNOWN] } });
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_TLS_FINGERPRINT", endpoint: "/version" });
    expect(describeError(error)).toContain(`has a different SHA-256 fingerprint: ${fingerprintOf("self")} `);
    expect(describeError(error)).toMatch(/If the certificate was renewed, add the fingerprint/);
    expect(describeError(error)).toContain(`tls: { fingerprints: ["${fingerprintOf("self")}"] }`);
    expect(requests()).toBe(0);
    // A retry would fail the same way.
    expect(recorded.codes).toEqual(["/version tls"]);
  });

  test("replace the check of names", async () => {
    const { url } = await secureServer("named");
    expect(await ask(url, { fingerprints: [plain(fingerprintOf("named"))] })).toEqual(ANSWER);
  });

  test.each([
    { title: "the authority", ca: "ca", server: "server", pin: "server", code: undefined },
    { title: "another authority", ca: "self", server: "server", pin: "server", code: "API_TLS_UNTRUSTED" },
    { title: "another name", ca: "ca", server: "named", pin: "named", code: "API_TLS_UNTRUSTED" },
    {
      title: "another certificate of the authority",
      ca: "ca",
      server: "server",
      pin: "client",
      code: "API_TLS_FINGERPRINT",
    },
  ])("apply together with ca_file: $title", async ({ ca, server, pin, code }) => {
    const { url } = await secureServer(server);
    const asked = ask(url, {
      ...filesOf({ ca }),
      ca: certificates.read(`${ca}.pem`),
      fingerprints: [plain(fingerprintOf(pin))],
    });
    if (code === undefined) expect(await asked).toEqual(ANSWER);
    else expect(await rejection(asked)).toMatchObject({ code });
  });

  test("apply to connections that can resume a session", async () => {
    const { url } = await secureServer("self", { maxVersion: "TLSv1.2" });
    const { api } = testClient(url, { tls: { fingerprints: [plain(fingerprintOf("self"))] } });
    for (let round = 0; round < 3; round++) expect(await api.version(never)).toEqual(ANSWER);
  });
});

/** A check after the handshake may close without an alert. */
const LOST = /^API_(TLS_CLIENT_REFUSED|CONNECTION_FAILED)$/;

describe("wrong name in a certificate", () => {
  // Resumed sessions skip the name check.
  test.each(["TLSv1.2", "TLSv1.3"] as const)("fails every connection over %s", async (version) => {
    const { url, requests } = await secureServer("named", { minVersion: version, maxVersion: version });
    const { api } = testClient(url, { tls: { ca: certificates.read("ca.pem") }, maxAttempts: 1 });
    for (let round = 0; round < 3; round++) {
      const error = await rejection(api.version(never));
      expect(error).toMatchObject({ code: "API_TLS_UNTRUSTED", message: expect.stringContaining("another name") });
    }
    expect(requests()).toBe(0);
  });
});

describe("client certificate", () => {
  const asking = (): TlsOptions => ({
    requestCert: true,
    rejectUnauthorized: true,
    ca: certificates.read("ca.pem"),
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)("reaches servers that request it, over %s", async (version) => {
    const { url, handshakes } = await secureServer("server", { ...asking(), minVersion: version, maxVersion: version });
    expect(await ask(url, filesOf({ ca: "ca", client: "client" }))).toEqual(ANSWER);
    expect(handshakes).toEqual([{ name: false, client: "client", version }]);
  });

  test.each([
    { title: "none", version: "TLSv1.2" as const, client: undefined, code: "API_TLS_FAILED" },
    { title: "one of another authority", version: "TLSv1.2" as const, client: "self", code: LOST },
    {
      title: "none",
      version: "TLSv1.3" as const,
      client: undefined,
      code: LOST,
    },
    {
      title: "one of another authority",
      version: "TLSv1.3" as const,
      client: "self",
      code: LOST,
    },
  ])("$title fails with a remedy over $version", async ({ version, client, code }) => {
    const { url, requests } = await secureServer("server", { ...asking(), minVersion: version, maxVersion: version });
    const error = await rejection(ask(url, filesOf({ ca: "ca", ...(client !== undefined && { client }) })));
    const told = "code" in error ? String(error.code) : "";
    expect(told).toMatch(code);
    if (told !== "API_CONNECTION_FAILED") expect(describeError(error)).toContain("tls.cert_file");
    expect(requests()).toBe(0);
  });

  test("applies to the next connection after a change", async () => {
    const { url, handshakes } = await secureServer("server", asking());
    const install = (name: string) => {
      cpSync(certificates.path(`${name}.pem`), certificates.path("mine.pem"));
      cpSync(certificates.path(`${name}.key`), certificates.path("mine.key"));
    };
    install("client");
    const { api } = testClient(url, { tls: filesOf({ ca: "ca", client: "mine" }), maxAttempts: 1 });
    await api.version(never);
    install("named");
    await api.version(never);
    expect(handshakes.map(({ client }) => client)).toEqual(["client", "named"]);
    writeFileSync(certificates.path("mine.key"), certificates.read("self.key"));
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "SECRET_UNREADABLE" });
    expect(error.message).toMatch(/\/version: the key in file .*mine\.key does not belong to the client certificate/);
    install("client");
    expect(await api.version(never)).toEqual(ANSWER);
  });
});

test("a changed authority applies to the next connection", async () => {
  const { url } = await secureServer("server");
  cpSync(certificates.path("self.pem"), certificates.path("trusted.pem"));
  const { api } = testClient(url, { tls: filesOf({ ca: "trusted" }), maxAttempts: 1 });
  expect(await rejection(api.version(never))).toMatchObject({ code: "API_TLS_UNTRUSTED" });
  cpSync(certificates.path("ca.pem"), certificates.path("trusted.pem"));
  expect(await api.version(never)).toEqual(ANSWER);
});

test("the server name replaces the host in SNI and verification", async () => {
  const { url, handshakes } = await secureServer("named");
  expect(await ask(url, { ca: certificates.read("ca.pem"), serverName: "prtg.example.com" })).toEqual(ANSWER);
  expect(handshakes[0]?.name).toBe("prtg.example.com");
  const wrong = rejection(ask(url, { ca: certificates.read("ca.pem"), serverName: "other.example.com" }));
  expect(await wrong).toMatchObject({ code: "API_TLS_UNTRUSTED", message: expect.stringContaining("another name") });
});

describe("oldest TLS version", () => {
  test("limits the connection", async () => {
    const { url, handshakes } = await secureServer("server");
    expect(await ask(url, { ca: certificates.read("ca.pem"), minVersion: "TLSv1.3" })).toEqual(ANSWER);
    expect(handshakes[0]?.version).toBe("TLSv1.3");
  });

  test("fails with a remedy if the server does not support it", async () => {
    const { url } = await secureServer("server", { maxVersion: "TLSv1.2" });
    const error = await rejection(ask(url, { ca: certificates.read("ca.pem"), minVersion: "TLSv1.3" }));
    expect(error).toMatchObject({ code: "API_TLS_FAILED" });
    expect(describeError(error)).toContain("Lower tls.min_version");
  });
});

describe("insecure switch", () => {
  const said = (lines: readonly Record<string, unknown>[]) => lines.filter(({ level }) => level === 40).length;

  test("logs a daily warning", async () => {
    const { url } = await secureServer("self");
    const clock = new ManualClock();
    const { api, logged } = testClient(url, { tls: { insecureSkipVerify: true }, clock });
    await api.version(never);
    expect(said(logged())).toBe(0);
    for (const days of [1, 2]) {
      await clock.advance(24 * 60 * 60_000);
      for (let round = 0; round < 3; round++) await api.version(never);
      expect(said(logged())).toBe(days);
    }
  });

  test("causes no warning if it is off", async () => {
    const { url } = await secureServer("server");
    const clock = new ManualClock();
    const { api, logged } = testClient(url, { tls: { ca: certificates.read("ca.pem") }, clock });
    await clock.advance(48 * 60 * 60_000);
    await api.version(never);
    expect(said(logged())).toBe(0);
  });
});
