import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError } from "../../../src/config/config-error.ts";
import { describeError } from "../../../src/errors/exporter-error.ts";
import { type LoadedWebConfig, loadWebConfig } from "../../../src/http/web-config/load.ts";
import { certificate } from "../../support/certificates.ts";
import { ALICE, FURTHER_CASES, TOOLKIT_CASES } from "./cases.ts";

const FOLDER = "/etc/site";
const FILE = `${FOLDER}/web.yaml`;

const FILES: Readonly<Record<string, string>> = {
  "server.pem": certificate("localhost.pem"),
  "server.key": certificate("localhost.key.pem"),
  "client.key": certificate("prtg.example.com.key.pem"),
  "expired.pem": certificate("expired.pem"),
  "expired.key": certificate("expired.key.pem"),
  "ca.pem": certificate("ca.pem"),
  null: "",
};

const SECRETS = ["open-sesame", "73514268", ALICE, ALICE.slice(10, 40), "PRIVATE KEY"];

/** A folder in memory. */
async function readFile(path: string): Promise<string> {
  const content = FILES[basename(path)];
  if (content !== undefined) return content;
  const code = path === FOLDER ? "EISDIR" : "ENOENT";
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}

function load(yaml: string): Promise<LoadedWebConfig> {
  const text = yaml.replaceAll(/<(.+?)>/g, (_match, name: string) =>
    (FILES[name] ?? "").trim().replaceAll(/^/gm, "    "),
  );
  return loadWebConfig(FILE, async (path) => (path === FILE ? text : readFile(path)));
}

async function refusalOf(yaml: string): Promise<ConfigError> {
  const error: unknown = await load(yaml).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

describe.each([
  ["of exporter-toolkit", TOOLKIT_CASES],
  ["of this project", FURTHER_CASES],
])("cases %s", (_whose, cases) => {
  test.each(cases.filter(({ refused }) => refused === undefined))("passes: $title", async ({ yaml }) => {
    const { config } = await load(yaml);
    expect(config.tls !== undefined).toBe(yaml.includes("cert"));
  });

  test.each(cases.filter(({ refused }) => refused !== undefined))("fails: $title", async ({ yaml, refused }) => {
    const error = await refusalOf(yaml);
    const [position, words] = refused ?? ["", ""];
    expect(error.message).toContain(`web.yaml:${position}: `);
    expect(error.message).toContain(words);
    expect(["WEB_CONFIG_INVALID", "WEB_CONFIG_UNREADABLE", "CONFIG_SYNTAX"]).toContain(error.code);
    for (const secret of SECRETS) expect(describeError(error)).not.toContain(secret);
  });
});

test("the error names a missing file", async () => {
  const missing = loadWebConfig("/nowhere/web.yaml", readFile);
  await expect(missing).rejects.toMatchObject({
    code: "WEB_CONFIG_UNREADABLE",
    message: "/nowhere/web.yaml: the web configuration cannot be read: no such file",
  });
});

test("relative paths start at the folder of the file", async () => {
  const opened: string[] = [];
  await loadWebConfig("/etc/site/web.yaml", async (path) => {
    opened.push(path);
    if (path.endsWith(".yaml")) return "tls_server_config: { cert_file: a/server.pem, key_file: ../server.key }";
    return readFile(path);
  });
  expect(opened).toEqual(["/etc/site/web.yaml", "/etc/site/a/server.pem", "/etc/server.key"]);
});

test("values stay as they are: no variables, numbers as texts, blank headers as none", async () => {
  const { config } = await load(
    'http_server_config: { headers: { X-XSS-Protection: 1, Content-Security-Policy: "${HOME} $$", Strict-Transport-Security: "" } }',
  );
  expect(config.headers).toEqual([
    ["Content-Security-Policy", "${HOME} $$"],
    ["X-XSS-Protection", "1"],
  ]);
});

test.each([
  ["0", undefined],
  ["-1s", undefined],
  ["1s", 1_000],
  ["1500ms", 1_500],
  ["0.5h", 1_800_000],
  ["1h1m1s1ms1us", 3_661_001.001],
  ["250000000", 250],
  ["1ms", 1],
  ["1500us", 1.5],
  ["2500000ns", 2.5],
  ["2m.5s", 120_500],
])("a rate_limit.interval of %s means %s ms", async (interval, expected) => {
  const { config } = await load(`rate_limit: { interval: ${interval}, burst: 5 }`);
  expect(config.rateLimit).toEqual(expected === undefined ? undefined : { intervalMs: expected, burst: 5 });
});

test.each([
  ["users without TLS", `basic_auth_users: { alice: "${ALICE}" }`, "unencrypted"],
  [
    "a policy without effect",
    "tls_server_config: { cert_file: server.pem, key_file: server.key, client_auth_type: RequireAnyClientCert }",
    "RequireAndVerifyClientCert",
  ],
  [
    "clients of any authority",
    "tls_server_config: { cert_file: server.pem, key_file: server.key, client_auth_type: RequireAndVerifyClientCert }",
    "every CA",
  ],
  [
    "names without a policy",
    "tls_server_config: { cert_file: server.pem, key_file: server.key, client_allowed_sans: [a] }",
    "no effect",
  ],
  ["settings of TLS without a certificate", "tls_server_config: { min_version: TLS13 }", "plain HTTP"],
  ["suites without a certificate", "tls_server_config: { cipher_suites: [TLS_AES_128_GCM_SHA256] }", "plain HTTP"],
  ["a highest version without a certificate", "tls_server_config: { max_version: TLS12 }", "plain HTTP"],
  [
    "an expired certificate",
    "tls_server_config: { cert_file: expired.pem, key_file: expired.key }",
    "expired on Dec 31",
  ],
  ["a limit that lets nothing through", "rate_limit: { interval: 1s }", "the exporter refuses every request"],
])("the log warns of %s", async (_what, yaml, words) => {
  const { warnings } = await load(yaml);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(words);
});

test.each([
  ["usual settings", "tls_server_config: { cert_file: server.pem, key_file: server.key }"],
  ["defaults of TLS without a certificate", "tls_server_config: { cipher_suites: [], min_version: TLS12 }"],
  ["a limit of one request", "rate_limit: { interval: 1s, burst: 1 }"],
  ["no limit", "rate_limit: { interval: 0s, burst: 0 }"],
])("the log does not warn of %s", async (_what, yaml) => {
  expect((await load(yaml)).warnings).toEqual([]);
});

test.each([
  ["", true],
  ["http_server_config: { http2: true }", true],
  ["http_server_config: { http2: no }", false],
])("HTTP/2 of the settings %j: %s", async (yaml, expected) => {
  expect((await load(yaml)).config.http2).toBe(expected);
});

test("the result lists secrets", async () => {
  const { secrets } = await load(
    `tls_server_config:\n  cert_file: server.pem\n  key: |\n<server.key>\nbasic_auth_users: { alice: "${ALICE}" }\n`,
  );
  expect(secrets).toContain(ALICE);
  expect(secrets.some((secret) => secret.includes("PRIVATE KEY"))).toBe(true);
});
