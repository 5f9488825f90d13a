import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import forge from "node-forge";
import { expect, onTestFinished, test } from "vitest";
import { configText } from "../../../src/cli/init/draft.ts";
import type { Terminal } from "../../../src/cli/init/terminal.ts";
import { withTrust } from "../../../src/cli/init/trust.ts";
import { testContext } from "../../support/simulated-exporter.ts";
import { simulateServer } from "../../support/simulated-server.ts";

test("reports a server that ends the connection before it sends a certificate", async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") return expect.fail("no port");
  const url = `https://127.0.0.1:${address.port}`;
  await expect(withTrust({ file: "prtg.yaml", url, trust: {} }, undefined, testContext())).rejects.toMatchObject({
    code: "API_CONNECTION_FAILED",
    message: `${url}: no certificate`,
    cause: expect.objectContaining({ code: "ECONNRESET" }),
  });
});

const { privateKey: key } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "pkcs1", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});
const DNS_NAME = 2;
/** The types of node-forge expect another enumeration. */
const UTF8: number = forge.asn1.Type.UTF8;

/** Self-signed. */
function certificateFor(commonName: string | undefined, names: readonly string[]): string {
  const privateKey = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e);
  certificate.serialNumber = "01";
  certificate.validity.notBefore = new Date("2026-01-01");
  certificate.validity.notAfter = new Date("2126-01-07");
  const subject = commonName === undefined ? [] : [{ name: "commonName", value: commonName, valueTagClass: UTF8 }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  const altNames = names.map((value) => ({ type: DNS_NAME, value }));
  certificate.setExtensions([{ name: "subjectAltName", altNames }]);
  certificate.sign(privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}

/** What a user sees who trusts the certificate, and the configuration. */
async function trusted(cert: string): Promise<{ readonly said: string; readonly text: string }> {
  const { url } = await simulateServer({ tls: { cert, key } });
  const lines: string[] = [];
  const context = { ...testContext(), print: (text: string) => void lines.push(text) };
  const terminal: Terminal = {
    ask: () => expect.fail("no question"),
    askSecret: () => expect.fail("no question"),
    confirm: async () => true,
    close: () => undefined,
  };
  const draft = await withTrust({ file: "prtg.yaml", url, trust: {} }, terminal, context);
  expect(draft.trust.fingerprints).toEqual([new X509Certificate(cert).fingerprint256]);
  return { said: lines.join("\n"), text: configText({ ...draft, apiKey: { value: "key" } }) };
}

test("shows a certificate without a subject", async () => {
  const { said, text } = await trusted(certificateFor(undefined, ["prtg.example.com"]));
  expect(said).toMatch(/^ {2}subject +none\n {2}issuer +itself/m);
  expect(text).toContain("# Certificate: DNS:prtg.example.com, valid until 2126-01-07");
});

test("shows names of a certificate as bounded lines without misleading characters", async () => {
  const forged = `\u202ea\u2066b\u200bc\n  SHA-256 fingerprint  AA:AA ${"x".repeat(500)}`;
  const { said, text } = await trusted(certificateFor(forged, Array(500).fill("prtg.example.com")));
  expect(said).not.toMatch(/[^\P{C}\n]/u);
  expect(said.match(/^ {2}SHA-256 fingerprint/gm)).toHaveLength(1);
  for (const line of `${said}\n${text}`.split("\n")) expect(line.length, line).toBeLessThan(350);
});
