import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { SyncConfig } from "../../src/config/sync-config.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { FILE, failureOf, filesWith, load, loadForSync, SECRET } from "./support.ts";

const FOLDER = dirname(resolve(FILE));
const SERVERS = `
state_dir: state
servers:
  - { name: hq, url: "https://prtg.example.com:1616", auth: { api_key_file: /run/secrets/key } }
`;
const MINIMAL = `${SERVERS}
sync:
  alertmanager:
    url: http://alertmanager:9093/
`;

function withSync(section: string): string {
  return `${SERVERS}sync:\n  alertmanager: { url: http://alertmanager:9093 }\n${section.replaceAll(/^/gm, "  ")}\n`;
}

function withAlertmanager(keys: string): string {
  return `${SERVERS}sync: { alertmanager: { url: "http://alertmanager:9093", ${keys} } }\n`;
}

async function syncOf(text: string, env: Readonly<Record<string, string>> = {}): Promise<SyncConfig> {
  const { config } = await loadForSync(text, env);
  if (config.sync === undefined) throw new Error("there is no section sync");
  return config.sync;
}

async function messageOf(text: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await failureOf(loadForSync(text, env))).message;
}

describe("section sync", () => {
  it("needs only the URL of Alertmanager and has safe defaults", async () => {
    expect(await syncOf(MINIMAL)).toEqual({
      alertmanager: {
        url: "http://alertmanager:9093",
        timeoutMs: 10_000,
        headers: {},
        authorization: undefined,
        tls: { insecureSkipVerify: false },
        proxy: undefined,
      },
      servers: new Map(),
      intervalMs: 30_000,
      spanMs: 3_600_000,
      acknowledge: true,
      silenceAcknowledged: true,
      silencePaused: true,
      pausedMatchers: [
        [
          { name: "server", value: "{server}", isRegex: false, isEqual: true },
          { name: "device_id", value: "{device_id}", isRegex: true, isEqual: true },
        ],
      ],
      changesPerMinute: 30,
      maxSensors: 200,
      auditLog: join(FOLDER, "state", "sync-audit.jsonl"),
    });
  });

  it("resolves the audit log from the folder of the file, and keeps -", async () => {
    expect((await syncOf(withSync("audit_log: audit.jsonl"))).auditLog).toBe(join(FOLDER, "audit.jsonl"));
    expect((await syncOf(withSync("audit_log: '-'"))).auditLog).toBe("-");
  });

  it("keeps the path of Grafana's Alertmanager and drops /api/v2", async () => {
    const text = MINIMAL.replace("alertmanager:9093/", "grafana:3000/api/alertmanager/grafana/api/v2");
    expect((await syncOf(text)).alertmanager.url).toBe("http://grafana:3000/api/alertmanager/grafana");
  });

  it.each([
    ["username: me, password_file: /run/secrets/key", `Basic ${Buffer.from(`me:${SECRET}`).toString("base64")}`],
    ['username: me, password: "${PASSWORD}"', `Basic ${Buffer.from("me:from: env").toString("base64")}`],
    ["bearer_token_file: /run/secrets/key", `Bearer ${SECRET}`],
    ['bearer_token: "${TOKEN}"', "Bearer t0ken"],
  ])("reads the credentials of Alertmanager: %s", async (keys, expected) => {
    const env = { PASSWORD: "from: env", TOKEN: "t0ken" };
    const { alertmanager } = await syncOf(withAlertmanager(keys), env);
    expect(await alertmanager.authorization?.()).toBe(expected);
  });

  it("takes secrets from the log", async () => {
    const redactor = new Redactor();
    const keys = 'bearer_token: "${TOKEN}", headers: { X-Token: "${HEADER}", X-Scope-OrgID: network }';
    await loadForSync(withAlertmanager(keys), { TOKEN: "t0ken-of-alertmanager", HEADER: "h3ader" }, redactor);
    expect(redactor.redact("t0ken-of-alertmanager h3ader network")).toBe("[redacted] [redacted] network");
  });

  it("reads the keys of servers", async () => {
    const servers = 'servers:\n  hq: { api_key_file: /run/secrets/key }\n  lab: { username: me, password: "${LAB}" }';
    const lab = SERVERS.replace(
      "servers:",
      'servers:\n  - { name: lab, url: "http://lab", auth: { api_key_file: /run/secrets/key } }',
    );
    const found = await syncOf(withSync(servers).replace(SERVERS, lab), { LAB: "lab-password" });
    const [hq, other] = [found.servers.get("hq"), found.servers.get("lab")];
    expect(hq?.kind === "api_key" && (await hq.apiKey.read()).reveal()).toBe(SECRET);
    expect(other?.kind === "login" && (await other.password.read()).reveal()).toBe("lab-password");
  });

  it.each([
    ["interval: 4s", "sync.interval: expected a duration from 5s to 10m"],
    ["interval: 11m", "sync.interval: expected a duration from 5s to 10m"],
    ["span: 4m", "sync.span: expected a duration from 5m to 1d"],
    ["{ interval: 10m, span: 15m }", 'sync.span: expected a duration of at least twice the interval, found "15m"'],
    ["changes_per_minute: 0", "sync.changes_per_minute: expected a whole number from 1 to 1000"],
    ["max_sensors: 100001", "sync.max_sensors: expected a whole number from 1 to 100000"],
    ["paused_matchers: []", "sync.paused_matchers: expected a non-empty list of lists of matchers"],
    ["paused_matchers: [[]]", "sync.paused_matchers[0]: expected a non-empty list of matchers"],
    ["paused_matchers: [['a']]", "sync.paused_matchers[0][0]: expected a matcher such as"],
    ["paused_matchers: [['host=\"{hots}\"']]", "{hots} is none of the placeholders {server}, {device_id}, {device}"],
    ["paused_matchers: [['host=~\"({host}\"']]", "the regular expression is invalid: missing closing )"],
    ["paused_matchers: [['server=\"{server}\"']]", "at least one matcher with = or =~ and with {device_id}, {device}"],
    ["paused_matchers: [['host!=\"{host}\"']]", "at least one matcher with = or =~ and with {device_id}, {device}"],
    ["paused_matchers: [['host=~\"({host})?\"']]", "at least one matcher that does not match the empty text"],
    [
      "servers: { branch: { api_key_file: /run/secrets/key } }",
      'sync.servers.branch: expected the name of a server (hq), found "branch"',
    ],
    [
      "servers: { hq: { api_key_file: /run/secrets/gone } }",
      "sync.servers.hq.api_key_file: file /run/secrets/gone cannot be read",
    ],
    [
      'servers: { hq: { api_key: "${SYNC_KEY}" } }',
      "sync.servers.hq.api_key: environment variable SYNC_KEY is not set",
    ],
    ["acknowlege: true", "sync.acknowlege: unknown key, did you mean `acknowledge`?"],
    ["servers: { hq: { api_kee: a } }", "sync.servers.hq.api_kee: unknown key, did you mean `api_key`?"],
  ])("refuses %s", async (section, expected) => {
    const text = section.startsWith("{")
      ? `${SERVERS}sync: { alertmanager: { url: "http://a" }, ${section.slice(1)}\n`
      : withSync(section);
    const message = await messageOf(text);
    expect(message).toContain(expected);
    expect(message).toMatch(/^prtg\.yaml:\d+:\d+: /);
  });

  it.each([
    ["username: me", "expected at most one of bearer_token_file, bearer_token, username with password_file"],
    ["password_file: /run/secrets/key", "found password_file"],
    ["username: me, bearer_token_file: /run/secrets/key", "found username and bearer_token_file"],
    [
      'username: me, password: "${TOKEN}", password_file: /run/secrets/key',
      "found username and password_file and password",
    ],
    ['bearer_token: "${SPACED}"', "SPACED contains a space"],
    [
      'bearer_token_file: /run/secrets/key, headers: { authorization: "Bearer ${TOKEN}" }',
      "no value, because bearer_token_file sets this header",
    ],
    [
      "tls: { cert_file: /etc/ssl/certs/exporter.pem }",
      "sync.alertmanager.tls.key_file: expected the key of cert_file",
    ],
    ["tls: { ca_file: /etc/ssl/damaged.pem }", "certificate 1 in file /etc/ssl/damaged.pem is damaged"],
    ["proxy_ca_file: /etc/ssl/ca.pem", "sync.alertmanager.proxy_ca_file: expected no value without proxy_url"],
    ["timeout: 6m", "sync.alertmanager.timeout: expected a duration from 100ms to 5m"],
  ])("refuses Alertmanager with %s", async (keys, expected) => {
    expect(await messageOf(withAlertmanager(keys), { TOKEN: "t0ken", SPACED: "a b" })).toContain(expected);
  });

  it("needs state_dir and an Alertmanager", async () => {
    expect(await messageOf(MINIMAL.replace("state_dir: state", ""))).toContain(
      "state_dir: missing, expected a directory",
    );
    expect(await messageOf(`${SERVERS}sync: {}\n`)).toContain("sync.alertmanager: missing, expected a map");
  });

  it("accepts quantifiers and Unicode classes beside placeholders", async () => {
    const { pausedMatchers } = await syncOf(
      withSync(String.raw`paused_matchers: [['a=~"{host}\p{Greek}[0-9]{2,3}"']]`),
    );
    expect(pausedMatchers).toEqual([
      [{ name: "a", value: String.raw`{host}\p{Greek}[0-9]{2,3}`, isRegex: true, isEqual: true }],
    ]);
  });
});

const SECRETS_IN_FILE = [
  [`servers: { hq: { api_key: ${SECRET} } }`],
  [`servers: { hq: { username: me, password: ${SECRET} } }`],
  [`servers: { hq: ${SECRET} }`],
  [`servers: ${SECRET}`],
  [`servers: { hq: { ${SECRET}: } }`],
  [`alertmanager: { url: "http://a", username: me, password: ${SECRET} }`],
  [`alertmanager: { url: "http://a", bearer_token: ${SECRET} }`],
  [`alertmanager: { url: "http://a", bearer_token: [${SECRET}] }`],
  [`alertmanager: { url: "http://me:${SECRET}@a" }`],
  [`alertmanager: { url: "http://a", headers: { Authorization: "Bearer ${SECRET}" } }`],
  [`alertmanager: { url: "http://a", headers: ${SECRET} }`],
  [`alertmanager: { url: "http://a", proxy_url: "http://b", proxy_auth: { username: me, password: ${SECRET} } }`],
] as const;

describe.each([
  ["sync", loadForSync],
  ["other commands", load],
])("a secret in the file, for %s", (_, loading) => {
  it.each(SECRETS_IN_FILE)("is refused and not shown: %s", async (section) => {
    const alertmanager = section.startsWith("alertmanager") ? "" : 'alertmanager: { url: "http://a" }, ';
    const error = await failureOf(loading(`${SERVERS}sync: { ${alertmanager}${section} }\n`));
    expect(error.message).toContain("prtg.yaml:5:");
    expect(`${error.message} ${error.stack}`).not.toContain(SECRET);
  });
});

describe("section sync in other commands", () => {
  const NEEDY = withSync(
    'servers: { hq: { api_key: "${SYNC_KEY}" } }\naudit_log: ${AUDIT}/a.jsonl\ninterval: ${INTERVAL}\npaused_matchers: [["${MATCHER}"]]',
  ).replace(
    "url: http://alertmanager:9093",
    'url: "${URL}", bearer_token_file: /run/secrets/gone, tls: { ca_file: /gone }',
  );

  it("needs no variables and reads no files", async () => {
    const { config } = await load(NEEDY);
    expect(config).not.toHaveProperty("sync");
    expect(config.servers.map(({ name }) => name)).toEqual(["hq"]);
    const error = await failureOf(loadForSync(NEEDY));
    expect(error.problems.map(({ key }) => key)).toEqual([
      "sync.alertmanager.url",
      "sync.servers.hq.api_key",
      "sync.audit_log",
      "sync.interval",
      "sync.paused_matchers[0][0]",
    ]);
  });

  it("ignores the variables that are set", async () => {
    const redactor = new Redactor();
    const env = { SYNC_KEY: "sync-key", URL: "http://a", AUDIT: "a", INTERVAL: "30s", MATCHER: 'a="{host}"' };
    const files = { [FILE]: NEEDY, "/run/secrets/key": SECRET };
    const { config } = await loadConfig({ file: FILE, env, readFile: filesWith(files), redactor });
    expect(config).not.toHaveProperty("sync");
    expect(redactor.redact("sync-key")).toBe("sync-key");
  });

  it.each([
    ["interval: 4s", "sync.interval: expected a duration from 5s to 10m"],
    ["acknowlege: true", "sync.acknowlege: unknown key, did you mean `acknowledge`?"],
    ["interval: ${A", "sync.interval: expected ${NAME}"],
    ["paused_matchers: [['host=\"{hots}\"']]", "{hots} is none of the placeholders"],
  ])("is still checked: %s", async (section, expected) => {
    expect((await failureOf(load(withSync(section)))).message).toContain(expected);
  });

  it("reports its problems together with others", async () => {
    const error = await failureOf(load(withSync("interval: 4s\nspan: ${UNSET}").replace("state_dir", "stale_dir")));
    expect(error.problems.map(({ key }) => key)).toEqual(["stale_dir", "sync.interval"]);
  });

  it("still needs the variables of other sections", async () => {
    const error = await failureOf(load(`${NEEDY}stale_after: \${AGE}\n`));
    expect(error.problems.map(({ key }) => key)).toEqual(["stale_after"]);
  });
});
