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

test("serve reads pinned, unchecked and proxied servers, and shows which one is unchecked", async () => {
  const { url } = await simulateServer({ tls: TLS });
  const password = "proxy-pass-9431";
  const proxy = await startProxy({ credentials: `exporter:${password}` });
  const pinned = `tls: { fingerprints: ["${SEEN}"] }`;
  const servers = {
    open: "tls: { insecure_skip_verify: true }",
    pinned,
    proxied: `${pinned}, proxy_url: "${proxy.url}", proxy_auth: { username: exporter, password_file: proxy.txt }`,
  };
  const yaml = Object.entries(servers).map(
    ([name, more]) => `  - { name: ${name}, url: "${url}", auth: { api_key_file: key.txt }, ${more} }\n`,
  );
  const folder = temporaryFolder({
    ...{ "prtg.yaml": `servers:\n${yaml.join("")}`, "key.txt": CREDENTIALS.apiKey, "proxy.txt": password },
  });
  const { code, stdout, stderr } = await runCommand(["serve", "--once", "--config.file", join(folder, "prtg.yaml")]);
  expect(code).toBe(0);
  for (const name of Object.keys(servers)) {
    expect(stdout).toContain(`prtg_up{server="${name}"} 1\n`);
    expect(stdout).toContain(`prtg_exporter_api_unverified{server="${name}"} ${name === "open" ? 1 : 0}\n`);
  }
  expect(stderr.match(/tls\.insecure_skip_verify is set/g)).toHaveLength(1);
  expect(proxy.tunnels.length).toBeGreaterThan(0);
  expect(proxy.tunnels.every(({ target }) => url.endsWith(target))).toBe(true);
  expect(stdout + stderr).not.toContain(password);
});
