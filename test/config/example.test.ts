import { readFileSync } from "node:fs";
import { load as loadYaml } from "js-yaml";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { settingsJsonSchema } from "../../scripts/generate/settings-schema.ts";
import type { JsonSchema } from "../../src/config/schema.ts";
import { load, loadForSync } from "./support.ts";

const EXAMPLE = readFileSync(new URL("../../config/prtg-exporter.example.yaml", import.meta.url), "utf8");
const EDITOR_SCHEMA: JsonSchema = JSON.parse(
  readFileSync(new URL("../../config/prtg-exporter.schema.json", import.meta.url), "utf8"),
);

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Keys with their place: `servers[].limits.timeout`. */
function keysOf(schema: unknown, path: string): string[] {
  if (!isSchema(schema)) return [];
  if (schema.items !== undefined) return keysOf(schema.items, `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const place = path === "" ? key : `${path}.${key}`;
    return [place, ...keysOf(value, place)];
  });
}

function keysIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysIn(item, `${path}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const place = path === "" ? key : `${path}.${key}`;
    return [place, ...keysIn(item, place)];
  });
}

describe("example configuration", () => {
  test("is valid", async () => {
    const { config } = await loadForSync(EXAMPLE);
    expect(config.servers.map(({ name }) => name)).toEqual(["hq", "branch"]);
    expect([...(config.sync?.servers.keys() ?? [])]).toEqual(["hq"]);
  });

  test("is valid with its commented alternatives", async () => {
    const text = EXAMPLE.replace(/^ *(api_key_file|password_file): .*\n/gm, "").replaceAll(
      /# (api_key|password): /g,
      "$1: ",
    );
    const { config } = await loadForSync(text, {
      ALERTMANAGER_PASSWORD: "a-fourth-password",
      ALERTMANAGER_PROXY_PASSWORD: "a-fifth-password",
      PRTG_API_KEY: "a-key",
      PRTG_PASSWORD: "a-password",
      PROXY_PASSWORD: "another-password",
      OTLP_PROXY_PASSWORD: "a-third-password",
    });
    expect(config.servers.map(({ credentials }) => credentials.kind)).toEqual(["api_key", "login"]);
  });

  test("shows every key of the schema", () => {
    const sections: Readonly<Record<string, string>> = {
      PRTG: "servers[].auth",
      PROXY: "servers[].proxy_auth",
      OTLP_PROXY: "otlp.proxy_auth",
      ALERTMANAGER_PROXY: "sync.alertmanager.proxy_auth",
      ALERTMANAGER: "sync.alertmanager",
    };
    const references = /# (\w+): \$\{(PRTG|PROXY|OTLP_PROXY|ALERTMANAGER_PROXY|ALERTMANAGER)_/g;
    const commented = [...EXAMPLE.matchAll(references)].map(([, key, section = ""]) => `${sections[section]}.${key}`);
    const files = [...EXAMPLE.matchAll(/# (bearer_token_file): /g)].map(([, key]) => `sync.alertmanager.${key}`);
    const shown = new Set([...keysIn(loadYaml(EXAMPLE), ""), ...commented, ...files]);
    expect(keysOf(settingsJsonSchema(), "").filter((key) => !shown.has(key))).toEqual([]);
  });

  test("shows the correct defaults", async () => {
    const { config } = await load(EXAMPLE);
    const defaults = await load("servers: [{ url: http://a, auth: { api_key_file: /run/secrets/key } }]");
    // No fixed default.
    const fixed = { maxObjects: undefined, maxTextSize: undefined };
    expect({ ...config.servers[0]?.limits, ...fixed }).toEqual(defaults.config.servers[0]?.limits);
    expect(config.metrics).toEqual(defaults.config.metrics);
    expect({ ...config.collectors, limits: undefined }).toEqual({ ...defaults.config.collectors, limits: undefined });
  });
});

describe("JSON Schema for editors", () => {
  let authForms: JsonSchema[] = [];
  // Zod ignores a bare `required`: tested below.
  const schema = z.fromJSONSchema(
    JSON.parse(JSON.stringify(EDITOR_SCHEMA), (key, value) => {
      if (key !== "oneOf") return value;
      // The same for all credentials.
      authForms = value;
      return undefined;
    }),
  );
  const server = { url: "http://a", auth: { api_key_file: "a" } };

  test("describes every key", () => {
    const undescribed = (node: unknown, path: string): string[] => {
      if (!isSchema(node)) return [];
      const own = path !== "" && node.description === undefined ? [path] : [];
      const below = Object.entries(node.properties ?? {}).flatMap(([key, value]) =>
        undescribed(value, `${path}.${key}`),
      );
      const { items } = node;
      return [
        ...own,
        ...below,
        ...(isSchema(items) && items.properties !== undefined
          ? undescribed({ ...items, description: "" }, `${path}[]`)
          : []),
      ];
    };
    expect(undescribed(EDITOR_SCHEMA, "")).toEqual([]);
  });

  test.each([
    ["the example", loadYaml(EXAMPLE)],
    ["no servers", { stale_after: "5m" }],
    [
      "references",
      {
        servers: [
          { ...server, limits: { concurrency: "${C}", timeout: "${T:-5s}" }, tls: { insecure_skip_verify: "${I}" } },
        ],
        metrics: { sensor_status: "${S}", node_sensors: ["${N}"] },
      },
    ],
    ["a key by reference", { servers: [{ ...server, auth: { api_key: "${KEY}" } }] }],
  ])("accepts %s", (_, value) => {
    expect(schema.safeParse(value).error).toBeUndefined();
  });

  test.each([
    ["an unknown key", { alerting: {} }],
    ["an unknown nested key", { servers: [{ ...server, limit: {} }] }],
    ["a server without url", { servers: [{ auth: server.auth }] }],
    ["a literal key", { servers: [{ ...server, auth: { api_key: "literal" } }] }],
    ["a wrong duration", { stale_after: "5" }],
    ["a wrong number", { servers: [{ ...server, limits: { concurrency: 65 } }] }],
    ["a wrong choice", { metrics: { sensor_status: "every" } }],
  ])("rejects %s", (_, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  test.each([
    [["api_key_file"], true],
    [["api_key"], true],
    [["username", "password_file"], true],
    [["username", "password"], true],
    [[], false],
    [["username"], false],
    [["password_file"], false],
    [["api_key_file", "api_key"], false],
    [["api_key_file", "username"], false],
    [["username", "password", "password_file"], false],
  ])("takes %j for credentials: %s", (given, isValid) => {
    const forms = authForms.filter(
      ({ required = [], maxProperties = 0 }) =>
        required.every((key) => given.includes(key)) && given.length <= maxProperties,
    );
    expect(forms.length === 1).toBe(isValid);
  });
});
