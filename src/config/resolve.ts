import { resolve } from "node:path";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { ProxyOptions } from "../lib/http/proxy.ts";
import type { TlsMaterial } from "../lib/http/tls.ts";
import type { AuthSettings, SecretLocation } from "./auth-schema.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import type { KeyPath, Origin } from "./origin.ts";
import type { ProxySettings } from "./proxy-schema.ts";
import type { ReadFile } from "./reading-files.ts";
import { type ServerSettings, type Settings, STANDARD_OUTPUT } from "./schema.ts";
import { apiKeyFault, environmentSecret, type FaultOf, fileSecret, headerFault, type SecretSource } from "./secrets.ts";
import { readCertificates, readKeyOf, readTlsFiles, type TlsFiles } from "./tls-files.ts";
import type { TlsSettings } from "./tls-schema.ts";

export type Credentials =
  | { readonly kind: "api_key"; readonly apiKey: SecretSource }
  | { readonly kind: "login"; readonly username: string; readonly password: SecretSource };

export interface TlsConfig {
  /** PEM, replaces the default authorities. */
  readonly ca: string | undefined;
  /** Name in the certificate. `undefined`: the host of the URL. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** SHA-256 of accepted certificates, lower-case hexadecimal. */
  readonly fingerprints?: readonly string[] | undefined;
  readonly fingerprintsVariable?: string | undefined;
  readonly minVersion?: TlsSettings["minVersion"];
  /** Certificate (PEM) when the configuration was read, and the paths of it and its key. */
  readonly client?: { readonly cert: string | undefined; readonly files: TlsFiles } | undefined;
  /** Reads the current files. `undefined` without files. Rejects with ExporterError. */
  readonly read?: (() => Promise<TlsMaterial>) | undefined;
}

export interface ServerConfig extends Omit<ServerSettings, "auth" | "tls" | "proxy"> {
  readonly credentials: Credentials;
  readonly tls: TlsConfig;
  readonly proxy?: ProxyConfig | undefined;
}

/** Access to the files that a configuration names. */
export interface FileContext {
  /** Folder of relative paths. Empty: the working directory. */
  readonly base: string;
  readonly origin: Origin;
  readonly readFile: ReadFile;
  readonly readSecret: ReadFile;
  readonly redactor: Redactor;
  readonly fingerprintsVariable?: string | undefined;
}

export interface ResolveContext extends FileContext {
  /** Path of a server in the file. */
  readonly at: (index: number) => KeyPath;
}

/** Reads the files of servers. @throws ConfigError SECRET_UNREADABLE, SECRET_EXPOSED, CA_UNREADABLE, with all problems */
export async function resolveServers(
  servers: readonly ServerSettings[],
  context: ResolveContext,
): Promise<ServerConfig[]> {
  const problems: ConfigProblem[] = [];
  const attempt = attemptInto(problems, context.origin);
  const resolved: ServerConfig[] = [];
  for (const [index, { auth, tls, proxy, ...rest }] of servers.entries()) {
    resolved.push({
      ...rest,
      credentials: await resolveAuth(auth, [...context.at(index), "auth"], attempt, context),
      tls: await resolveTls(tls, [...context.at(index), "tls"], attempt, context),
      ...(proxy !== undefined && { proxy: await resolveProxy(proxy, context.at(index), attempt, context) }),
    });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved;
}

export async function resolveAuth(
  auth: AuthSettings,
  path: KeyPath,
  attempt: Attempt,
  context: FileContext,
): Promise<Credentials> {
  if (auth.kind === "login") {
    return {
      kind: "login",
      username: auth.username,
      password: await resolveSecret(auth.secret, path, attempt, context),
    };
  }
  return { kind: "api_key", apiKey: await resolveSecret(auth.secret, path, attempt, context, apiKeyFault) };
}

/** Reads the secret once, to check it. @param path Of the map around it. */
export async function resolveSecret(
  location: SecretLocation,
  path: KeyPath,
  attempt: Attempt,
  context: FileContext,
  faultOf?: FaultOf,
): Promise<SecretSource> {
  const at = [...path, location.key];
  const [variable] = context.origin.reference(at)?.variables ?? [];
  const source = secretSource(location, variable, context, faultOf);
  await attempt(at, () => source.read());
  return source;
}

/** Collects failures as problems of the key. */
export function attemptInto(problems: ConfigProblem[], origin: Origin): Attempt {
  return async (path, read) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ExporterError)) throw error;
      problems.push({ code: error.code, ...origin.place(path, "value"), text: error.message });
      return undefined;
    }
  };
}

export type Attempt = <Value>(path: KeyPath, read: () => Promise<Value>) => Promise<Value | undefined>;

export async function resolveTls(
  settings: TlsSettings,
  path: KeyPath,
  attempt: Attempt,
  { base, readFile, readSecret, fingerprintsVariable }: FileContext,
): Promise<TlsConfig> {
  const { serverName, insecureSkipVerify, fingerprints, minVersion } = settings;
  const from = (file: string | undefined) => (file === undefined ? undefined : resolve(base, file));
  const files = { caFile: from(settings.caFile), certFile: from(settings.certFile), keyFile: from(settings.keyFile) };
  const { caFile, certFile, keyFile } = files;
  const ca = caFile && (await attempt([...path, "ca_file"], () => readCertificates(caFile, readFile)));
  const cert = certFile && (await attempt([...path, "cert_file"], () => readCertificates(certFile, readFile)));
  if (keyFile !== undefined) await attempt([...path, "key_file"], () => readKeyOf(cert, keyFile, readSecret));
  const isFromFiles = Object.values(files).some((file) => file !== undefined);
  return {
    ...{ ca, serverName, insecureSkipVerify, fingerprints, minVersion },
    ...(fingerprintsVariable !== undefined && { fingerprintsVariable }),
    client: keyFile === undefined ? undefined : { cert, files },
    read: isFromFiles ? () => readTlsFiles(files, readFile, readSecret) : undefined,
  };
}

/** @param path Of the map with `proxy_url`. */
export async function resolveProxy(
  settings: ProxySettings,
  path: KeyPath,
  attempt: Attempt,
  context: FileContext,
): Promise<ProxyConfig> {
  const { origin, readFile } = context;
  const at = [...path, "proxy_auth", settings.auth?.secret.key ?? ""];
  const proxy = proxyConfig(settings, context, origin.reference(at)?.variables[0]);
  const { password, caFile } = proxy;
  if (password !== undefined) await attempt(at, () => password.read());
  if (caFile !== undefined) await attempt([...path, "proxy_ca_file"], () => readCertificates(caFile, readFile));
  return proxy;
}

/**
 * Reads the files of `otlp` (paths already resolved) to check them. @throws ConfigError SECRET_UNREADABLE, SECRET_EXPOSED, CA_UNREADABLE,
 * with all problems
 */
export async function checkOtlpFiles(otlp: Settings["otlp"], context: Omit<FileContext, "base">): Promise<void> {
  const { origin, readFile, readSecret, redactor } = context;
  const { headerFiles = {}, tls, proxy, endpoint, logsEndpoint = endpoint } = otlp ?? {};
  const problems: ConfigProblem[] = [];
  const attempt = attemptInto(problems, origin);
  for (const [name, path] of Object.entries(headerFiles)) {
    const source = fileSecret(path, path, readSecret, redactor, headerFault);
    await attempt(["otlp", "header_files", name], () => source.read());
  }
  if (proxy !== undefined) await resolveProxy(proxy, ["otlp"], attempt, { ...context, base: "" });
  // Only TLS reads them.
  const { caFile, certFile, keyFile } = [endpoint, logsEndpoint].every((url) => url?.startsWith("http:"))
    ? {}
    : (tls ?? {});
  const at = (key: string) => ["otlp", "tls", key];
  if (caFile !== undefined) await attempt(at("ca_file"), () => readCertificates(caFile, readFile));
  const cert =
    certFile === undefined ? undefined : await attempt(at("cert_file"), () => readCertificates(certFile, readFile));
  if (keyFile !== undefined) await attempt(at("key_file"), () => readKeyOf(cert, keyFile, readSecret));
  if (problems.length > 0) throw new ConfigError(problems);
}

/** The push reads the files itself. */
export function resolveOtlpPaths(otlp: Settings["otlp"], base: string): Settings["otlp"] {
  if (otlp === undefined) return undefined;
  const from = (path: string | undefined) => (path === undefined ? undefined : resolve(base, path));
  const { headerFiles, tls, proxy } = otlp;
  return {
    ...otlp,
    headerFiles:
      headerFiles && Object.fromEntries(Object.entries(headerFiles).map(([name, path]) => [name, resolve(base, path)])),
    proxy: proxy && resolveProxyPaths(proxy, base),
    tls: tls && { ...tls, caFile: from(tls.caFile), certFile: from(tls.certFile), keyFile: from(tls.keyFile) },
  };
}

function resolveProxyPaths({ url, auth, caFile }: ProxySettings, base: string): ProxySettings {
  const secret =
    auth?.secret.kind === "file" ? { ...auth.secret, path: resolve(base, auth.secret.path) } : auth?.secret;
  return {
    url,
    auth: auth && secret && { ...auth, secret },
    caFile: caFile === undefined ? undefined : resolve(base, caFile),
  };
}

export function resolveEventPaths({ file, ...rest }: Settings["events"], base: string): Settings["events"] {
  return { ...rest, file: file === undefined || file === STANDARD_OUTPUT ? file : resolve(base, file) };
}

/** @param variable Name of the environment variable with the secret. */
function secretSource(
  location: SecretLocation,
  variable: string | undefined,
  { base, readSecret, redactor }: Pick<ResolveContext, "base" | "readSecret" | "redactor">,
  faultOf?: FaultOf,
): SecretSource {
  return location.kind === "file"
    ? fileSecret(location.path, resolve(base, location.path), readSecret, redactor, faultOf)
    : environmentSecret(variable ?? "", location.value, redactor, faultOf);
}

export interface ProxyConfig {
  readonly url: string;
  readonly username: string | undefined;
  readonly password: SecretSource | undefined;
  readonly caFile: string | undefined;
}

/** @param variable Name of the environment variable with the password. */
export function proxyConfig(
  { url, auth, caFile }: ProxySettings,
  context: Pick<ResolveContext, "base" | "readSecret" | "redactor">,
  variable?: string,
): ProxyConfig {
  return {
    url,
    username: auth?.username,
    password: auth && secretSource(auth.secret, variable, context),
    caFile: caFile === undefined ? undefined : resolve(context.base, caFile),
  };
}

/** Rereads the files for each connection. */
export function proxyOptions(proxy: ProxyConfig, readFile: ReadFile): ProxyOptions {
  const { url, username, password, caFile } = proxy;
  return {
    url,
    tls:
      caFile === undefined
        ? undefined
        : {
            read: async () => ({ ca: await readCertificates(caFile, readFile), cert: undefined, key: undefined }),
          },
    authorization:
      username === undefined || password === undefined
        ? undefined
        : async () => {
            const pair = `${username}:${(await password.read()).reveal()}`;
            return `Basic ${Buffer.from(pair).toString("base64")}`;
          },
  };
}
