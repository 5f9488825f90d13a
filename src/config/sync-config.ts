import { join, resolve } from "node:path";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import type { KeyPath } from "./origin.ts";
import {
  type Attempt,
  attemptInto,
  type Credentials,
  type FileContext,
  type ProxyConfig,
  resolveAuth,
  resolveProxy,
  resolveSecret,
  resolveTls,
  type TlsConfig,
} from "./resolve.ts";
import { STANDARD_OUTPUT } from "./schema.ts";
import { apiKeyFault } from "./secrets.ts";
import type { AlertmanagerAuthSettings, SyncSettings } from "./sync-schema.ts";

export interface AlertmanagerConfig {
  /** With its path, without `/api/v2`. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Reads the value of the header `Authorization`. @throws ExporterError SECRET_UNREADABLE, SECRET_EXPOSED */
  readonly authorization: (() => Promise<string>) | undefined;
  readonly tls: TlsConfig;
  readonly proxy: ProxyConfig | undefined;
}

export interface SyncConfig extends Omit<SyncSettings, "alertmanager" | "servers" | "auditLog"> {
  readonly alertmanager: AlertmanagerConfig;
  /** By name of the server. The exporter changes nothing on other servers. */
  readonly servers: ReadonlyMap<string, Credentials>;
  /** Path, or `-` for standard output. */
  readonly auditLog: string;
}

const AUDIT_LOG = "sync-audit.jsonl";
const PATH = ["sync", "alertmanager"];

/** Reads the files of the section. @throws ConfigError SECRET_UNREADABLE, SECRET_EXPOSED, CA_UNREADABLE, with all problems */
export async function resolveSync(sync: SyncSettings, stateDir: string, context: FileContext): Promise<SyncConfig> {
  const problems: ConfigProblem[] = [];
  const attempt = attemptInto(problems, context.origin);
  const { url, timeoutMs, headers, auth, tls, proxy } = sync.alertmanager;
  for (const [name, value] of Object.entries(headers)) {
    if (context.origin.reference([...PATH, "headers", name]) !== undefined) context.redactor.add(value);
  }
  const servers = new Map<string, Credentials>();
  for (const [name, settings] of sync.servers) {
    servers.set(name, await resolveAuth(settings, ["sync", "servers", name], attempt, context));
  }
  const { auditLog = join(stateDir, AUDIT_LOG) } = sync;
  const config: SyncConfig = {
    ...sync,
    alertmanager: {
      ...{ url, timeoutMs, headers },
      authorization: auth && (await resolveAuthorization(auth, PATH, attempt, context)),
      tls: await resolveTls(tls, [...PATH, "tls"], attempt, context),
      proxy: proxy && (await resolveProxy(proxy, PATH, attempt, context)),
    },
    servers,
    auditLog: auditLog === STANDARD_OUTPUT ? auditLog : resolve(context.base, auditLog),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

async function resolveAuthorization(
  auth: AlertmanagerAuthSettings,
  path: KeyPath,
  attempt: Attempt,
  context: FileContext,
): Promise<() => Promise<string>> {
  if (auth.kind === "bearer") {
    const token = await resolveSecret(auth.secret, path, attempt, context, apiKeyFault);
    return async () => `Bearer ${(await token.read()).reveal()}`;
  }
  const password = await resolveSecret(auth.secret, path, attempt, context);
  return async () => {
    const pair = `${auth.username}:${(await password.read()).reveal()}`;
    return `Basic ${Buffer.from(pair).toString("base64")}`;
  };
}
