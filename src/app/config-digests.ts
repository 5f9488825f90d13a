import { createHash } from "node:crypto";
import { stringify } from "safe-stable-stringify";
import type { Config } from "../config/load.ts";
import type { ProxySettings } from "../config/proxy-schema.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { readTextFile } from "../lib/bounded-files.ts";

/** Digests of the parts of a configuration. Comments, spacing and the order of keys do not change them. */
export interface ConfigDigests {
  /** Digest of everything, secrets included. */
  readonly whole: string;
  /** The first 48 bits of the hash without secrets, for a metric. */
  readonly hash: number;
  /** URL, credentials and connection settings of each server, with the content of its certificates and secrets. */
  readonly servers: ReadonlyMap<string, string>;
  /** Rules, labels, and the choice of series. */
  readonly shape: string;
  readonly secrets: LastSecrets;
}

/** Digests of the last secrets that could be read. */
export type LastSecrets = WeakMap<ServerConfig, string>;

/**
 * What a change of each part of the configuration means: `shape` writes the state into other series, `server` compares each
 * server, `other` is applied without one of both, and `report` is only reported. A new key needs a row.
 */
const PARTS: { readonly [Key in keyof Config]-?: "shape" | "server" | "other" | "report" } = {
  ruleFiles: "shape",
  labels: "shape",
  mapping: "shape",
  metrics: "shape",
  staleAfterMs: "shape",
  servers: "server",
  collectors: "other",
  limits: "other",
  otlp: "other",
  events: "other",
  web: "other",
  serversFrom: "other",
  stateDir: "other",
  strictSecretFiles: "other",
  shard: "other",
  standbyFor: "other",
  sync: "report",
  badServerFiles: "report",
  deprecated: "report",
};

/** Whether a change of a server needs another connection. A new key needs a row. */
const SERVER_PARTS: { readonly [Key in keyof ServerConfig]-?: "connection" | "other" } = {
  name: "connection",
  url: "connection",
  credentials: "connection",
  tls: "connection",
  proxy: "connection",
  limits: "connection",
  webUrl: "other",
  select: "other",
};

/** The content of rules is in `ruleFiles`. */
const MAPPING_PARTS: { readonly [Key in keyof Config["mapping"]]: "shape" | "rules" } = {
  keepOriginal: "shape",
  byteUnits: "shape",
  presets: "rules",
  files: "rules",
  rules: "rules",
};

function membersOf<Whole extends object, Part extends string>(
  whole: Whole,
  parts: { readonly [Key in keyof Whole]-?: Part },
  part: NoInfer<Part>,
): Partial<Whole> {
  const members = Object.entries(whole).filter(([key]) => parts[key as keyof Whole] === part);
  return Object.fromEntries(members) as Partial<Whole>;
}

/**
 * @param secrets of earlier calls, for servers that stay although their file is wrong now
 * @throws ExporterError when a secret cannot be read
 */
export async function digestConfig(config: Config, secrets: LastSecrets = new WeakMap()): Promise<ConfigDigests> {
  const { servers, otlp } = config;
  const { ruleFiles = [], labels, mapping: _rules, ...plain } = membersOf(config, PARTS, "shape");
  const shape = {
    ...plain,
    ...membersOf(config.mapping, MAPPING_PARTS, "shape"),
    rules: ruleFiles.map((file) => file.rules),
    labels: labels && [labels.keep && [...labels.keep].toSorted(), [...labels.rename], labels.fromTags],
  };
  const digests = new Map(
    await Promise.all(
      servers.map(async (server) => {
        const reached = membersOf(server, SERVER_PARTS, "connection");
        return [server.name, digest([reached, await secretOf(server, secrets)])] as const;
      }),
    ),
  );
  const files = await Promise.all(pushFiles(otlp ?? {}).map(readQuietly));
  const rest = { ...membersOf(config, PARTS, "other"), otlp: otlp && withoutSecrets(otlp) };
  const open = { shape, servers, rest };
  return {
    whole: digest([open, [...digests], otlp?.headers ?? {}, files]),
    hash: Number.parseInt(digest(open).slice(0, 12), 16),
    servers: digests,
    shape: digest(shape),
    secrets,
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

async function secretOf(server: ServerConfig, secrets: LastSecrets): Promise<string> {
  const { credentials, proxy } = server;
  const source = credentials.kind === "api_key" ? credentials.apiKey : credentials.password;
  try {
    const password = (await proxy?.password?.read())?.reveal();
    const secret = digest([(await source.read()).reveal(), password]);
    secrets.set(server, secret);
    return secret;
  } catch (error) {
    const last = secrets.get(server);
    if (last === undefined) throw error;
    return last;
  }
}
