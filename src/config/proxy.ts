import { resolve } from "node:path";
import type { Redactor } from "../errors/redactor.ts";
import type { ProxyOptions } from "../lib/http/proxy.ts";
import type { ProxySettings } from "./proxy-schema.ts";
import type { ReadFile } from "./reading-files.ts";
import { EnvironmentSecret, FileSecret, type SecretSource } from "./secrets.ts";
import { readCertificates } from "./tls-files.ts";

export interface ProxyConfig {
  readonly url: string;
  readonly username: string | undefined;
  readonly password: SecretSource | undefined;
  readonly caFile: string | undefined;
}

export interface ProxyContext {
  /** Folder of relative paths. Empty: the working directory. */
  readonly base: string;
  readonly readSecret: ReadFile;
  readonly redactor: Redactor;
  readonly variable?: string | undefined;
}

export function proxyConfig({ url, auth, caFile }: ProxySettings, context: ProxyContext): ProxyConfig {
  return {
    url,
    username: auth?.username,
    password: auth && passwordSource(auth.secret, context),
    caFile: caFile === undefined ? undefined : resolve(context.base, caFile),
  };
}

type Location = NonNullable<ProxySettings["auth"]>["secret"];

function passwordSource(secret: Location, { base, readSecret, redactor, variable = "" }: ProxyContext): SecretSource {
  return secret.kind === "file"
    ? new FileSecret(secret.path, resolve(base, secret.path), readSecret, redactor)
    : new EnvironmentSecret(variable, secret.value, redactor);
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
