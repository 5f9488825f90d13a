import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { Agent, type RequestOptions } from "node:https";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { askHttp2, askTls, startConfigured } from "../support/configured-server.ts";
import { PATIENCE } from "../support/patience.ts";
import { ALICE, CAROL } from "./cases.ts";

let certificates: Certificates;
let ca: string;

beforeAll(() => {
  certificates = makeCertificates();
  ca = certificates.read("ca.pem");
});

afterAll(() => certificates.remove());

const TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n";
const USERS = `basic_auth_users:\n  alice: ${ALICE}\n  carol: ${CAROL}\n`;

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

describe("users", () => {
  test("work over TLS by HTTP/1.1 and HTTP/2", async () => {
    const { url } = await startConfigured(certificates, TLS + USERS);
    const headers = { authorization: basic("alice", "wonderland") };
    expect((await askTls(`${url}/metrics`, { ca, headers })).status).toBe(200);
    expect((await askTls(`${url}/metrics`, { ca })).status).toBe(401);
    expect((await askHttp2(`${url}/metrics`, ca, headers)).status).toBe(200);
    expect((await askHttp2(`${url}/metrics`, ca)).status).toBe(401);
  });
});

describe("changed files", () => {
  test("activate a new certificate without a restart", async () => {
    certificates.issue("rotated");
    const yaml = "tls_server_config:\n  cert_file: rotated.pem\n  key_file: rotated.key\n";
    const { url, logged } = await startConfigured(certificates, yaml);
    const serialOf = async () => {
      const { connect: connectTls } = await import("node:tls");
      const socket = connectTls({ port: Number(new URL(url).port), ca, servername: "localhost" });
      await once(socket, "secureConnect");
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    const before = await serialOf();
    // The pair does not match for a moment.
    certificates.issue("rotated");
    await vi.waitFor(async () => expect(await serialOf()).not.toBe(before), PATIENCE);
    expect((await askTls(`${url}/metrics`, { ca })).status).toBe(200);
    expect(logged.join("")).toContain("was reloaded");
  });

  test("permit one more answer on an old connection", async () => {
    certificates.issue("older");
    const yaml = "tls_server_config:\n  cert_file: older.pem\n  key_file: older.key\n";
    const { url, source } = await startConfigured(certificates, yaml);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const options: RequestOptions = { ca, agent };
    expect((await askTls(`${url}/metrics`, options)).headers.connection).toBe("keep-alive");
    const before = source.current;
    certificates.issue("older");
    await vi.waitFor(() => expect(source.current).not.toBe(before), PATIENCE);
    expect((await askTls(`${url}/metrics`, options)).headers.connection).toBe("close");
    expect((await askTls(`${url}/metrics`, options)).headers.connection).toBe("keep-alive");
    agent.destroy();
  });

  test("end an old HTTP/2 session after one more answer", async () => {
    certificates.issue("elder");
    const yaml = "tls_server_config:\n  cert_file: elder.pem\n  key_file: elder.key\n";
    const { url, source } = await startConfigured(certificates, yaml);
    const session = connectHttp2(url, { ca, servername: "localhost" });
    const ask = async () => {
      const stream = session.request({ ":path": "/metrics" });
      const [headers] = await once(stream, "response");
      stream.resume();
      await once(stream, "end");
      return headers[":status"];
    };
    expect(await ask()).toBe(200);
    const before = source.current;
    certificates.issue("elder");
    await vi.waitFor(() => expect(source.current).not.toBe(before), PATIENCE);
    const closed = once(session, "close");
    expect(await ask()).toBe(200);
    await closed;
  });

  test("turn TLS on and off", async () => {
    const { port, write } = await startConfigured(certificates, "");
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    write(TLS);
    await vi.waitFor(
      async () => expect((await askTls(`https://127.0.0.1:${port}/metrics`, { ca })).status).toBe(200),
      PATIENCE,
    );
    write("");
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200), PATIENCE);
  });
});
