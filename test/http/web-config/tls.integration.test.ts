import type { RequestOptions } from "node:https";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { type Answer, askHttp2, askTls, startConfigured } from "../support/configured-server.ts";
import { PATIENCE } from "../support/patience.ts";

let certificates: Certificates;
let ca: string;

beforeAll(() => {
  certificates = makeCertificates();
  certificates.issue("stranger", { selfSigned: true });
  ca = certificates.read("ca.pem");
});

afterAll(() => certificates.remove());

const TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n";

const ask = (url: string, options: RequestOptions = {}): Promise<Answer> =>
  askTls(`${url}/metrics`, { ca, ...options });

describe("TLS negotiation", () => {
  test.each<[string, string, RequestOptions, string, string | undefined]>([
    ["TLS 1.3 by default", "", {}, "TLSv1.3", undefined],
    [
      "the server's preferred suite",
      "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n  max_version: TLS12\n",
      { ciphers: "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256" },
      "TLSv1.2",
      "ECDHE-RSA-AES128-GCM-SHA256",
    ],
    [
      "TLS 1.0 if configured",
      "  min_version: TLS10\n",
      { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" },
      "TLSv1",
      undefined,
    ],
  ])("%s", async (_what, settings, options, protocol, cipher) => {
    const { url } = await startConfigured(certificates, `${TLS}${settings}`);
    const answer = await ask(url, options);
    expect([answer.status, answer.body, answer.protocol]).toEqual([200, "prtg_up 1\n", protocol]);
    if (cipher !== undefined) expect(answer.cipher).toBe(cipher);
  });

  test.each<[string, string, RequestOptions]>([
    [
      "other suites",
      "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]\n  max_version: TLS12\n",
      { ciphers: "ECDHE-RSA-AES256-SHA" },
    ],
    ["other curves", "  min_version: TLS13\n  curve_preferences: [CurveP521]\n", { ecdhCurve: "secp384r1" }],
  ])("fails for %s", async (_what, settings, options) => {
    const { url, rejected } = await startConfigured(certificates, `${TLS}${settings}`);
    await expect(ask(url, options)).rejects.toThrow(/alert|handshake|protocol|reset/i);
    await vi.waitFor(() => expect(rejected).toEqual(["tls"]), PATIENCE);
    expect((await ask(url, { ecdhCurve: "auto" })).status).toBe(200);
  });

  test("fails if only one side uses TLS", async () => {
    const secure = await startConfigured(certificates, TLS);
    await expect(fetch(`http://127.0.0.1:${secure.port}/metrics`)).rejects.toThrow();
    const plain = await startConfigured(certificates, "");
    expect(plain.url).toMatch(/^http:/);
    await expect(ask(`https://127.0.0.1:${plain.port}`)).rejects.toThrow();
    expect((await fetch(`${plain.url}/metrics`)).status).toBe(200);
  });
});

describe("HTTP/2", () => {
  test("serves clients that request it, and HTTP/1.1 to others", async () => {
    const { url } = await startConfigured(certificates, TLS);
    expect(await askHttp2(`${url}/metrics`, ca)).toMatchObject({ status: 200, body: "prtg_up 1\n", protocol: "h2" });
    expect(await askHttp2(`${url}/`, ca)).toMatchObject({ status: 200, headers: { "x-frame-options": "deny" } });
    expect(await askHttp2(`${url}/nothing`, ca)).toMatchObject({ status: 404 });
    expect(await askHttp2(`${url}/metrics`, ca, { ":method": "DELETE" })).toMatchObject({ status: 405 });
    expect((await ask(url)).status).toBe(200);
  });

  test("is unavailable when disabled", async () => {
    const { url } = await startConfigured(certificates, `${TLS}http_server_config: { http2: false }\n`);
    await expect(askHttp2(`${url}/metrics`, ca)).rejects.toThrow();
    expect((await ask(url)).status).toBe(200);
  });
});

describe("client certificates", () => {
  type Client = "none" | "client" | "stranger";
  const show = (client: Client): RequestOptions =>
    client === "none" ? {} : { cert: certificates.read(`${client}.pem`), key: certificates.read(`${client}.key`) };

  test.each<[string, readonly Client[], readonly Client[]]>([
    ["VerifyClientCertIfGiven", ["none", "client"], ["stranger"]],
    ["RequireAndVerifyClientCert", ["client"], ["none", "stranger"]],
  ])("let %s admit %j and reject %j", async (type, welcome, refused) => {
    const { url, rejected } = await startConfigured(
      certificates,
      `${TLS}  client_auth_type: ${type}\n  client_ca_file: ca.pem\n`,
    );
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      for (const client of welcome) expect((await ask(url, { ...show(client), maxVersion })).status, client).toBe(200);
      for (const client of refused) await expect(ask(url, { ...show(client), maxVersion }), client).rejects.toThrow();
    }
    // The client may know before the server recorded it.
    await vi.waitFor(() => expect(rejected).toHaveLength(2 * refused.length), PATIENCE);
  });

  test.each([
    [["one", "2001:0DB8:0:0:0:0:0:1", "two"], true],
    [["example.com", "Scraper.example.com"], false],
  ])("need one of the permitted names %j: %j", async (names, welcome) => {
    const { url } = await startConfigured(
      certificates,
      `${TLS}  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n  client_allowed_sans: ${JSON.stringify(names)}\n`,
    );
    if (welcome) expect((await ask(url, show("client"))).status).toBe(200);
    else await expect(ask(url, show("client"))).rejects.toThrow();
  });

  test("need a check on each connection, without session resumption", async () => {
    const yaml = `${TLS}  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n`;
    const { url } = await startConfigured(certificates, yaml);
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const { Agent } = await import("node:https");
      const agent = new Agent({ maxCachedSessions: 10, keepAlive: false });
      for (let round = 0; round < 3; round++) {
        const { request } = await import("node:https");
        const reused = await new Promise<boolean>((resolve, reject) => {
          request(
            `${url}/metrics`,
            { agent, ca, servername: "localhost", maxVersion, ...show("client") },
            (response) => {
              const { socket } = response as unknown as { socket: import("node:tls").TLSSocket };
              const isReused = socket.isSessionReused();
              response.resume().on("end", () => resolve(isReused));
            },
          )
            .on("error", reject)
            .end();
        });
        expect(reused).toBe(false);
      }
      agent.destroy();
    }
  });
});
