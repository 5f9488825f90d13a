import { dirname, join, resolve } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { type Config, loadConfig } from "../../src/config/load.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { FILE, failureOf, filesWith, load, loadEnvironment, SECRET } from "./support.ts";

const MINIMAL = "servers:\n  - url: https://prtg.example.com:1616/\n    auth:\n      api_key_file: /run/secrets/key\n";
const ENVIRONMENT = { PRTG_URL: "https://prtg.example.com:1616", PRTG_API_KEY_FILE: "/run/secrets/key" };

function serverOf({ servers }: Config) {
  const [server] = servers;
  if (server === undefined || servers.length !== 1) throw new Error(`${servers.length} servers`);
  return server;
}

/** Rules contain functions, which do not compare. */
/** With descriptions of the credentials instead of their functions. */
function settingsOf({ ruleFiles, servers, ...settings }: Config): object {
  expect(ruleFiles.flatMap(({ rules }) => rules)).toEqual([]);
  const plain = servers.map((server) => ({ ...server, credentials: JSON.parse(JSON.stringify(server.credentials)) }));
  return { ...settings, servers: plain };
}

describe("configuration file", () => {
  test("resolves paths of the OTLP section and state_dir from its folder", async () => {
    const directory = dirname(resolve(FILE));
    const { config } = await load(
      `${MINIMAL}\notlp:\n  endpoint: http://collector:4318/\n  interval: 30s\n  headers: { X-Scope-OrgID: network }\n  header_files: { Authorization: token }\n  tls: { ca_file: ca.pem, key_file: /etc/key.pem }\nstate_dir: state\n`,
      {},
      { [join(directory, "token")]: "Bearer token" },
    );
    expect(config.stateDir).toBe(join(directory, "state"));
    expect(config.otlp).toMatchObject({
      endpoint: "http://collector:4318",
      intervalMs: 30_000,
      headers: { "X-Scope-OrgID": "network" },
      headerFiles: { Authorization: join(directory, "token") },
      tls: { caFile: join(directory, "ca.pem"), keyFile: "/etc/key.pem", insecureSkipVerify: false },
    });
    expect(config.otlp?.protocol).toBeUndefined();
  });

  test("takes a secret header from a variable, and a request limit", async () => {
    const otlp = `max_request_size: 1MiB, headers: { authorization: "Bearer \${TOKEN}", x-api-key: "\${TOKEN}" }`;
    const { config } = await load(`${MINIMAL}\notlp: { ${otlp} }\n`, { TOKEN: "t0ken" });
    expect(config.otlp).toMatchObject({
      maxRequestBytes: 1024 * 1024,
      headers: { authorization: "Bearer t0ken", "x-api-key": "t0ken" },
    });
  });

  test("needs only url and auth", async () => {
    const { config, source } = await load(MINIMAL);
    expect(source).toBe(FILE);
    expect(settingsOf(config)).toEqual({
      servers: [
        {
          name: "prtg.example.com",
          url: "https://prtg.example.com:1616",
          webUrl: "https://prtg.example.com",
          credentials: { kind: "api_key", apiKey: expect.anything() },
          tls: { ca: undefined, serverName: undefined, insecureSkipVerify: false },
          limits: {
            concurrency: 4,
            requestsPerSecond: 20,
            timeoutMs: 30_000,
            totalTimeoutMs: 120_000,
            listTimeoutMs: 3_600_000,
            maxResponseBytes: 64 * 1024 * 1024,
            maxTextLength: 1_024,
          },
        },
      ],
      collectors: {
        health: { schedule: { kind: "interval", everyMs: 15_000 }, enabled: true },
        status: { schedule: { kind: "interval", everyMs: 30_000 }, enabled: true },
        tree: { schedule: { kind: "interval", everyMs: 300_000 }, enabled: true },
        channels: { schedule: { kind: "interval", everyMs: 60_000 }, enabled: true },
        limits: { schedule: { kind: "interval", everyMs: 900_000 }, enabled: true },
        details: { schedule: { kind: "interval", everyMs: 900_000 }, enabled: false },
        timeseries: { schedule: { kind: "interval", everyMs: 60_000 }, enabled: true, mode: "auto" },
      },
      staleAfterMs: undefined,
      limits: { maxSeries: undefined, maxBytes: undefined },
      stateDir: undefined,
      deprecated: [],
      strictSecretFiles: false,
      metrics: {
        sensorStatus: "current",
        nodeSensors: ["probe", "group"],
        channelInfo: "auto",
        dependencyInfo: false,
        sensorDownDelay: false,
        locationInfo: true,
        apiDetail: "server",
      },
      mapping: { presets: [], files: [], rules: [], keepOriginal: true, byteUnits: "binary" },
      labels: { keep: undefined, rename: new Map(), fromTags: [] },
      otlp: undefined,
      events: { file: undefined, structure: false },
      web: { externalUrl: undefined, links: [], mcp: false, users: new Map() },
    });
  });

  test("accepts every key", async () => {
    const text = `
servers:
  - name: hq
    url: http://10.0.0.1:1615/prtg/api/v2
    web_url: https://proxy.example.com:8443/prtg/
    auth: { username: me, password_file: /run/secrets/key }
    tls: { ca_file: /etc/ssl/ca.pem, server_name: prtg, insecure_skip_verify: true }
    limits: { concurrency: 8, requests_per_second: 0.5, timeout: 5s, total_timeout: 1m, list_timeout: 10m, max_response_size: 16MB, max_objects: 50000, max_text_size: 8MB, max_text_length: 256 }
collectors:
  tree: { schedule: "0 */10 * * * *" }
  limits: { enabled: false }
stale_after: 1h
metrics: { sensor_status: all, node_sensors: [device, probe, device], dependency_info: true, sensor_down_delay: true, location_info: false }
`;
    const { config } = await load(text);
    const server = serverOf(config);
    expect(server).toMatchObject({
      name: "hq",
      url: "http://10.0.0.1:1615/prtg",
      webUrl: "https://proxy.example.com:8443/prtg",
      credentials: { kind: "login", username: "me" },
      tls: { serverName: "prtg", insecureSkipVerify: true },
      limits: {
        concurrency: 8,
        requestsPerSecond: 0.5,
        timeoutMs: 5_000,
        totalTimeoutMs: 60_000,
        listTimeoutMs: 600_000,
        maxResponseBytes: 16_000_000,
        maxObjects: 50_000,
        maxTextSize: 8_000_000,
        maxTextLength: 256,
      },
    });
    expect(server.tls.ca?.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(config.collectors.tree).toEqual({ schedule: { kind: "cron", expression: "0 */10 * * * *" }, enabled: true });
    expect(config.collectors.limits).toEqual({ schedule: { kind: "interval", everyMs: 900_000 }, enabled: false });
    expect(config.staleAfterMs).toBe(3_600_000);
    expect(config.metrics).toEqual({
      sensorStatus: "all",
      nodeSensors: ["device", "probe"],
      channelInfo: "auto",
      dependencyInfo: true,
      sensorDownDelay: true,
      locationInfo: false,
      apiDetail: "server",
    });
  });

  test.each([
    ["http://10.0.0.1:1615/prtg", "https://10.0.0.1"],
    ["https://[::1]:1616", "https://[::1]"],
  ])("takes %s as the API of the web interface at %s by default", async (url, webUrl) => {
    const { config } = await load(MINIMAL.replace("https://prtg.example.com:1616", url));
    expect(serverOf(config).webUrl).toBe(webUrl);
  });

  test("accepts empty sections", async () => {
    const empty = await load(`${MINIMAL}    tls:\n    limits:\n    #  timeout: 5s\ncollectors:\n  tree:\nmetrics:\n`);
    expect(settingsOf(empty.config)).toEqual(settingsOf((await load(MINIMAL)).config));
  });

  test("accepts a byte order mark and Windows line ends", async () => {
    const { config } = await load(`\uFEFF${MINIMAL.replaceAll("\n", "\r\n")}`);
    expect(serverOf(config).url).toBe("https://prtg.example.com:1616");
    const error = await failureOf(load(`\uFEFF${MINIMAL}foo: 1\n`.replaceAll("\n", "\r\n")));
    expect(error.message).toMatch(/^prtg\.yaml:5:1: foo: unknown key/);
  });

  test("supports anchors, aliases and merge keys", async () => {
    const { config } = await load(`
servers:
  - &first
    name: a
    url: http://a
    auth: &auth { api_key_file: /run/secrets/key }
    limits: &limits { concurrency: 2, timeout: 5s }
  - { name: b, url: http://b, auth: *auth, limits: { timeout: 7s, <<: *limits } }
  - { <<: [{ name: c, tls: { server_name: x } }, *first], url: http://c }
`);
    expect(config.servers).toMatchObject([
      { name: "a", url: "http://a", limits: { concurrency: 2, timeoutMs: 5_000 } },
      { name: "b", url: "http://b", limits: { concurrency: 2, timeoutMs: 7_000 } },
      { name: "c", url: "http://c", limits: { concurrency: 2, timeoutMs: 5_000 }, tls: { serverName: "x" } },
    ]);
  });

  test("takes numbers, booleans and choices from the environment", async () => {
    const text = `${MINIMAL}    limits: { concurrency: "\${C}", requests_per_second: "\${R:-0.5}" }
    tls: { insecure_skip_verify: "\${SKIP}" }
    name: \${SITE}-\${NUMBER:-1}
collectors: { tree: { enabled: "\${TREE:-false}" } }
metrics: { sensor_status: "\${ALL}" }
`;
    const { config } = await load(text, { C: "7", SKIP: "TRUE", SITE: "hq", ALL: "all" });
    expect(serverOf(config)).toMatchObject({
      name: "hq-1",
      limits: { concurrency: 7, requestsPerSecond: 0.5 },
      tls: { insecureSkipVerify: true },
    });
    expect(config.collectors.tree.enabled).toBe(false);
    expect(config.metrics.sensorStatus).toBe("all");
  });

  test("keeps texts that look like numbers", async () => {
    const { config } = await load(`${MINIMAL}    name: \${NAME}\n`, { NAME: "007" });
    expect(serverOf(config).name).toBe("007");
  });

  test("resolves relative paths from its folder", async () => {
    const file = "/etc/prtg/conf.yaml";
    const text = "servers: [{ url: http://a, auth: { api_key_file: secrets/key }, tls: { ca_file: ../ca.pem } }]";
    const error = await failureOf(loadConfig({ file, env: {}, readFile: filesWith({ [file]: text }) }));
    expect(error.message).toContain("file /etc/prtg/secrets/key cannot be read");
    expect(error.message).toContain("file /etc/ca.pem cannot be read");
  });

  test.each(["ENOENT", "EACCES", "EISDIR", "EIO"])("names an unreadable file: %s", async (code) => {
    const readFile = () => Promise.reject(Object.assign(new Error(`${code}: ...`), { code }));
    const error = await failureOf(loadConfig({ file: "gone.yaml", env: {}, readFile }));
    expect(error.code).toBe("CONFIG_NOT_FOUND");
    expect(error.message).toMatch(/^gone\.yaml: the configuration file cannot be read: .+/);
  });
});

describe("environment", () => {
  test("is enough for one server with an API key", async () => {
    const { config, source } = await loadEnvironment(ENVIRONMENT);
    expect(source).toBe("environment");
    const servers = config.servers.map(({ tls: { fingerprintsVariable, ...tls }, ...server }) => {
      expect(fingerprintsVariable).toBe("PRTG_FINGERPRINTS");
      return { ...server, tls };
    });
    expect(settingsOf({ ...config, servers })).toEqual(settingsOf((await load(MINIMAL)).config));
  });

  test("accepts every variable", async () => {
    const { config } = await loadEnvironment({
      PRTG_URL: "https://10.0.0.1:1616/api/v2/",
      PRTG_NAME: "hq",
      PRTG_USERNAME: "me",
      PRTG_PASSWORD: `${SECRET}\n`,
      PRTG_PASSWORD_FILE: "",
      PRTG_CA_FILE: "/etc/ssl/ca.pem",
      PRTG_SERVER_NAME: "prtg",
      PRTG_INSECURE_SKIP_VERIFY: "1",
      PRTG_PROXY_URL: "https://proxy.example.com:3128/",
      PRTG_PROXY_USERNAME: "you",
      PRTG_PROXY_PASSWORD: `${SECRET}2`,
      PRTG_PROXY_CA_FILE: "/etc/ssl/ca.pem",
      PRTG_PORT: "tcp://10.96.0.1:1616",
    });
    const { name, url, credentials, tls, proxy } = serverOf(config);
    expect(proxy).toMatchObject({ url: "https://proxy.example.com:3128", username: "you", caFile: "/etc/ssl/ca.pem" });
    expect((await proxy?.password?.read())?.reveal()).toBe(`${SECRET}2`);
    expect(proxy?.password?.description).toBe("environment variable PRTG_PROXY_PASSWORD");
    expect({ name, url, tls }).toEqual({
      name: "hq",
      url: "https://10.0.0.1:1616",
      tls: {
        ca: expect.stringContaining("BEGIN CERTIFICATE"),
        serverName: "prtg",
        insecureSkipVerify: true,
        fingerprintsVariable: "PRTG_FINGERPRINTS",
        read: expect.any(Function),
      },
    });
    if (credentials.kind !== "login") throw new Error(credentials.kind);
    expect(credentials.username).toBe("me");
    expect((await credentials.password.read()).reveal()).toBe(SECRET);
  });

  test("separates fingerprints by commas", async () => {
    const [one, other] = ["AB".repeat(32), "CD".repeat(32)];
    const { config } = await loadEnvironment({ ...ENVIRONMENT, PRTG_FINGERPRINTS: `${one}, ${other}` });
    expect(serverOf(config).tls.fingerprints).toEqual([one.toLowerCase(), other.toLowerCase()]);
    const wrong = await failureOf(loadEnvironment({ ...ENVIRONMENT, PRTG_FINGERPRINTS: `${one},${SECRET}` }));
    expect(wrong.message).toMatch(/PRTG_FINGERPRINTS.*64 hexadecimal digits/);
    expect(wrong.message).not.toContain(SECRET);
  });

  test("yields to the servers of a file and names ignored variables", async () => {
    const { config, ignoredVariables } = await load(MINIMAL, { PRTG_URL: "http://other", PRTG_API_KEY: "k" });
    expect(serverOf(config).url).toBe("https://prtg.example.com:1616");
    expect(ignoredVariables).toEqual(["PRTG_URL", "PRTG_API_KEY"]);
  });

  test("adds the server to a file without servers", async () => {
    const { config, source, ignoredVariables } = await load("stale_after: 7m\n", ENVIRONMENT);
    expect(serverOf(config).url).toBe(ENVIRONMENT.PRTG_URL);
    expect(config.staleAfterMs).toBe(420_000);
    expect({ source, ignoredVariables }).toEqual({ source: FILE, ignoredVariables: [] });
  });

  test.each([
    [{}, "CONFIG_NO_SERVER", ["environment: no server is configured"]],
    [{ PRTG_API_KEY: SECRET }, "CONFIG_NO_SERVER", ["environment: PRTG_API_KEY is set, but PRTG_URL is not"]],
    [{ PRTG_URL: "" }, "CONFIG_NO_SERVER", ["environment: no server is configured"]],
    [
      { PRTG_URL: `prtg/${SECRET}`, PRTG_API_KEY: SECRET },
      "CONFIG_INVALID",
      ["environment variable PRTG_URL: expected an http or https URL", "does not begin with http:// or https://"],
    ],
    [
      { PRTG_URL: "http://a" },
      "CONFIG_INVALID",
      ["environment variables PRTG_API_KEY_FILE, PRTG_API_KEY, PRTG_USERNAME,", "exactly one of", "found nothing"],
    ],
    [
      { PRTG_URL: "http://a", PRTG_API_KEY: SECRET, PRTG_API_KEY_FILE: "/run/secrets/key" },
      "CONFIG_INVALID",
      ["exactly one of", "found api_key_file and api_key"],
    ],
    [
      { PRTG_URL: "http://a", PRTG_API_KEY: `${SECRET}\r\n${SECRET}` },
      "CONFIG_INVALID",
      ["environment variable PRTG_API_KEY: expected", "it has more than one line"],
    ],
    [
      { PRTG_URL: "http://a", PRTG_API_KEY_FILE: "/run/none" },
      "SECRET_UNREADABLE",
      ["environment variable PRTG_API_KEY_FILE: file /run/none cannot be read: no such file"],
    ],
    [
      { ...ENVIRONMENT, PRTG_INSECURE_SKIP_VERIFY: "maybe" },
      "CONFIG_INVALID",
      ["environment variable PRTG_INSECURE_SKIP_VERIFY: expected true or false"],
    ],
    [
      { ...ENVIRONMENT, PRTG_CA_FILE: "/etc/ssl/key.pem" },
      "CA_UNREADABLE",
      ["environment variable PRTG_CA_FILE: file /etc/ssl/key.pem contains no PEM certificate"],
    ],
  ])("fails with %j", async (env, code, fragments) => {
    const error = await failureOf(loadEnvironment(env));
    expect(error.code).toBe(code);
    expect(error.message.split("\n")).toHaveLength(1);
    for (const fragment of fragments) expect(error.message).toContain(fragment);
    expect(error.message).not.toContain(SECRET);
    // Variables have no line.
    expect(error.remedy).not.toContain("line and column");
  });
});

test("the loader reports all problems together, in the order of the file", async () => {
  const error = await failureOf(
    load(`
collectors: { tree: { shedule: 5m } }
stale_after: \${NONE}
servers:
  - url: prtg
    auth: { api_key: ${SECRET} }
metrics: { sensor_status: 1 }
`),
  );
  expect(error.code).toBe("CONFIG_INVALID");
  expect(error.problems.map(({ line, column, key, code }) => [line, column, key, code])).toEqual([
    [2, 23, "collectors.tree.shedule", "CONFIG_INVALID"],
    [3, 14, "stale_after", "CONFIG_VARIABLE_UNSET"],
    [5, 10, "servers[0].url", "CONFIG_INVALID"],
    [6, 22, "servers[0].auth.api_key", "CONFIG_INVALID"],
    [7, 27, "metrics.sensor_status", "CONFIG_INVALID"],
  ]);
  expect(error.message.split("\n")).toHaveLength(5);
});

test("a bad link has the position of its address", async () => {
  const error = await failureOf(
    load(`${MINIMAL}web:
  links:
    - { name: Wiki, url: "https://wiki.example.com/{device}" }
    - name: Grafana
      url: https://grafana.example.com/d/x?var-device={devcie}
`),
  );
  expect(error.problems.map(({ line, column, key }) => [line, column, key])).toEqual([[9, 12, "web.links[1].url"]]);
  expect(error.message).toContain("unknown placeholder {devcie}");
});

test("the loader shortens a long list of problems and gives their number", async () => {
  const keys = Array.from({ length: 80 }, (_, index) => `key_${index}: 1`);
  const error = await failureOf(load(`${MINIMAL}${keys.join("\n")}\n`));
  expect(error.problems).toHaveLength(50);
  expect(error.more).toBe(30);
  expect(error.message.split("\n")).toHaveLength(51);
  expect(error.message).toMatch(/\nand 30 more$/);
});

test("code can read secrets, but output hides them", async () => {
  const redactor = new Redactor();
  const env = { KEY: SECRET };
  const text = "servers: [{ url: http://a, auth: { api_key: '${KEY}' } }]";
  const loaded = await loadConfig({ file: FILE, env, readFile: filesWith({ [FILE]: text }), redactor });
  expect(JSON.stringify(loaded)).not.toContain(SECRET);
  expect(inspect(loaded, { depth: 20, showHidden: true })).not.toContain(SECRET);
  expect(redactor.redact(`a ${SECRET} b`)).toBe("a [redacted] b");
  const { credentials } = serverOf(loaded.config);
  if (credentials.kind !== "api_key") throw new Error(credentials.kind);
  expect(credentials.apiKey.description).toBe("environment variable KEY");
  expect((await credentials.apiKey.read()).reveal()).toBe(SECRET);
});
