import { createHash } from "node:crypto";
import { stringify } from "safe-stable-stringify";
import type { Config } from "../config/load.ts";
import type { ProxySettings } from "../config/proxy-schema.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { readTextFile } from "../lib/bounded-files.ts";

/** Digests of the parts of a configuration. Comments, spacing and the order of keys do not change them. */
export interface ConfigDigests {
  /** With secrets. */
  readonly whole: string;
  /** The first 48 bits of the hash without secrets, for a metric. */
  readonly hash: number;
  /** URL, credentials and connection settings of each server, with the content of its certificates and secrets. */
  readonly servers: ReadonlyMap<string, string>;
  /** Rules, labels, and the choice of series. */
  readonly shape: string;
}

/** @throws ExporterError when a secret cannot be read */
export async function digestConfig(config: Config): Promise<ConfigDigests> {
  const {
    ruleFiles,
    labels,
    servers,
    mapping,
    metrics,
    staleAfterMs,
    badServerFiles: _,
    deprecated: __,
    ...rest
  } = config;
  const { keepOriginal, byteUnits } = mapping;
  const rules = ruleFiles.map((file) => file.rules);
  const { keep, rename, fromTags } = labels;
  const plainLabels = [keep && [...keep].toSorted(), [...rename], fromTags];
  const shape = { rules, labels: plainLabels, keepOriginal, byteUnits, metrics, staleAfterMs };
  const withSecrets = await Promise.all(servers.map(async (server) => [server, await secretOf(server)] as const));
  // Links and the selection do not change the connection.
  const digests = new Map(
    withSecrets.map(([{ webUrl: _link, select: _part, ...reached }, secret]) => [
      reached.name,
      digest([reached, secret]),
    ]),
  );
  const files = await Promise.all(pushFiles(config.otlp ?? {}).map(readQuietly));
  const { headers = {} } = rest.otlp ?? {};
  const open = { shape, servers, rest: { ...rest, otlp: rest.otlp && withoutSecrets(rest.otlp) } };
  return {
    whole: digest([open, [...digests], headers, files]),
    hash: Number.parseInt(digest(open).slice(0, 12), 16),
    servers: digests,
    shape: digest(shape),
  };
}

/** SHA-256 in hexadecimal, independent of the order of keys. */
export function digest(value: unknown): string {
  return createHash("sha256")
    .update(
      stringify(value, (_key, item: unknown) => (item instanceof Set || item instanceof Map ? [...item] : item)) ?? "",
    )
    .digest("hex");
}

/** Empty if the file is unreadable, which others report. */
export async function readQuietly(path: string): Promise<string> {
  return readTextFile(path).catch(() => "");
}

export interface PushFiles {
  readonly headerFiles?: Readonly<Record<string, string>> | undefined;
  readonly tls?:
    | {
        readonly caFile?: string | undefined;
        readonly certFile?: string | undefined;
        readonly keyFile?: string | undefined;
      }
    | undefined;
  readonly proxy?: ProxySettings | undefined;
}

/** Files that the push reads with each request. */
export function pushFiles({ headerFiles = {}, tls, proxy }: PushFiles): readonly string[] {
  const secret = proxy?.auth?.secret;
  const ofProxy = [proxy?.caFile, secret?.kind === "file" ? secret.path : undefined];
  const paths = [...Object.values(headerFiles), tls?.caFile, tls?.certFile, tls?.keyFile, ...ofProxy];
  return paths.filter((path) => path !== undefined);
}

/** Headers may be secrets. URLs have none: the schema refuses them. */
function withoutSecrets({ headers, ...open }: NonNullable<Config["otlp"]>): unknown {
  return { ...open, headers: Object.keys(headers ?? {}) };
}

/** For servers that stay although their file is wrong now. */
const lastSecrets = new WeakMap<ServerConfig, string>();

async function secretOf(server: ServerConfig): Promise<string> {
  const { credentials, proxy } = server;
  const source = credentials.kind === "api_key" ? credentials.apiKey : credentials.password;
  try {
    const password = (await proxy?.password?.read())?.reveal();
    const secret = digest([(await source.read()).reveal(), password]);
    lastSecrets.set(server, secret);
    return secret;
  } catch (error) {
    const last = lastSecrets.get(server);
    if (last === undefined) throw error;
    return last;
  }
}
