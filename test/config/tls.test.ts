import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { loadConfig } from "../../src/config/load.ts";
import { certificate } from "../support/certificates.ts";
import { FILE, failureOf, filesWith, load, SECRET } from "./support.ts";

const COLONS = Array.from({ length: 32 }, (_, index) => (index * 7 + 16).toString(16).toUpperCase().slice(-2)).join(
  ":",
);
const PLAIN = COLONS.replaceAll(":", "").toLowerCase();
const CLIENT = "cert_file: /etc/ssl/certs/exporter.pem, key_file: /etc/ssl/private/exporter.key";

function withTls(tls: string): string {
  return `servers:\n  - url: https://prtg:1616\n    auth: { api_key_file: /run/secrets/key }\n    tls: { ${tls} }\n`;
}

async function tlsOf(tls: string) {
  const { config } = await load(withTls(tls));
  return config.servers[0]?.tls;
}

describe("accepted TLS settings", () => {
  test.each([COLONS, PLAIN, PLAIN.toUpperCase(), COLONS.toLowerCase()])("include the fingerprint %s", async (text) => {
    expect((await tlsOf(`fingerprints: ["${text}"]`))?.fingerprints).toEqual([PLAIN]);
  });

  test("include several fingerprints and the oldest version", async () => {
    const tls = await tlsOf(`fingerprints: ["${COLONS}", "${"0".repeat(64)}"], min_version: TLS13`);
    expect(tls).toMatchObject({ fingerprints: [PLAIN, "0".repeat(64)], minVersion: "TLSv1.3" });
  });

  test("include a client certificate with its key and read both on each request", async () => {
    const tls = await tlsOf(CLIENT);
    expect(await tls?.read?.()).toMatchObject({
      ca: undefined,
      cert: expect.stringContaining("BEGIN CERTIFICATE"),
      key: expect.stringContaining("PRIVATE KEY"),
    });
  });

  test("read nothing per connection without files and fingerprints", async () => {
    expect((await tlsOf("server_name: x"))?.read).toBeUndefined();
  });
});

describe("rejected TLS settings", () => {
  test.each([
    [`fingerprints: ["12:34"]`, "4:27", ["tls.fingerprints[0]", "64 hexadecimal digits"]],
    [`fingerprints: ["${PLAIN.slice(0, -1)}g"]`, "4:27", ["64 hexadecimal digits"]],
    ["fingerprints: []", "4:26", ["at least one fingerprint"]],
    [
      `fingerprints: ["${PLAIN}"], insecure_skip_verify: true`,
      "4:118",
      ["insecure_skip_verify", "fingerprints already selects"],
    ],
    ["min_version: TLS11", "4:25", ["one of TLS12, TLS13"]],
    ["cert_file: /etc/ssl/certs/exporter.pem", "4:", ["tls.key_file", "the key of cert_file"]],
    ["key_file: /etc/ssl/private/exporter.key", "4:", ["tls.cert_file", "the certificate of key_file"]],
    ["cert_file: /no, key_file: /etc/ssl/private/exporter.key", "4:23", ["tls.cert_file", "no such file"]],
    ["cert_file: /etc/ssl/certs/exporter.pem, key_file: /no", "4:62", ["tls.key_file", "no such file"]],
    ["cert_file: /etc/ssl/certs/exporter.pem, key_file: /etc/ssl/other.key", "4:62", ["does not belong to the client"]],
    ["cert_file: /etc/ssl/certs/exporter.pem, key_file: /etc/ssl/ca.pem", "4:62", ["no private key in PEM"]],
    ["cert_file: /etc/ssl/key.pem, key_file: /etc/ssl/private/exporter.key", "4:23", ["no PEM certificate"]],
  ])("%s", async (tls, position, words) => {
    const { message } = await failureOf(load(withTls(tls)));
    expect(message.split("\n")).toHaveLength(1);
    expect(message).toContain(`prtg.yaml:${position}`);
    for (const word of words) expect(message).toContain(word);
  });

  test("include a key that others can read, if strict", async () => {
    const readFile = filesWith({
      [FILE]: `${withTls("cert_file: /etc/a.pem, key_file: /etc/a.key")}strict_secret_files: true\n`,
      "/run/secrets/key": SECRET,
      "/etc/a.pem": certificate("localhost.pem"),
      "/etc/a.key": certificate("localhost.key.pem"),
    });
    const readAccess = async (path: string) => ({ mode: path === "/run/secrets/key" ? 0o600 : 0o644, ofRoot: false });
    const { message } = await failureOf(loadConfig({ file: FILE, env: {}, readFile, readAccess }));
    expect(message).toMatch(/^prtg\.yaml:4:\d+: servers\[0\]\.tls\.key_file: file \/etc\/a\.key is open to every user/);
  });
});

test("a renewed certificate or a new fingerprint makes a reload reconnect", async () => {
  const printOf = async (tls: string) => {
    const prints = await digestConfig((await load(withTls(tls))).config);
    return prints.servers.get("prtg");
  };
  const first = await printOf(CLIENT);
  expect(await printOf(CLIENT)).toBe(first);
  expect(await printOf("server_name: prtg")).not.toBe(first);
  expect(await printOf(`fingerprints: ["${PLAIN}"]`)).not.toBe(await printOf(`fingerprints: ["${"0".repeat(64)}"]`));
});

test.each([
  ["a passphrase", encryptedKey(), "file /etc/ssl/odd.key contains a private key with a passphrase"],
  ["one line of text", "secret", "file /etc/ssl/odd.key contains no private key in PEM"],
])("a key file with %s fails with a remedy for keys", async (_name, content, fault) => {
  const text = withTls(CLIENT.replace("/etc/ssl/private/exporter.key", "/etc/ssl/odd.key"));
  const error = await failureOf(load(text, {}, { "/etc/ssl/odd.key": content }));
  expect([error.code, error.message]).toEqual(["SECRET_UNREADABLE", expect.stringContaining(fault)]);
  expect(error.remedy).toMatch(/tls\.key_file must contain one private key in PEM without a passphrase/);
});

function encryptedKey(): string {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "not-the-secret" },
  });
  return privateKey;
}
