import { dirname } from "node:path";
import { ConfigError, type ConfigProblem } from "../../config/config-error.ts";
import { ConfigDocument } from "../../config/document.ts";
import type { Origin } from "../../config/origin.ts";
import { type ReadFile, readConfigFile } from "../../config/reading-files.ts";
import { validateAs } from "../../config/validation.ts";
import { readUsers, type Users } from "../auth/basic-auth.ts";
import { SettingError, type SettingProblem } from "./pem-settings.ts";
import { type WebSettings, webConfigSchema } from "./schema.ts";
import { type ServerTls, serverTls } from "./tls-options.ts";

export interface RateLimit {
  /** Average interval between requests, milliseconds. */
  readonly intervalMs: number;
  readonly burst: number;
}

export interface WebConfig {
  /** `undefined`: plain HTTP. */
  readonly tls: ServerTls | undefined;
  readonly http2: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly users: Users;
  readonly rateLimit: RateLimit | undefined;
}

export interface LoadedWebConfig {
  readonly config: WebConfig;
  /** Valid settings that are probably mistakes. */
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

/**
 * Reads and checks the file and the files it names. @throws ConfigError WEB_CONFIG_UNREADABLE, WEB_CONFIG_INVALID or CONFIG_SYNTAX, with
 * positions
 */
export async function loadWebConfig(file: string, readFile: ReadFile): Promise<LoadedWebConfig> {
  const document = new ConfigDocument(
    await readConfigFile(file, readFile, "WEB_CONFIG_UNREADABLE", "the web configuration"),
    file,
    undefined,
  );
  const { settings, problems, more } = validateAs(webConfigSchema, document.value ?? {}, document);
  if (settings === undefined) throw new ConfigError(problems.map(asWebProblem), more);
  const users = readUsers(settings.basic_auth_users);
  if ("path" in users) throw new ConfigError([placed(users, document)]);
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const http2 = settings.http_server_config?.http2 ?? true;
  let tls: ServerTls | undefined;
  try {
    const source = { base: dirname(file), readFile };
    tls = settings.tls_server_config ? await serverTls(settings.tls_server_config, http2, source, warn) : undefined;
  } catch (error) {
    if (error instanceof SettingError) throw new ConfigError([placed(error.problem, document)]);
    throw error;
  }
  if (users.size > 0 && tls === undefined)
    warn("clients send the passwords of basic_auth_users unencrypted, because there is no TLS");
  const config = {
    tls,
    http2,
    headers: Object.entries(settings.http_server_config?.headers ?? {}).flatMap(([name, value]) =>
      value ? [[name, value] as const] : [],
    ),
    users,
    rateLimit: rateLimit(settings, warn),
  };
  const inlineKey = settings.tls_server_config?.key;
  return { config, warnings, secrets: [...users.values(), ...(typeof inlineKey === "string" ? [inlineKey] : [])] };
}

function rateLimit({ rate_limit: limit }: WebSettings, warn: (text: string) => void): RateLimit | undefined {
  // In Go, a negative interval means no limit.
  if (!limit || limit.interval <= 0) return undefined;
  if (limit.burst === 0) warn("rate_limit.burst is 0: the exporter refuses every request");
  return { intervalMs: limit.interval, burst: limit.burst };
}

function asWebProblem(problem: ConfigProblem): ConfigProblem {
  return problem.code === "CONFIG_INVALID" ? { ...problem, code: "WEB_CONFIG_INVALID" } : problem;
}

function placed({ path, text, code = "WEB_CONFIG_INVALID" }: SettingProblem, origin: Origin): ConfigProblem {
  return { code, ...origin.place(path, "value"), text };
}
