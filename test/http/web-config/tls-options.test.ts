import { constants } from "node:crypto";
import { describe, expect, test } from "vitest";
import { webConfigSchema } from "../../../src/http/web-config/schema.ts";
import { type ServerTls, serverTls } from "../../../src/http/web-config/tls-options.ts";
import { certificate, keyPair } from "../../support/certificates.ts";

const { cert, key } = keyPair("localhost");
const source = { base: "/", readFile: () => Promise.reject(new Error("no files")) };
const CLIENTS = { client_auth_type: "RequireAndVerifyClientCert", client_ca: certificate("ca.pem") };

async function tlsOf(settings: object, http2 = true): Promise<ServerTls> {
  const { tls_server_config } = webConfigSchema.parse({ tls_server_config: { cert, key, ...settings } });
  const tls = tls_server_config && (await serverTls(tls_server_config, http2, source, () => undefined));
  if (tls === undefined) throw new Error("no TLS");
  return tls;
}

describe("handshake", () => {
  test("allows TLS 1.2 and 1.3 by default, with Node's suites and curves in the server's order", async () => {
    const { options } = await tlsOf({});
    expect(options).toEqual({
      ...{ cert, key, minVersion: "TLSv1.2", maxVersion: "TLSv1.3", honorCipherOrder: true, requestCert: false },
    });
  });

  const TLS13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
  test.each([
    {
      settings: { cipher_suites: ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"] },
      expected: { ciphers: `ECDHE-RSA-AES128-GCM-SHA256:${TLS13}` },
    },
    {
      settings: { cipher_suites: ["TLS_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"] },
      expected: {
        ciphers: `TLS_AES_256_GCM_SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256`,
      },
    },
    { settings: { cipher_suites: [] }, expected: { ciphers: undefined } },
    { settings: { min_version: "TLS11" }, expected: { ciphers: `DEFAULT:${TLS13}:@SECLEVEL=0` } },
    { settings: { min_version: "TLS10" }, expected: { ciphers: `DEFAULT:${TLS13}:@SECLEVEL=0` } },
    { settings: { min_version: "TLS12" }, expected: { ciphers: undefined } },
    { settings: { min_version: "TLS13", max_version: "TLS13" }, expected: { minVersion: "TLSv1.3" } },
    { settings: { max_version: "TLS12" }, expected: { maxVersion: "TLSv1.2" } },
    { settings: { curve_preferences: ["X25519", "CurveP384"] }, expected: { ecdhCurve: "X25519:secp384r1" } },
    { settings: { curve_preferences: [] }, expected: { ecdhCurve: undefined } },
    { settings: { prefer_server_cipher_suites: "off" }, expected: { honorCipherOrder: false } },
  ])("of $settings", async ({ settings, expected }) => {
    const options: Readonly<Record<string, unknown>> = { ...(await tlsOf(settings)).options };
    for (const [name, value] of Object.entries(expected)) expect(options[name]).toBe(value);
  });

  const AES256 = ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"];
  test.each([
    { cipher_suites: [...AES256, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"] },
    { cipher_suites: [...AES256, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"] },
    { cipher_suites: AES256, min_version: "TLS13" },
  ])("has a suite for HTTP/2: $cipher_suites, $min_version", async (settings) => {
    expect((await tlsOf(settings)).options.minVersion).toBeDefined();
  });

  test("has no suite for HTTP/2", async () => {
    await expect(tlsOf({ cipher_suites: AES256 })).rejects.toThrow("HTTP/2 needs");
    expect((await tlsOf({ cipher_suites: AES256 }, false)).options.ciphers).toContain("AES256");
  });
});

describe("client certificates", () => {
  test("are requested, verified and never resumed with RequireAndVerifyClientCert", async () => {
    const { options, clients } = await tlsOf(CLIENTS);
    expect(options).toMatchObject({
      ...{ requestCert: true, rejectUnauthorized: true, allowPartialTrustChain: true },
      ...{ secureOptions: constants.SSL_OP_NO_TICKET, ca: [certificate("ca.pem")] },
    });
    expect(clients).toEqual({ type: "RequireAndVerifyClientCert", allowedSans: undefined });
  });

  test.each(["RequestClientCert", "RequireAnyClientCert", "VerifyClientCertIfGiven"])(
    "are requested, and checked after the handshake, with %s",
    async (client_auth_type) => {
      const { options, clients } = await tlsOf({ ...CLIENTS, client_auth_type, client_allowed_sans: ["a"] });
      expect(options).toMatchObject({ requestCert: true, rejectUnauthorized: false });
      expect(clients).toEqual({ type: client_auth_type, allowedSans: ["a"] });
    },
  );

  test("are not requested without a policy, and names have no effect", async () => {
    const { options, clients } = await tlsOf({ client_allowed_sans: ["a"] });
    expect(options).toMatchObject({ requestCert: false });
    expect(clients).toEqual({ type: "NoClientCert", allowedSans: undefined });
  });

  test.each([
    { client_auth_type: "RequireAndVerifyClientCert", hasSystem: true },
    { client_auth_type: "VerifyClientCertIfGiven", hasSystem: true },
    { client_auth_type: "RequestClientCert", hasSystem: false },
    { client_auth_type: "RequireAnyClientCert", hasSystem: false },
  ])("without an authority, $client_auth_type uses those of the system: $hasSystem", async (row) => {
    const { options } = await tlsOf({ client_auth_type: row.client_auth_type });
    expect(Array.isArray(options.ca)).toBe(row.hasSystem);
  });
});
