import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKeyValues } from "../../src/otlp/environment.ts";
import { otlpResource } from "../../src/otlp/resources.ts";
import { type LogSettings, type OtlpSection, type OtlpSettings, otlpSettings } from "../../src/otlp/settings.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

function settingsOf(env: Readonly<Record<string, string>>, section?: OtlpSection): OtlpSettings {
  const { settings, warnings } = otlpSettings(env, section);
  expect(warnings).toEqual([]);
  if (settings === undefined) throw new Error("no settings");
  return settings;
}

function headersOf({ headers }: LogSettings): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, secret]) => [name, secret.reveal()]));
}

test("an endpoint is enough and necessary", () => {
  expect(otlpSettings({})).toEqual({ settings: undefined, warnings: [] });
  expect(otlpSettings({ OTEL_METRIC_EXPORT_INTERVAL: "1000" }, { protocol: "http/json" }).settings).toBeUndefined();
  expect(settingsOf(ENDPOINT)).toEqual({
    url: "http://collector:4318/v1/metrics",
    protocol: "http/protobuf",
    headers: {},
    headerFiles: {},
    timeoutMs: 10_000,
    compression: "gzip",
    maxRequestBytes: 4 * 1024 * 1024 - 1,
    maxBytesPerSecond: 1024 * 1024,
    tls: {
      caFile: undefined,
      certFile: undefined,
      keyFile: undefined,
      serverName: undefined,
      insecureSkipVerify: false,
    },
    intervalMs: 60_000,
    profile: "prometheus",
    seriesEnd: true,
    repeatIntervalMs: 240_000,
    exportTimeoutMs: 30_000,
    resourceAttributes: {},
  });
});

describe("endpoint", () => {
  test.each([
    ["http://c:4318", "http://c:4318/v1/metrics"],
    ["http://c:4318/", "http://c:4318/v1/metrics"],
    ["https://c/otlp//", "https://c/otlp/v1/metrics"],
    ["https://c/otlp?tenant=1", "https://c/otlp/v1/metrics?tenant=1"],
    // As the specification says.
    ["http://c:4318/v1/metrics", "http://c:4318/v1/metrics/v1/metrics"],
  ])("completes the base %s", (base, url) => {
    expect(settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: base }).url).toBe(url);
  });

  test.each(["http://c:4318/", "http://c:4318/v1/metrics", "https://c/any/path?x=y"])(
    "uses %s of metrics unchanged",
    (url) => {
      expect(settingsOf({ ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url }).url).toBe(url);
    },
  );

  test.each([
    ["http://c:4318", "http://c:4318/v1/metrics"],
    ["http://p:9090/api/v1/otlp", "http://p:9090/api/v1/otlp/v1/metrics"],
    ["http://c:4318/v1/metrics", "http://c:4318/v1/metrics"],
    ["http://c:4318/v1/metrics/", "http://c:4318/v1/metrics/"],
  ])("prefers %s of the configuration, which can be complete", (endpoint, url) => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://other/" };
    expect(settingsOf(env, { endpoint }).url).toBe(url);
  });

  test("moves its credentials to a header", () => {
    const settings = settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://me:p%40ss@c/otlp" });
    expect(settings.url).toBe("https://c/otlp/v1/metrics");
    expect(headersOf(settings)).toEqual({ authorization: `Basic ${btoa("me:p@ss")}` });
    expect(inspect(settings, { depth: 9 }) + JSON.stringify(settings)).not.toContain(btoa("me:p@ss"));
    const given = { endpoint: "https://me:50%@c", headers: { Authorization: "Bearer x" } };
    expect(headersOf(settingsOf({}, given))).toEqual({ authorization: "Bearer x" });
  });
});

test("the configuration overrides OTEL_EXPORTER_OTLP_METRICS_*, which override OTEL_EXPORTER_OTLP_*", () => {
  const general = {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/ca.pem",
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: "/cert.pem",
    OTEL_EXPORTER_OTLP_CLIENT_KEY: "/key.pem",
    OTEL_EXPORTER_OTLP_HEADERS: "a=general,b=general,c=general,d=general",
    OTEL_METRIC_EXPORT_INTERVAL: "20000",
    OTEL_METRIC_EXPORT_TIMEOUT: "5000",
  };
  expect(settingsOf(general)).toMatchObject({
    protocol: "http/json",
    timeoutMs: 1_000,
    compression: "gzip",
    tls: { caFile: "/ca.pem", certFile: "/cert.pem", keyFile: "/key.pem" },
    intervalMs: 20_000,
    exportTimeoutMs: 5_000,
  });
  const metrics = {
    ...general,
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "2000",
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: "none",
    OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: "/metrics-ca.pem",
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: "/metrics-cert.pem",
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: "/metrics-key.pem",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "B=metrics,c=metrics,d=metrics",
  };
  expect(settingsOf(metrics)).toMatchObject({
    protocol: "http/protobuf",
    timeoutMs: 2_000,
    compression: "none",
    tls: { caFile: "/metrics-ca.pem", certFile: "/metrics-cert.pem", keyFile: "/metrics-key.pem" },
  });
  const configured = settingsOf(metrics, {
    endpoint: "https://configured",
    protocol: "http/json",
    timeoutMs: 3_000,
    compression: "gzip",
    maxRequestBytes: 1_000_000,
    headers: { C: "configured" },
    headerFiles: { D: "/run/secrets/d" },
    tls: { caFile: "/configured-ca.pem", serverName: "otlp.example.com", insecureSkipVerify: true },
    intervalMs: 1_000,
  });
  expect(configured).toMatchObject({
    url: "https://configured/v1/metrics",
    protocol: "http/json",
    timeoutMs: 3_000,
    compression: "gzip",
    maxRequestBytes: 1_000_000,
    headerFiles: { d: "/run/secrets/d" },
    tls: {
      caFile: "/configured-ca.pem",
      certFile: "/metrics-cert.pem",
      keyFile: "/metrics-key.pem",
      serverName: "otlp.example.com",
      insecureSkipVerify: true,
    },
    intervalMs: 1_000,
    exportTimeoutMs: 1_000,
  });
  expect(headersOf(configured)).toEqual({ a: "general", b: "metrics", c: "configured", d: "metrics" });
});

describe("log records", () => {
  const logsOf = (env: Readonly<Record<string, string>>, section: OtlpSection = {}): LogSettings => {
    const { logs, warnings } = otlpSettings(env, { events: true, ...section });
    expect(warnings).toEqual([]);
    if (logs === undefined) throw new Error("no settings of logs");
    return logs;
  };

  test("need events in the configuration", () => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://logs/", OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "x" };
    expect(otlpSettings(env, { logsEndpoint: "http://loki" })).toMatchObject({ logs: undefined, warnings: [] });
  });

  test("use the receiver and defaults of metrics", () => {
    const { intervalMs, seriesEnd, repeatIntervalMs, exportTimeoutMs, ...metrics } = settingsOf(ENDPOINT);
    expect(logsOf(ENDPOINT)).toEqual({ ...metrics, url: "http://collector:4318/v1/logs" });
  });

  test.each<[string, Readonly<Record<string, string>>, OtlpSection, string]>([
    ["the general variable", { ENDPOINT: "https://c/otlp/?tenant=1" }, {}, "https://c/otlp/v1/logs?tenant=1"],
    [
      "the variable of logs, as is",
      { ENDPOINT: "http://c", LOGS_ENDPOINT: "http://l/any?x=y" },
      {},
      "http://l/any?x=y",
    ],
    ["the variable of logs alone", { LOGS_ENDPOINT: "http://l" }, {}, "http://l/"],
    [
      "the general variable, not that of metrics",
      { ENDPOINT: "http://c", METRICS_ENDPOINT: "http://m/" },
      {},
      "http://c/v1/logs",
    ],
    [
      "the file's base over the general variable",
      { ENDPOINT: "http://c" },
      { endpoint: "http://f/api/v1/otlp" },
      "http://f/api/v1/otlp/v1/logs",
    ],
    ["beside the whole URL for metrics", {}, { endpoint: "http://f/otlp/v1/metrics" }, "http://f/otlp/v1/logs"],
    ["beside it, with a slash and a query", {}, { endpoint: "http://f/v1/metrics/?a=b" }, "http://f/v1/logs?a=b"],
    [
      "the variable of logs over what the file says of both",
      { LOGS_ENDPOINT: "http://l/x" },
      { endpoint: "http://f" },
      "http://l/x",
    ],
    [
      "the file's key over all",
      { LOGS_ENDPOINT: "http://l/x" },
      { endpoint: "http://f", logsEndpoint: "http://loki:3100/otlp" },
      "http://loki:3100/otlp/v1/logs",
    ],
    [
      "the file's key, complete",
      {},
      { logsEndpoint: "http://loki:3100/otlp/v1/logs" },
      "http://loki:3100/otlp/v1/logs",
    ],
  ])("endpoint: %s", (_, variables, section, url) => {
    const env = Object.entries(variables).map(([name, value]) => [`OTEL_EXPORTER_OTLP_${name}`, value]);
    expect(logsOf(Object.fromEntries(env), section).url).toBe(url);
  });

  test("work alone without metrics", () => {
    expect(otlpSettings({}, { events: true, logsEndpoint: "http://loki" }).settings).toBeUndefined();
  });

  test("warn once without a receiver", () => {
    const env = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://m/v1/metrics" };
    expect(otlpSettings(env, { events: true })).toMatchObject({
      settings: { url: "http://m/v1/metrics" },
      logs: undefined,
      warnings: [expect.stringContaining("set otlp.logs_endpoint")],
    });
    expect(otlpSettings({ OTEL_SDK_DISABLED: "true" }, { events: true }).warnings).toEqual([]);
  });

  test.each<[string, string, string, Partial<LogSettings>, Partial<LogSettings>]>([
    ["PROTOCOL", "http/json", "http/protobuf", { protocol: "http/json" }, { protocol: "http/protobuf" }],
    ["TIMEOUT", "1000", "2000", { timeoutMs: 1_000 }, { timeoutMs: 2_000 }],
    ["COMPRESSION", "gzip", "none", { compression: "gzip" }, { compression: "none" }],
    ["CERTIFICATE", "ca", "other", tls({ caFile: "ca" }), tls({ caFile: "other" })],
    ["CLIENT_CERTIFICATE", "cert", "other", tls({ certFile: "cert" }), tls({ certFile: "other" })],
    ["CLIENT_KEY", "key", "other", tls({ keyFile: "key" }), tls({ keyFile: "other" })],
  ])("%s: logs override all signals and ignore metrics", (name, general, own, first, second) => {
    const env = { ...ENDPOINT, [`OTEL_EXPORTER_OTLP_${name}`]: general, [`OTEL_EXPORTER_OTLP_METRICS_${name}`]: own };
    expect(logsOf(env)).toMatchObject(first);
    expect(logsOf({ ...env, [`OTEL_EXPORTER_OTLP_LOGS_${name}`]: own })).toMatchObject(second);
    expect(settingsOf({ ...env, [`OTEL_EXPORTER_OTLP_LOGS_${name}`]: general })).toMatchObject(second);
    const wrong = otlpSettings({ ...env, [`OTEL_EXPORTER_OTLP_LOGS_${name}`]: " " }, { events: true });
    expect(wrong).toMatchObject({ logs: first, warnings: [] });
  });

  test("ignore a wrong variable with a warning and use the general one", () => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: "5", OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "10s" };
    const { logs, warnings } = otlpSettings(env, { events: true });
    expect(logs?.timeoutMs).toBe(5);
    expect(warnings).toEqual([expect.stringContaining("OTEL_EXPORTER_OTLP_LOGS_TIMEOUT is ignored: expected ")]);
  });

  test("merge headers of the file, of logs and of all signals, in this order", () => {
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: "a=general,b=general,c=general",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "a=metrics,d=metrics",
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "B=logs,c=logs",
    };
    expect(headersOf(logsOf(env, { headers: { C: "file" } }))).toEqual({ a: "general", b: "logs", c: "file" });
  });

  test("prefer the file to variables", () => {
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "1",
      OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE: "/logs.pem",
    };
    const section = {
      protocol: "http/protobuf",
      timeoutMs: 2,
      tls: { caFile: "/file.pem" },
      serviceName: "s",
    } as const;
    expect(logsOf(env, section)).toMatchObject({
      protocol: "http/protobuf",
      timeoutMs: 2,
      tls: { caFile: "/file.pem" },
      resourceAttributes: { "service.name": "s" },
    });
  });

  test("send credentials of a URL only to that receiver", () => {
    const section = { endpoint: "https://me:metrics@c", logsEndpoint: "https://me:logs@loki" };
    expect(headersOf(logsOf({}, section))).toEqual({ authorization: `Basic ${btoa("me:logs")}` });
    expect(logsOf({}, section).url).toBe("https://loki/v1/logs");
    expect(headersOf(logsOf({}, { ...section, logsEndpoint: "https://loki" }))).toEqual({});
  });

  function tls(expected: Partial<LogSettings["tls"]>): Partial<LogSettings> {
    return { tls: expect.objectContaining(expected) };
  }
});

test("an empty variable counts as unset", () => {
  const names = ["PROTOCOL", "TIMEOUT", "COMPRESSION", "CERTIFICATE", "HEADERS", "METRICS_ENDPOINT", "METRICS_TIMEOUT"];
  const empty = Object.fromEntries(names.map((name) => [`OTEL_EXPORTER_OTLP_${name}`, " "]));
  const others = { OTEL_SDK_DISABLED: "", OTEL_SERVICE_NAME: "", OTEL_RESOURCE_ATTRIBUTES: "" };
  expect(settingsOf({ ...empty, ...others, ...ENDPOINT })).toEqual(settingsOf(ENDPOINT));
});

test.each([
  ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "collector:4318", "url"],
  ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc", "protocol"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "protocol"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "timeoutMs"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "0", "timeoutMs"],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "compression"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "secret", "headers"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "key=%zz", "headers"],
  // Beyond a timer's limit, which would make it fire continuously.
  ["OTEL_METRIC_EXPORT_INTERVAL", "2147483648", "intervalMs"],
  ["OTEL_METRIC_EXPORT_TIMEOUT", "-1", "exportTimeoutMs"],
  ["OTEL_RESOURCE_ATTRIBUTES", "a=b,c", "resourceAttributes"],
  ["OTEL_SDK_DISABLED", "yes", "url"],
] as const)("a warning reports ignored %s=%s", (name, value, key) => {
  const { settings, warnings } = otlpSettings({ ...ENDPOINT, [name]: value });
  expect(settings?.[key]).toEqual(settingsOf(ENDPOINT)[key]);
  expect(warnings).toEqual([expect.stringContaining(`${name} is ignored: expected `)]);
});

test("warnings do not repeat possible secrets", () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "SECRET", OTEL_EXPORTER_OTLP_HEADERS: "SECRET" };
  const { warnings } = otlpSettings(env);
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).not.toContain("SECRET");
});

test("a wrong variable yields to the more general one", () => {
  const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: "5", OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "x" };
  expect(otlpSettings(env).settings?.timeoutMs).toBe(5);
});

test("an unusable endpoint warns instead of pushing elsewhere", () => {
  expect(otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector" })).toMatchObject({
    settings: undefined,
    warnings: [expect.stringContaining("OTEL_EXPORTER_OTLP_ENDPOINT")],
  });
});

test("OTEL_SDK_DISABLED stops everything", () => {
  expect(otlpSettings({ ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" }, { endpoint: "http://c" }).settings).toBeUndefined();
  expect(otlpSettings({ ...ENDPOINT, OTEL_SDK_DISABLED: "false" }).settings).toBeDefined();
});

test("the parser decodes headers and ignores reserved ones", () => {
  const env = {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20dTpw,content-type=x,host=y,bad name=z",
  };
  const { settings, warnings } = otlpSettings(env, { headerFiles: { "Content-Encoding": "/x" } });
  expect(settings && headersOf(settings)).toEqual({ authorization: "Basic dTpw" });
  expect(settings?.headerFiles).toEqual({});
  expect(warnings).toHaveLength(4);
});

describe("resource", () => {
  const identity = { version: "1.2.3", instanceId: "abc" };
  const resource = (env: Readonly<Record<string, string>>, section?: OtlpSection) =>
    otlpResource(settingsOf({ ...ENDPOINT, ...env }, section).resourceAttributes, identity).attributes;

  test("has service, instance and version", () => {
    expect(resource({})).toEqual({
      "service.name": "prtg-exporter",
      "service.instance.id": "abc",
      "service.version": "1.2.3",
    });
  });

  test("prefers the configuration, then OTEL_SERVICE_NAME, then OTEL_RESOURCE_ATTRIBUTES", () => {
    const attributes = { OTEL_RESOURCE_ATTRIBUTES: "service.name=a, deployment.environment.name=pr%20od ,x=1=2" };
    expect(resource(attributes)).toMatchObject({
      "service.name": "a",
      "deployment.environment.name": "pr od",
      x: "1=2",
    });
    const named = { ...attributes, OTEL_SERVICE_NAME: "b" };
    expect(resource(named)).toMatchObject({ "service.name": "b", x: "1=2" });
    const resourceAttributes = { x: "3", "service.instance.id": "mine", "service.name": "c" };
    expect(resource(named, { resourceAttributes })).toMatchObject({
      "service.name": "c",
      "service.instance.id": "mine",
      x: "3",
    });
    expect(resource(named, { resourceAttributes, serviceName: "d" })).toMatchObject({ "service.name": "d" });
  });
});

test("key-value lists survive encoding", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => value.trim() !== "");
  fc.assert(
    fc.property(fc.dictionary(text, fc.string({ unit: "grapheme" }), { noNullPrototype: true }), (pairs) => {
      const list = Object.entries(pairs).map((pair) => pair.map(encodeURIComponent).join("="));
      expect(parseKeyValues(list.join(" , "))).toEqual(new Map(Object.entries(pairs)));
    }),
  );
});

test("key-value lists never throw", () => {
  fc.assert(fc.property(fc.string(), (text) => void parseKeyValues(text)));
});

describe("standard variable with an invalid header", () => {
  test.each(["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS"])("fails in %s", (name) => {
    for (const value of ["a%0d%0ab", "a%0Ab", "%E2%82%AC", "a%00"]) {
      const settings = () => otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", [name]: `x-tenant=${value}` });
      expect(settings, value).toThrow('the value of "x-tenant" contains characters that are invalid in an HTTP header');
    }
  });

  test("is ignored without a push, or if the configuration has a value", () => {
    const env = { OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=%0a" };
    expect(otlpSettings(env).settings).toBeUndefined();
    const section = { endpoint: "http://a", headers: { "X-Tenant": "b" } };
    expect(otlpSettings(env, section).settings?.headers["x-tenant"]?.reveal()).toBe("b");
  });
});
