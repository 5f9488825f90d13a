import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyPair } from "../support/certificates.ts";
import { runCommand } from "../support/command-line.ts";
import { startProxy } from "../support/connect-proxy.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TLS = keyPair("prtg.example.com");
const SEEN = new X509Certificate(TLS.cert).fingerprint256;
const OTHER = "AB".repeat(32);

function folderWith(
  url: string,
  servers: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): string {
  const yaml = Object.entries(servers).map(
    ([name, tls]) => `  - { name: ${name}, url: "${url}", auth: { api_key_file: key.txt }, tls: { ${tls} } }\n`,
  );
  return temporaryFolder({ ...files, "key.txt": CREDENTIALS.apiKey, "prtg.yaml": `servers:\n${yaml.join("")}` });
}

test("check prints the fingerprint, and pinning it is enough", async () => {
  const { url, requests } = await simulateServer({ tls: TLS });
  const folder = folderWith(url, { wrong: `fingerprints: ["${OTHER}"]` });
  const refused = await runCommand(["check", "--config.file", join(folder, "prtg.yaml")]);
  expect(refused.code).toBe(1);
  const line = refused.stdout.split("\n").find((one) => one.includes("FAILED"));
  expect(line).toMatch(/^wrong +connection +FAILED/);
  expect(line).toContain("[API_TLS_FINGERPRINT]");
  expect(line).toContain("-> If the certificate was renewed");
  expect(requests.count()).toBe(0);
  // The user can copy the fingerprint into the configuration.
  const seen = /fingerprint: ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})/.exec(line ?? "")?.[1] ?? "";
  expect(seen).toBe(SEEN);
  const pinned = folderWith(url, { pinned: `fingerprints: ["${OTHER}", "${seen}"]` });
  const accepted = await runCommand(["check", "--config.file", join(pinned, "prtg.yaml")]);
  expect(accepted.stdout).toMatch(/^pinned +connection +ok /m);
  expect(accepted.code).toBe(0);
});

test("check prints a working environment variable for a server of the environment", async () => {
  const { url } = await simulateServer({ tls: TLS });
  const env = { PRTG_URL: url, PRTG_NAME: "hq", PRTG_API_KEY: CREDENTIALS.apiKey };
  const refused = await runCommand(["check"], { env });
  expect(refused.stdout).toContain("[API_TLS_UNTRUSTED]");
  const line = /PRTG_FINGERPRINTS=((?:[0-9A-F]{2}:){31}[0-9A-F]{2})/.exec(refused.stdout);
  expect(line?.[1]).toBe(SEEN);
  const accepted = await runCommand(["check"], { env: { ...env, PRTG_FINGERPRINTS: line?.[1] ?? "" } });
  expect(accepted.stdout).toMatch(/^hq +connection +ok /m);
  expect(accepted.code).toBe(0);
});

test("check reports the refusal of a proxy and succeeds with its credentials", async () => {
  const { url } = await simulateServer({ tls: TLS });
  const password = "proxy-pass-9431";
  const proxy = await startProxy({ credentials: `exporter:${password}` });
  const lines = [`fingerprints: ["${SEEN}"]`, `}, proxy_url: "${proxy.url}"`, ", limits: { concurrency: 4"];
  const refused = await runCommand([
    "check",
    "--config.file",
    join(folderWith(url, { hq: lines.join("") }), "prtg.yaml"),
  ]);
  const failed = refused.stdout.split("\n").find((one) => one.includes("FAILED"));
  expect(failed).toContain("[API_PROXY_UNAUTHORIZED]");
  expect(failed).toContain("-> Set or correct username and password_file in proxy_auth");
  lines.push(`}, proxy_auth: { username: exporter, password_file: proxy.txt`);
  const folder = folderWith(url, { hq: lines.join("") }, { "proxy.txt": password });
  const accepted = await runCommand(["check", "--config.file", join(folder, "prtg.yaml"), "--log.level", "debug"]);
  expect(accepted.stdout).toMatch(/^hq +connection +ok /m);
  expect(accepted.code).toBe(0);
  expect(proxy.tunnels.every(({ target }) => url.endsWith(target))).toBe(true);
  const told = refused.stdout + refused.stderr + accepted.stdout + accepted.stderr;
  expect(told).not.toContain(password);
  expect(told).not.toContain(Buffer.from(`exporter:${password}`).toString("base64"));
});

test("the insecure switch appears in the log and as a metric", async () => {
  const { url } = await simulateServer({ tls: TLS });
  const folder = folderWith(url, { open: "insecure_skip_verify: true", pinned: `fingerprints: ["${SEEN}"]` });
  const { code, stdout, stderr } = await runCommand(["serve", "--once", "--config.file", join(folder, "prtg.yaml")]);
  expect(code).toBe(0);
  expect(stdout).toContain('prtg_exporter_api_unverified{server="open"} 1\n');
  expect(stdout).toContain('prtg_exporter_api_unverified{server="pinned"} 0\n');
  expect(stderr.match(/tls\.insecure_skip_verify is set/g)).toHaveLength(1);
});
