import { z } from "zod";
import type { SecretLocation } from "./auth-schema.ts";
import { filePath, optional, secret, text } from "./fields.ts";

/* Proxy of a monitoring server or of OTLP. The exporter ignores HTTP_PROXY: another shell must not redirect credentials. */

export interface ProxySettings {
  /** Scheme, host and port. */
  readonly url: string;
  readonly auth: { readonly username: string; readonly secret: SecretLocation } | undefined;
  /** Certificates to trust instead of the default ones, if the proxy uses TLS. */
  readonly caFile: string | undefined;
}

const AUTH_FORMS = "username with password_file, or username with password";

const proxyAuth = z
  .strictObject(
    {
      username: text("the name of a user of the proxy").meta({
        description: "User of the proxy.",
        examples: ["exporter"],
      }),
      password_file: optional(
        filePath(),
        "File with the password. The exporter reads it for each connection.",
        "/run/secrets/proxy-password",
      ),
      password: optional(
        secret(),
        "Reference to an environment variable with the password. The exporter refuses a password in the file.",
        "${PROXY_PASSWORD}",
      ),
    },
    { error: ({ code }) => (code === "invalid_type" ? `a map with ${AUTH_FORMS}` : undefined) },
  )
  .transform((input, context) => {
    const { username, password_file: path, password: value } = input;
    if (path !== undefined && value === undefined) {
      return { username, secret: { kind: "file", key: "password_file", path } satisfies SecretLocation };
    }
    if (value !== undefined && path === undefined) {
      return { username, secret: { kind: "value", key: "password", value } satisfies SecretLocation };
    }
    context.addIssue({ code: "custom", message: AUTH_FORMS, input });
    return z.NEVER;
  });

/** @param peer Target behind the proxy. */
export function proxyKeys(peer: string) {
  return {
    proxy_url: optional(
      proxyUrl(),
      `HTTP proxy for all connections to ${peer}, as tunnels (CONNECT) for both schemes. The exporter ignores HTTP_PROXY and similar variables. Default: none.`,
      "http://proxy.example.com:3128",
    ),
    proxy_auth: optional(proxyAuth, `Credentials of the proxy (Basic): ${AUTH_FORMS}.`),
    proxy_ca_file: optional(
      filePath(),
      "PEM file with trusted certificates instead of those of Node.js and the system, if `proxy_url` begins with https.",
      "/etc/ssl/proxy-ca.pem",
    ),
  };
}

interface ProxyKeys {
  readonly proxy_url?: string | undefined;
  readonly proxy_auth?: ProxySettings["auth"];
  readonly proxy_ca_file?: string | undefined;
}

export function refuseLoneProxyKeys(input: ProxyKeys, context: z.RefinementCtx): void {
  for (const key of ["proxy_auth", "proxy_ca_file"] as const) {
    if (input.proxy_url !== undefined || input[key] === undefined) continue;
    context.addIssue({
      code: "custom",
      message: "no value without proxy_url",
      path: [key],
      input: input[key],
    });
  }
  if (input.proxy_url?.startsWith("http:") && input.proxy_ca_file !== undefined) {
    const message = "no value, because proxy_url does not begin with https";
    context.addIssue({ code: "custom", message, path: ["proxy_ca_file"], input: input.proxy_ca_file });
  }
}

export function proxySettings(input: ProxyKeys): ProxySettings | undefined {
  const { proxy_url: url, proxy_auth: auth, proxy_ca_file: caFile } = input;
  return url === undefined ? undefined : { url, auth, caFile };
}

function proxyUrl() {
  const error = "an http or https URL without a path such as http://proxy.example.com:3128";
  return z
    .string({ error })
    .meta({ title: "URL" })
    .transform((input, context) => {
      const parsed = parseProxyUrl(input);
      if ("url" in parsed) return parsed.url;
      context.addIssue({ code: "custom", message: error, input, params: parsed });
      return z.NEVER;
    });
}

function parseProxyUrl(input: string): { readonly url: string } | { readonly fault: string } {
  if (!URL.canParse(input)) return { fault: "it is malformed" };
  const url = new URL(input);
  if (url.protocol !== "http:" && url.protocol !== "https:") return { fault: "its scheme is neither http nor https" };
  if (url.username !== "" || url.password !== "") return { fault: "credentials belong under proxy_auth" };
  if (url.port === "0") return { fault: "port 0 is invalid" };
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return { fault: "it has a path" };
  return { url: url.origin };
}
