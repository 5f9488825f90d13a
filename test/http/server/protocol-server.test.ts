import { once } from "node:events";
import { connect as connectHttp2, createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PLAIN_HTTP } from "../../../src/http/server/connection-handler.ts";
import { createProtocolServer } from "../../../src/http/server/protocol-server.ts";
import { webConfigSchema } from "../../../src/http/web-config/schema.ts";
import { serverTls } from "../../../src/http/web-config/tls-options.ts";
import { certificate, keyPair } from "../../support/certificates.ts";

const CA = certificate("ca.pem");
const REQUEST = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const PLAIN = { settings: undefined, http2: false };

interface Setting {
  /** Members of `tls_server_config`. `undefined`: plain HTTP. */
  readonly settings: object | undefined;
  readonly http2?: boolean;
}

async function serving({ settings, http2 = false }: Setting) {
  const source = { base: "/", readFile: () => Promise.reject(new Error("no files")) };
  const { tls_server_config } = webConfigSchema.parse({
    ...(settings && { tls_server_config: { ...keyPair("localhost"), ...settings } }),
  });
  const tls = tls_server_config && (await serverTls(tls_server_config, http2, source, () => undefined));
  const rejected: (string | undefined)[][] = [];
  const server = createProtocolServer(
    { ...PLAIN_HTTP, tls, http2 },
    {
      request: (_request, response) => void response.end("prtg_up 1\n"),
      rejected: (reason, _address, detail) => void rejected.push([reason, detail]),
      stalled: (socket) => socket.destroy(),
    },
    60_000,
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, rejected };
}

/** All bytes until the server ends the connection. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.write(text);
  let received = "";
  for await (const chunk of socket) received += chunk;
  return received;
}

/** The answer, or why there is none. */
async function secured(port: number, options: ConnectionOptions = {}): Promise<string> {
  const socket = connectTls({ port, host: "127.0.0.1", servername: "localhost", ca: CA, ...options });
  try {
    await once(socket, "secureConnect");
    if (socket.alpnProtocol === "h2") return "h2";
    socket.write(REQUEST);
    let received = "";
    for await (const chunk of socket) received += chunk;
    return received.split("\r\n", 1)[0] ?? "";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    socket.destroy();
  }
}

const OK = "HTTP/1.1 200 OK";

describe("plain HTTP", () => {
  test.each([
    { what: "a request", text: REQUEST, status: OK, rejected: [] },
    { what: "garbage", text: "\0\u0001\r\n\r\n", status: "HTTP/1.1 400 Bad Request", rejected: [["malformed"]] },
    {
      what: "too many bytes of headers",
      text: REQUEST.replace("Host: x", `Host: x\r\nX: ${"x".repeat(17_000)}`),
      status: "HTTP/1.1 431 Request Header Fields Too Large",
      rejected: [["malformed"]],
    },
    {
      what: "15 kB of headers",
      text: REQUEST.replace("Host: x", `Host: x\r\nX: ${"x".repeat(15_000)}`),
      status: OK,
      rejected: [],
    },
    { what: "no Host", text: REQUEST.replace("Host: x\r\n", ""), status: "HTTP/1.1 400 Bad Request", rejected: [] },
    {
      what: "CONNECT",
      text: "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
      status: "HTTP/1.1 405 Method Not Allowed",
      rejected: [],
    },
  ])("answers $what with $status", async ({ text, status, rejected }) => {
    const server = await serving(PLAIN);
    const answer = await raw(server.port, text);
    expect(answer.split("\r\n", 1)[0]).toBe(status);
    expect(server.rejected.map(([reason]) => [reason])).toEqual(rejected);
  });

  test("ends the connection after a tunnel that it refuses, and names the methods", async () => {
    const { port } = await serving(PLAIN);
    const answer = await raw(port, "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toBe(
      "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    );
  });
});

describe("TLS", () => {
  test.each([
    { http2: true, protocols: ["h2", "http/1.1"], answer: "h2" },
    { http2: true, protocols: ["http/1.1"], answer: OK },
    { http2: false, protocols: ["h2", "http/1.1"], answer: OK },
    { http2: true, protocols: undefined, answer: OK },
  ])("answers clients of $protocols with HTTP/2 $http2: $answer", async ({ http2, protocols, answer }) => {
    const { port, rejected } = await serving({ settings: {}, http2 });
    expect(await secured(port, protocols && { ALPNProtocols: protocols })).toBe(answer);
    expect(rejected).toEqual([]);
  });

  test("reports a client that speaks plain HTTP", async () => {
    const { port, rejected } = await serving({ settings: {} });
    expect(await raw(port, REQUEST)).not.toContain("200");
    await vi.waitFor(() => expect(rejected.map(([reason]) => reason)).toEqual(["tls"]));
  });
});

describe("client certificates", () => {
  const TRUSTED = keyPair("localhost");
  const STRANGER = keyPair("prtg.example.com");
  const verify = { client_auth_type: "RequireAndVerifyClientCert", client_ca: CA };
  const TRUSTS = { client_auth_type: "VerifyClientCertIfGiven", client_ca: CA };

  test.each([
    { what: "any client without a policy", settings: {}, options: {} },
    { what: "a trusted one", settings: verify, options: TRUSTED },
    { what: "an allowed name", settings: { ...verify, client_allowed_sans: ["a", "127.0.0.1"] }, options: TRUSTED },
    { what: "a client without one, if it is optional", settings: TRUSTS, options: {} },
    { what: "any one", settings: { client_auth_type: "RequireAnyClientCert" }, options: STRANGER },
  ])("admit $what", async ({ settings, options }) => {
    const { port, rejected } = await serving({ settings });
    expect(await secured(port, options)).toBe(OK);
    expect(rejected).toEqual([]);
  });

  test.each([
    { what: "a missing one", settings: verify, options: {}, reason: "tls", detail: "certificate" },
    { what: "an untrusted one", settings: verify, options: STRANGER, reason: "tls", detail: "" },
    {
      what: "a missing one of any issuer",
      settings: { client_auth_type: "RequireAnyClientCert" },
      options: {},
      reason: "client_certificate",
      detail: "no client certificate",
    },
    {
      what: "an untrusted one, if it is optional",
      settings: TRUSTS,
      options: STRANGER,
      reason: "client_certificate",
      detail: "not trusted: DEPTH_ZERO_SELF_SIGNED_CERT",
    },
    {
      what: "another name",
      settings: { ...verify, client_allowed_sans: ["scraper.example.com"] },
      options: TRUSTED,
      reason: "client_certificate",
      detail: "without an allowed name",
    },
  ])("refuse $what", async ({ settings, options, reason, detail }) => {
    const { port, rejected } = await serving({ settings });
    expect(await secured(port, options)).not.toBe(OK);
    await vi.waitFor(() => expect(rejected).toEqual([[reason, expect.stringContaining(detail)]]));
  });
});

async function answerOverHttp2(port: number, options: ConnectionOptions): Promise<unknown> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: "localhost", ca: CA, ...options });
  session.on("error", () => undefined);
  const request = session.request({ ":path": "/metrics" }).on("error", () => undefined);
  const answered = once(request, "response").then(([headers]) => headers[":status"]);
  try {
    return await Promise.race([answered, once(session, "close").then(() => "closed")]);
  } finally {
    session.destroy();
  }
}

/* `admitOnly` takes listeners of Node.js off its servers and calls them itself. These fail if a release has other listeners. */
describe("canary: Node.js speaks HTTP in its listener of secureConnection", () => {
  test.each([
    ["https", createHttpsServer],
    ["http2", () => createSecureServer({ allowHTTP1: true })],
  ])("a server of %s has one", (_module, create) => {
    expect(create().listeners("secureConnection")).toHaveLength(1);
  });

  test("HTTP/2 begins after the check of the certificate, and only then", async () => {
    const settings = { client_auth_type: "RequireAnyClientCert" };
    const { port, rejected } = await serving({ settings, http2: true });
    expect(await answerOverHttp2(port, keyPair("localhost"))).toBe(200);
    expect(rejected).toEqual([]);
    expect(await answerOverHttp2(port, {})).toBe("closed");
    expect(rejected).toEqual([["client_certificate", "no client certificate"]]);
  });
});
