import { matchesGlob } from "node:path";
import { rootCertificates } from "node:tls";
import type { ConfigError } from "../../src/config/config-error.ts";
import { type LoadedConfig, loadConfig } from "../../src/config/load.ts";
import type { ServerFileAccess } from "../../src/config/server-files.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { certificate } from "../support/certificates.ts";

export const FILE = "prtg.yaml";
/** Must not occur in messages. */
export const SECRET = "Tr0ub4dor";

/** In-memory files with errors like Node's. */
export function filesWith(files: Readonly<Record<string, string>>): (path: string) => Promise<string> {
  return async (path) => {
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content !== undefined) return content;
    throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
  };
}

const FILES = {
  "/run/secrets/key": `${SECRET}\n`,
  "/run/secrets/blank": `${SECRET} \n`,
  "/run/secrets/header": `Bearer ${SECRET}\u001b`,
  "/run/secrets/empty": "\n",
  "/run/secrets/two-lines": `${SECRET}\nmore\n`,
  "/run/secrets/utf-16": [...SECRET].join("\0"),
  // Named by config/prtg-exporter.example.yaml.
  "/run/secrets/prtg-api-key": SECRET,
  "/run/secrets/prtg-password": SECRET,
  "/run/secrets/proxy-password": SECRET,
  "/etc/ssl/certs/proxy-ca.pem": rootCertificates[0] ?? "",
  "/etc/ssl/certs/prtg-ca.pem": rootCertificates[0] ?? "",
  "/etc/ssl/certs/exporter.pem": certificate("localhost.pem"),
  "/etc/ssl/private/exporter.key": certificate("localhost.key.pem"),
  "/run/secrets/prtg-acknowledge-key": SECRET,
  "/run/secrets/alertmanager-password": SECRET,
  "/etc/ssl/certs/alertmanager-ca.pem": rootCertificates[0] ?? "",
  "/run/secrets/otlp-authorization": `Bearer ${SECRET}`,
  "/etc/ssl/certs/collector-ca.pem": rootCertificates[0] ?? "",
  "/etc/ssl/private/exporter.pem": certificate("localhost.key.pem"),
  "/etc/ssl/other.key": certificate("expired.key.pem"),
  "/etc/ssl/ca.pem": rootCertificates.slice(0, 2).join("\n"),
  "/etc/ssl/key.pem": "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n",
  "/etc/ssl/damaged.pem": "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n",
};

export function load(
  text: string,
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<LoadedConfig> {
  return loadConfig({ file: FILE, env, readFile: filesWith({ ...FILES, ...files, [FILE]: text }) });
}

/** As `prtg-exporter sync` does. */
export function loadForSync(
  text: string,
  env: Readonly<Record<string, string>> = {},
  redactor = new Redactor(),
): Promise<LoadedConfig> {
  return loadConfig({ file: FILE, env, readFile: filesWith({ ...FILES, [FILE]: text }), redactor, sync: true });
}

/** `lastGood`: from earlier loads. */
export function loadWithFiles(
  text: string,
  files: Readonly<Record<string, string>>,
  lastGood: ServerFileAccess["lastGood"] = new Map(),
  env: Readonly<Record<string, string>> = {},
): Promise<LoadedConfig> {
  const readFile = filesWith({ ...FILES, ...files, [FILE]: text });
  const listFiles = async (pattern: string) => Object.keys(files).filter((path) => matchesGlob(path, pattern));
  return loadConfig({ file: FILE, env, readFile, serverFiles: { listFiles, readFile, lastGood } });
}

export function loadEnvironment(env: Readonly<Record<string, string>>): Promise<LoadedConfig> {
  return loadConfig({ env, readFile: filesWith(FILES) });
}

export async function failureOf(loading: Promise<LoadedConfig>): Promise<ConfigError> {
  return loading.then(
    () => {
      throw new Error("the configuration was accepted");
    },
    (error: ConfigError) => error,
  );
}
