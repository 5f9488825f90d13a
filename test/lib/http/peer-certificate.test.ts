import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer, type Server } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { peerCertificate } from "../../../src/lib/http/peer-certificate.ts";
import { certificate, keyPair } from "../../support/certificates.ts";
import { never } from "../../support/never-aborted.ts";

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
