import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { askHttp2, askTls, startConfigured } from "../support/configured-server.ts";
import { PATIENCE } from "../support/patience.ts";

let certificates: Certificates;
let ca: string;
const TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n";

beforeAll(() => {
  certificates = makeCertificates();
  ca = certificates.read("ca.pem");
});

afterAll(() => certificates.remove());

test("the server cuts incomplete handshakes and idle HTTP/2 sessions", async () => {
  const { port, url, rejected } = await startConfigured(certificates, TLS, { requestMs: 300 });
  const closed = (socket: { once(event: "close", listener: () => void): unknown }) =>
    new Promise<void>((resolve) => socket.once("close", resolve));
  const silent = connect(port, "127.0.0.1").on("error", () => undefined);
  const half = connect(port, "127.0.0.1").on("error", () => undefined);
  half.write(Buffer.from("16030100c801", "hex"));
  const handshaken = connectTls({ port, ca, servername: "localhost" }).on("error", () => undefined);
  const session = connectHttp2(url, { ca, servername: "localhost" }).on("error", () => undefined);
  await Promise.all([closed(silent), closed(half), closed(handshaken), closed(session)]);
  expect(rejected.filter((reason) => reason === "slow_request")).toHaveLength(4);
  // A busy machine may also delay a valid handshake.
  await vi.waitFor(async () => expect((await askHttp2(`${url}/metrics`, ca)).status).toBe(200), PATIENCE);
});

test("clients that leave during the handshake block no places", async () => {
  const { port, rejected } = await startConfigured(certificates, TLS, { maxConnections: 4, requestMs: 60_000 });
  const leave = async () => {
    const client = connect(port, "127.0.0.1").on("error", () => undefined);
    client.end(Buffer.from("16030100c801", "hex"));
    await once(client, "close");
  };
  for (let count = 0; count < 20; count++) await leave();
  expect(rejected.filter((reason) => reason !== "tls")).toEqual([]);
});

test("a client with a certificate gets answers during and after failed handshakes", async () => {
  const yaml = `${TLS}  client_ca_file: ca.pem\n  client_auth_type: RequireAndVerifyClientCert\n`;
  const { port, url, rejected } = await startConfigured(certificates, yaml, { maxConnections: 64, requestMs: 60_000 });
  const identity = { ca, cert: certificates.read("client.pem"), key: certificates.read("client.key") };
  const plain = (bytes: Buffer) => connect(port, "127.0.0.1").end(bytes);
  const over = (options: object) => {
    const socket = connectTls({ port, ca, servername: "localhost", ...options }, () => socket.destroy());
    return socket;
  };
  const kinds = [
    () => plain(Buffer.alloc(300, "A")),
    () => plain(Buffer.from("16030100c801", "hex")),
    () => over({}),
    () => over({ maxVersion: "TLSv1.2" }),
    () => over(identity),
  ];
  for (let round = 0; round < 8; round++) {
    const flood = kinds.flatMap((open) => [open(), open(), open()]);
    const gone = flood.map((socket) => {
      socket.on("error", () => undefined);
      return new Promise<void>((resolve) => socket.once("close", () => resolve()));
    });
    expect((await askTls(`${url}/metrics`, identity)).status).toBe(200);
    await Promise.all(gone);
  }
  expect(rejected.filter((reason) => reason !== "tls")).toEqual([]);
});

test("opening and resetting HTTP/2 streams ends the session, but not the server", async () => {
  const { url, logged } = await startConfigured(certificates, TLS);
  const session = connectHttp2(url, { ca, servername: "localhost" });
  session.on("error", () => undefined);
  await once(session, "connect");
  for (let burst = 0; burst < 60 && !session.destroyed; burst++) {
    for (let count = 0; count < 50 && !session.destroyed; count++) {
      const stream = session.request({ ":path": "/metrics" });
      stream.on("error", () => undefined);
      stream.close(8);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await vi.waitFor(async () => expect((await askHttp2(`${url}/metrics`, ca)).status).toBe(200), PATIENCE);
  session.destroy();
  expect(logged.filter((line) => line.includes('"error"'))).toEqual([]);
});

test("one session gets at most 32 concurrent answers", async () => {
  const { url } = await startConfigured(certificates, TLS);
  const session = connectHttp2(url, { ca, servername: "localhost" });
  onTestFinished(() => session.destroy());
  const ask = async () => {
    const stream = session.request({ ":path": "/metrics" });
    let body = "";
    stream.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    await once(stream, "end");
    return body;
  };
  const askMany = (count: number) => Promise.allSettled(Array.from({ length: count }, ask));
  const answered = (await askMany(32)).map((answer) => (answer.status === "fulfilled" ? answer.value : "refused"));
  expect(new Set(answered)).toEqual(new Set(["prtg_up 1\n"]));
  // The client now knows the limit and waits.
  expect((await askMany(100)).every(({ status }) => status === "fulfilled")).toBe(true);
  expect(session.remoteSettings.maxConcurrentStreams).toBe(32);
});
