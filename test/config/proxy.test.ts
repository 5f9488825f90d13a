import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProxySettings } from "../../src/config/proxy-schema.ts";
import { proxyConfig, proxyOptions } from "../../src/config/resolve.ts";
import { Secret } from "../../src/config/secrets.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { certificate } from "../support/certificates.ts";
import { filesWith } from "./support.ts";

const URL = "https://proxy.example.com:3128";
const CA = certificate("ca.pem");

type Auth = NonNullable<ProxySettings["auth"]>["secret"];
const FILE: Auth = { kind: "file", key: "password_file", path: "secrets/password" };
const VALUE: Auth = { kind: "value", key: "password", value: new Secret("from the environment") };

function optionsOf(settings: Partial<ProxySettings>, files: Record<string, string> = {}) {
  const readFile = filesWith(files);
  const redactor = new Redactor();
  const context = { base: "/etc/prtg", readSecret: readFile, redactor };
  const config = proxyConfig({ url: URL, auth: undefined, caFile: undefined, ...settings }, context, "PROXY_PASSWORD");
  return { config, options: proxyOptions(config, readFile), redactor };
}

function credentialsIn(header: string | undefined): string | undefined {
  const [, pair] = /^Basic (.+)$/.exec(header ?? "") ?? [];
  return pair && Buffer.from(pair, "base64").toString();
}

describe("proxy", () => {
  test("needs neither credentials nor certificates", () => {
    const { config, options } = optionsOf({});
    expect(config).toEqual({ url: URL, username: undefined, password: undefined, caFile: undefined });
    expect(options).toEqual({ url: URL, tls: undefined, authorization: undefined });
  });

  test("takes a password of the environment", async () => {
    const { options, config } = optionsOf({ auth: { username: "exporter", secret: VALUE } });
    expect(credentialsIn(await options.authorization?.())).toBe("exporter:from the environment");
    expect(config.password?.description).toContain("PROXY_PASSWORD");
  });

  test("reads the password file for each connection, from the folder of the configuration", async () => {
    const files = { [resolve("/etc/prtg/secrets/password")]: "old:word\n" };
    const { options, redactor } = optionsOf({ auth: { username: "exporter", secret: FILE } }, files);
    expect(credentialsIn(await options.authorization?.())).toBe("exporter:old:word");
    files[resolve("/etc/prtg/secrets/password")] = "new-wörd\n";
    expect(credentialsIn(await options.authorization?.())).toBe("exporter:new-wörd");
    expect(redactor.redact("old:word new-wörd")).toBe("[redacted] [redacted]");
  });

  test("reads its certificates for each connection", async () => {
    const files: Record<string, string> = { [resolve("/etc/prtg/proxy-ca.pem")]: CA };
    const { options, config } = optionsOf({ caFile: "proxy-ca.pem" }, files);
    expect(config.caFile).toBe(resolve("/etc/prtg/proxy-ca.pem"));
    expect(await options.tls?.read?.()).toEqual({ ca: CA, cert: undefined, key: undefined });
    delete files[resolve("/etc/prtg/proxy-ca.pem")];
    await expect(options.tls?.read?.()).rejects.toThrow("proxy-ca.pem");
  });
});
