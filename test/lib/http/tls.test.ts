import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createServer, type TlsOptions } from "node:tls";
import type { buildConnector } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ConnectSettings,
  peerCertificate,
  type TlsClientOptions,
  tlsConnector,
  UntrustedCertificate,
  WrongFingerprint,
} from "../../../src/lib/http/tls.ts";
import { certificate, keyPair } from "../../support/certificates.ts";
import { never } from "../../support/never-aborted.ts";

const SETTINGS: ConnectSettings = { timeout: 30_000, autoSelectFamilyAttemptTimeout: 10_000, lookup };
const CA = certificate("ca.pem");
/** Self-signed. */
const OTHER = certificate("prtg.example.com.pem");

function seen(name: string): string {
  return new X509Certificate(certificate(`${name}.pem`)).fingerprint256;
}

function pin(name: string): string {
  return seen(name).replaceAll(":", "").toLowerCase();
}

/** Sends the server name of the handshake. Resolves with its port. */
async function secureServer(name: string, options: TlsOptions = {}): Promise<number> {
  const server = createServer({ ...keyPair(name), ...options }, (socket) => {
    socket.on("error", () => undefined).end(`name: ${socket.servername || "none"}`);
  });
  server.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

function open(connect: buildConnector.connector, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const host = `127.0.0.1:${port}`;
    connect({ hostname: "127.0.0.1", host, protocol: "https:", port: String(port) }, (...[error, socket]) =>
      error === null ? resolve(socket) : reject(error),
    );
  });
}

async function received(options: TlsClientOptions, port: number): Promise<string> {
  return text(await open(tlsConnector(options, SETTINGS), port));
}

describe("tlsConnector", () => {
  test.each<[title: string, server: string, options: TlsClientOptions]>([
    ["of a trusted authority", "localhost", { ca: CA }],
    ["that is trusted itself", "prtg.example.com", { ca: OTHER, serverName: "prtg.example.com" }],
    ["that is trusted itself, although an authority issued it", "localhost", { ca: certificate("localhost.pem") }],
    ["with a pinned fingerprint", "prtg.example.com", { fingerprints: [pin("localhost"), pin("prtg.example.com")] }],
    ["with a pinned fingerprint and a trusted authority", "localhost", { ca: CA, fingerprints: [pin("localhost")] }],
    ["of any kind without verification", "expired", { insecureSkipVerify: true }],
  ])("accepts a certificate %s", async (_title, server, options) => {
    expect(await received(options, await secureServer(server))).toMatch(/^name: /);
  });

  test.each<[title: string, server: string, options: TlsClientOptions, reason: string]>([
    ["of an unknown authority", "localhost", {}, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["of another authority", "localhost", { ca: OTHER }, "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
    ["that has expired", "expired", { ca: CA }, "CERT_HAS_EXPIRED"],
    ["for another name than the host", "prtg.example.com", { ca: OTHER }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    [
      "for another name than the given one",
      "localhost",
      { ca: CA, serverName: "prtg.example.com" },
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    [
      "with a pinned fingerprint, but of another authority",
      "expired",
      { ca: CA, fingerprints: [pin("expired")] },
      "CERT_HAS_EXPIRED",
    ],
  ])("refuses a certificate %s, and names its fingerprint", async (_title, server, options, reason) => {
    const error = await received(options, await secureServer(server)).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(UntrustedCertificate);
    expect(error).toMatchObject({
      ...{ name: "UntrustedCertificate", reason, seen: seen(server) },
      message: `the certificate is not trusted (${reason}). Its SHA-256 fingerprint is ${seen(server)}`,
    });
  });

  test.each<[title: string, options: TlsClientOptions]>([
    ["alone", { fingerprints: [pin("expired")] }],
    ["with a trusted authority", { ca: CA, fingerprints: [pin("expired")] }],
    ["without verification", { insecureSkipVerify: true, fingerprints: [pin("expired")] }],
  ])("refuses another fingerprint than the pinned one, %s", async (_title, options) => {
    const error = await received(options, await secureServer("localhost")).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(WrongFingerprint);
    expect(error).toMatchObject({
      ...{ name: "WrongFingerprint", seen: seen("localhost") },
      message: `the certificate has a different SHA-256 fingerprint: ${seen("localhost")}`,
    });
  });

  test.each([
    ["prtg.example.com", "prtg.example.com"],
    // RFC 6066 allows no addresses.
    ["127.0.0.1", "none"],
    [undefined, "none"],
  ])("with server name %s sends the name %s", async (serverName, sent) => {
    const port = await secureServer("localhost");
    expect(await received({ insecureSkipVerify: true, serverName }, port)).toBe(`name: ${sent}`);
  });

  test("refuses a server that is older than the minimum version", async () => {
    const port = await secureServer("localhost", { maxVersion: "TLSv1.2" });
    expect(await received({ ca: CA, minVersion: "TLSv1.2" }, port)).toBe("name: none");
    await expect(received({ ca: CA, minVersion: "TLSv1.3" }, port)).rejects.toMatchObject({
      code: expect.stringContaining("PROTOCOL_VERSION"),
    });
  });

  describe.each(["TLSv1.2", "TLSv1.3"] as const)("over %s", (version) => {
    const only = { minVersion: version, maxVersion: version };

    // A resumed session would skip both checks.
    test("checks name and fingerprint of each connection", async () => {
      const port = await secureServer("prtg.example.com", only);
      const named = tlsConnector({ ca: OTHER }, SETTINGS);
      const pinned = tlsConnector({ fingerprints: [pin("prtg.example.com")] }, SETTINGS);
      for (let round = 0; round < 3; round++) {
        await expect(open(named, port)).rejects.toMatchObject({ reason: "ERR_TLS_CERT_ALTNAME_INVALID" });
        expect(await text(await open(pinned, port))).toBe("name: none");
      }
    });

    test("shows its own certificate to a server that asks for one", async () => {
      const port = await secureServer("localhost", { ...only, requestCert: true, ca: CA });
      const material = { ca: CA, ...keyPair("localhost") };
      const connect = tlsConnector({ read: async () => material }, SETTINGS);
      expect(await text(await open(connect, port))).toBe("name: none");
      await expect(received({ ca: CA }, port)).rejects.toThrow();
    });
  });

  test("reads the certificates for each connection", async () => {
    const port = await secureServer("localhost");
    const material = { ca: OTHER, cert: undefined, key: undefined };
    let failure: Error | undefined;
    const read = () => (failure === undefined ? Promise.resolve({ ...material }) : Promise.reject(failure));
    const connect = tlsConnector({ read }, SETTINGS);
    await expect(open(connect, port)).rejects.toBeInstanceOf(UntrustedCertificate);
    material.ca = CA;
    expect(await text(await open(connect, port))).toBe("name: none");
    failure = new Error("the file is gone");
    await expect(open(connect, port)).rejects.toBe(failure);
  });
});

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

describe("peerCertificate", () => {
  test.each([
    ["localhost", "127.0.0.1", []],
    ["expired", "localhost", ["localhost"]],
    ["prtg.example.com", "127.0.0.1", []],
  ])("reads the certificate of %s at %s without a check, for the name of the URL", async (name, host, asked) => {
    const names: string[] = [];
    const SNICallback: TlsOptions["SNICallback"] = (sent, callback) => {
      names.push(sent);
      callback(null);
    };
    const server = createServer({ ...keyPair(name), SNICallback });
    const port = await listening(server.on("tlsClientError", () => undefined));
    const { fingerprint256 } = await peerCertificate(`https://${host}:${port}/api`, never);
    expect(fingerprint256).toBe(new X509Certificate(certificate(`${name}.pem`)).fingerprint256);
    expect(names).toEqual(asked);
  });

  test("rejects with the error of the socket", async () => {
    const port = await listening(
      createPlainServer((socket) => void socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    );
    await expect(peerCertificate(`https://127.0.0.1:${port}`, never)).rejects.toMatchObject({
      code: expect.stringContaining("WRONG_VERSION_NUMBER"),
    });
    await expect(peerCertificate("https://127.0.0.1:1", never)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("stops when its signal aborts", async () => {
    const server = createPlainServer();
    const port = await listening(server);
    const aborted = new AbortController();
    const closed = new Promise((resolve) => {
      server.once("connection", (socket) => {
        aborted.abort();
        socket.resume().once("close", resolve);
      });
    });
    await expect(peerCertificate(`https://127.0.0.1:${port}`, aborted.signal)).rejects.toMatchObject({
      name: "AbortError",
    });
    await closed;
  });
});
