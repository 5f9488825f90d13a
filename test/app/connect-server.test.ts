import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { accessKeyOf, clientOptions, connectServer } from "../../src/app/connect-server.ts";
import { loadConfig } from "../../src/config/load.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { sendJson, startApiServer } from "../prtg/support/api-server.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { never } from "../support/never-aborted.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

const KEY = 'auth: { api_key: "${KEY}" }';

async function optionsOf(more: string, url = "https://prtg.example.com:1616") {
  const { servers } = await loadTestConfig(`servers: [{ name: hq, url: "${url}", ${more} }]\n`);
  const [server] = servers;
  if (server === undefined) throw new Error("no server");
  const warnings: string[] = [];
  const unverified: unknown[] = [];
  const observer = Object.assign(serverRecorder(emptyMetrics(), "hq"), {
    unverified: (isUnverified: unknown) => unverified.push(isUnverified),
  });
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  return { options: clientOptions(server, observer, log, testContext()), warnings, unverified };
}

describe("clientOptions", () => {
  test("read a secret anew for each login or rejection", async () => {
    const folder = temporaryFolder({ secret: "old" });
    const file = join(folder, "secret");
    const { options: byKey } = await optionsOf(`auth: { api_key_file: "${file}" }`);
    const { options: byPassword } = await optionsOf(`auth: { username: me, password_file: "${file}" }`);
    const secrets = async () => [
      byKey.auth.kind === "api_key" && (await byKey.auth.key()),
      byPassword.auth.kind === "login" && [byPassword.auth.username, await byPassword.auth.password()],
    ];
    expect(await secrets()).toEqual(["old", ["me", "old"]]);
    writeFileSync(file, "new\n");
    expect(await secrets()).toEqual(["new", ["me", "new"]]);
  });

  test.each([
    ["https://prtg.example.com:1616", "insecure_skip_verify: true", true],
    ["https://prtg.example.com:1616", "insecure_skip_verify: false", false],
    ["http://prtg.example.com:1615", "insecure_skip_verify: true", false],
  ])("report and log whether %s with %s is unverified: %s", async (url, tls, isUnverified) => {
    const { warnings, unverified } = await optionsOf(`${KEY}, tls: { ${tls} }`, url);
    expect(unverified).toEqual([isUnverified]);
    expect(warnings).toEqual(isUnverified ? [expect.stringContaining("tls.insecure_skip_verify is set")] : []);
  });

  test("have the TLS settings and the proxy of the server", async () => {
    const fingerprint = "ab".repeat(32);
    const { options } = await optionsOf(
      `${KEY}, tls: { fingerprints: ["${fingerprint}"] }, proxy_url: "http://p:3128"`,
    );
    expect(options.tls?.fingerprints).toEqual([fingerprint]);
    expect(options.proxy?.url).toBe("http://p:3128");
    expect((await optionsOf(KEY)).options.proxy).toBeUndefined();
  });
});

describe("entries with one URL", () => {
  const byKey = 'auth: { api_key: "${ONE}" }';
  const byPassword = 'auth: { username: ann, password: "${ONE}" }';

  async function serversOf(url: string, entries: readonly string[]) {
    const items = entries.map((more, index) => `  - { name: "${index}", url: "${url}", ${more} }\n`);
    const readFile = async () => `servers:\n${items.join("")}`;
    return (await loadConfig({ file: "test.yaml", env: { ONE: "key-one", TWO: "key-two" }, readFile })).config.servers;
  }

  test.each([
    [byKey, byKey, 1],
    [byKey, 'auth: { api_key: "${TWO}" }', 2],
    [byPassword, byPassword, 1],
    [byPassword, 'auth: { username: bob, password: "${ONE}" }', 2],
    [byPassword, 'auth: { username: ann, password: "${TWO}" }', 2],
    [byKey, `${byKey}, tls: { insecure_skip_verify: true }`, 2],
    [byKey, `${byKey}, proxy_url: "http://p:3128"`, 2],
  ])("with %s and %s have %i accesses", async (one, two, count) => {
    const servers = await serversOf("https://prtg.example.com:1616", [one, two]);
    expect(servers).toHaveLength(2);
    expect(new Set(servers.map(accessKeyOf)).size).toBe(count);
  });

  test("send their own API keys", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, { version: "1" }));
    const context = testContext();
    for (const entry of await serversOf(server.url, [byKey, 'auth: { api_key: "${TWO}" }'])) {
      const observer = serverRecorder(emptyMetrics(), entry.name);
      const api = connectServer(entry, observer, context.log, context);
      onTestFinished(() => api.close());
      await api.version(never);
    }
    expect(server.requests.map(({ authorization }) => authorization)).toEqual(["Bearer key-one", "Bearer key-two"]);
  });
});
