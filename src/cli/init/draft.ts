import { constants, type Stats } from "node:fs";
import { access, lstat, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type ProcessRuntime, readAccess, readText } from "../../app/context.ts";
import { ConfigError } from "../../config/config-error.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { replaceFile } from "../../lib/durable-file.ts";
import { errorCode } from "../../lib/error-code.ts";

/** How the exporter recognizes the server. Empty: by the authorities of Node.js and the system. */
export interface Trust {
  readonly caFile?: string | undefined;
  readonly fingerprints?: readonly string[] | undefined;
  readonly insecureSkipVerify?: true;
}

/** A server whose key is not known yet. */
export interface ServerDraft {
  /** Path of the configuration. */
  readonly file: string;
  readonly url: string;
  /** Set if its default would be wrong. */
  readonly webUrl?: string | undefined;
  readonly trust: Trust;
  /** About the pinned certificate, for a comment. */
  readonly certificate?: string | undefined;
}

/** The configuration before it is written. */
export interface Draft extends ServerDraft {
  /** `value`: to be written beside the configuration. */
  readonly apiKey: { readonly file: string } | { readonly value: string };
}

const KEY_FILE = "api-key";
const VALUE_REMEDY = "Correct the flag or variable of init with this value.";

/** Path for a key that is not in a file yet. */
export function newKeyFile(file: string): string {
  return join(dirname(resolve(file)), KEY_FILE);
}

/** The commented YAML. */
export function configText(draft: Draft): string {
  const { url, webUrl, apiKey } = draft;
  const keyFile = "file" in apiKey ? resolve(apiKey.file) : KEY_FILE;
  const lines = [
    "# Written by `prtg-exporter init`. All keys: https://prtg-exporter.github.io/prtg-exporter/configuration",
    "servers:",
    "  # Value of the label `server`. With another name, all series begin again.",
    `  - name: ${scalar(new URL(url).hostname)}`,
    "    # Address of REST API v2: port 1616 for HTTPS, 1615 for HTTP.",
    `    url: ${scalar(url)}`,
    ...(webUrl === undefined
      ? []
      : ["    # Web interface of the server, for links.", `    web_url: ${scalar(webUrl)}`]),
    "    auth:",
    "      # Contains only the API key. The exporter must be able to read it, and no other user.",
    `      api_key_file: ${scalar(keyFile)}`,
    ...trustLines(draft),
    "# Push to an OpenTelemetry Collector, in addition to Prometheus (https://prtg-exporter.github.io/prtg-exporter/otlp):",
    "# otlp:",
    "#   endpoint: http://otel-collector.example.com:4318",
    "# Progress of the push and undelivered events. The packages create this directory:",
    "# state_dir: /var/lib/prtg-exporter",
  ];
  return `${lines.join("\n")}\n`;
}

function trustLines({ trust, certificate }: ServerDraft): readonly string[] {
  const { caFile, fingerprints, insecureSkipVerify } = trust;
  const lines = [
    ...(caFile === undefined
      ? []
      : ["      # Trusted instead of the authorities of the system.", `      ca_file: ${scalar(resolve(caFile))}`]),
    ...(fingerprints === undefined
      ? []
      : [
          ...(certificate === undefined ? [] : [`      # ${certificate}`]),
          "      # Add the fingerprint of the next certificate before you renew this one.",
          "      fingerprints:",
          ...fingerprints.map((each) => `        - ${scalar(each)}`),
        ]),
    ...(insecureSkipVerify ? ["      insecure_skip_verify: true"] : []),
  ];
  return lines.length === 0 ? [] : ["    tls:", ...lines];
}

/** A dollar would begin a reference. */
function scalar(text: string): string {
  return JSON.stringify(text.replaceAll("$", "$$$$"));
}

type LoadedDraft = Pick<LoadedConfig, "config" | "exposedSecrets"> & { readonly server: ServerConfig };

/** Loads the text that will be written, with the key that will be. @throws ExporterError of the configuration */
export async function loadDraft(draft: Draft, { redactor }: Pick<ProcessRuntime, "redactor">): Promise<LoadedDraft> {
  const { file, apiKey } = draft;
  const keyFile = newKeyFile(file);
  const key = "value" in apiKey ? apiKey.value : undefined;
  const { config, exposedSecrets } = await loadConfig({
    file,
    env: {},
    readFile: async (path) => {
      if (path === file) return configText(draft);
      return key !== undefined && path === keyFile ? key : readText(path);
    },
    readAccess: async (path) => (key !== undefined && path === keyFile ? undefined : readAccess(path)),
    redactor,
  }).catch((error) => {
    throw error instanceof ConfigError ? withoutPlaces(error) : error;
  });
  const [server] = config.servers;
  if (server === undefined) throw new Error("a draft has one server");
  return { config, server, exposedSecrets };
}

/** The file with these lines does not exist yet. */
function withoutPlaces({ code, problems, remedy }: ConfigError): ExporterError {
  const text = problems.map(({ key, text }) => `${key}: ${text}`).join("\n");
  return new ExporterError(code, text, { remedy: code === "CONFIG_INVALID" ? VALUE_REMEDY : remedy });
}

/**
 * Before the first question.
 * @param apiKeyFile Undefined: a new one.
 * @throws ExporterError INIT_FILE_EXISTS, INIT_UNWRITABLE
 */
export async function checkTargets(file: string, apiKeyFile: string | undefined, mayReplace: boolean): Promise<void> {
  const keyFile = apiKeyFile ?? newKeyFile(file);
  if (resolve(keyFile) === resolve(file)) throw unwritable(file, new Error("the API key has the same path"));
  const files = apiKeyFile === undefined ? [file, keyFile] : [file];
  for (const file of files) {
    const existing = await statsOf(file);
    if (existing?.isDirectory()) throw unwritable(file, new Error("it is a directory"));
    if (existing !== undefined && !mayReplace) throw new ExporterError("INIT_FILE_EXISTS", `${file} exists`);
    await access(dirname(file), constants.W_OK).catch((error) => {
      throw unwritable(file, error);
    });
  }
}

async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw unwritable(file, error);
  }
}

/**
 * The key first. For the owner only. Resolves with the paths.
 * @throws ExporterError INIT_UNWRITABLE. Then no new file stays, so that the next run does not find its key file.
 */
export async function writeDraft(draft: Draft): Promise<readonly string[]> {
  const { file, apiKey } = draft;
  const texts = new Map([[file, configText(draft)]]);
  if ("value" in apiKey) texts.set(newKeyFile(file), `${apiKey.value}\n`);
  const files = [...texts.keys()].toReversed();
  const created: string[] = [];
  for (const each of files) {
    const isNew = (await statsOf(each)) === undefined;
    try {
      await replaceFile(each, (handle) => handle.writeFile(texts.get(each) ?? ""));
    } catch (error) {
      for (const file of created) await rm(file, { force: true });
      throw unwritable(each, error);
    }
    if (isNew) created.push(each);
  }
  return files;
}

function unwritable(file: string, cause: unknown): ExporterError {
  return new ExporterError("INIT_UNWRITABLE", `cannot write ${file}`, { cause });
}
