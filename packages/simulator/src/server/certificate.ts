import { isIP } from "node:net";
import forge from "node-forge";
import type { TlsOptions } from "./http-server.ts";

const KEY_BITS = 2048;
const VALID_DAYS = 365;
const DAY_MS = 86_400_000;
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/**
 * A self-signed certificate with a new key, like that of a new PRTG installation.
 * @param names Host names and IP addresses. The first one is the subject.
 * @param now Milliseconds since the epoch.
 */
export async function selfSignedCertificate(names: readonly [string, ...string[]], now: number): Promise<TlsOptions> {
  const keys = await newKeys();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  // The first byte keeps the number positive and without leading zeros, which DER forbids.
  certificate.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(15))}`;
  // Valid on machines whose clock is behind.
  certificate.validity.notBefore = new Date(now - DAY_MS);
  certificate.validity.notAfter = new Date(now + VALID_DAYS * DAY_MS);
  const subject = [
    { name: "commonName", value: names[0] },
    { name: "organizationName", value: "PRTG simulator" },
  ];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: "basicConstraints", cA: false },
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true },
    { name: "extKeyUsage", serverAuth: true },
    {
      name: "subjectAltName",
      altNames: [...new Set(names)].map((name) =>
        isIP(name) === 0 ? { type: DNS_NAME, value: name } : { type: IP_ADDRESS, ip: name },
      ),
    },
  ]);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: forge.pki.privateKeyToPem(keys.privateKey) };
}

/** node-forge uses the cryptography of Node.js, in another thread. */
function newKeys(): Promise<forge.pki.rsa.KeyPair> {
  return new Promise((resolve, reject) => {
    forge.pki.rsa.generateKeyPair({ bits: KEY_BITS }, (error, keys) => {
      if (error) reject(error);
      else resolve(keys);
    });
  });
}
