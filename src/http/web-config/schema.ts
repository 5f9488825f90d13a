import { z } from "zod";
import { named } from "../../config/fields.ts";

/*
 * As in Prometheus' exporter-toolkit: one file for all exporters of a site. Possible secrets are `unknown` here and
 * checked by hand (load.ts): messages must not show them.
 */

const CLIENT_AUTH_TYPES = [
  "NoClientCert",
  "RequestClientCert",
  "RequireAnyClientCert",
  "VerifyClientCertIfGiven",
  "RequireAndVerifyClientCert",
] as const;
export type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

/** Names in Go and in Node. */
const TLS_VERSIONS = { TLS10: "TLSv1", TLS11: "TLSv1.1", TLS12: "TLSv1.2", TLS13: "TLSv1.3" } as const;

/** Go's secure suites, by their OpenSSL names. Suites of TLS 1.3 are always on. */
const CIPHERS = {
  TLS_AES_128_GCM_SHA256: "TLS_AES_128_GCM_SHA256",
  TLS_AES_256_GCM_SHA384: "TLS_AES_256_GCM_SHA384",
  TLS_CHACHA20_POLY1305_SHA256: "TLS_CHACHA20_POLY1305_SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
} as const;

const CURVES = { CurveP256: "prime256v1", CurveP384: "secp384r1", CurveP521: "secp521r1", X25519: "X25519" } as const;

/** The toolkit also accepts YAML 1.1. */
const yamlBoolean = z.union(
  [
    z.boolean(),
    z.enum(["yes", "Yes", "YES", "on", "On", "ON", "y", "Y"]).transform(() => true),
    z.enum(["no", "No", "NO", "off", "Off", "OFF", "n", "N"]).transform(() => false),
  ],
  { error: "true or false" },
);

/** Empty text counts as missing. */
const path = z
  .string()
  .nullable()
  .transform((text) => text || undefined);

const clientAuthType = z
  .enum(["", "RequireClientCert", ...CLIENT_AUTH_TYPES], { error: `one of ${CLIENT_AUTH_TYPES.join(", ")}` })
  .nullable()
  .transform((name): ClientAuthType | undefined =>
    name === "RequireClientCert" ? "RequireAnyClientCert" : name || undefined,
  );

const tlsServerConfig = z.strictObject({
  cert: z.unknown().optional(),
  cert_file: path.optional(),
  key: z.unknown().optional(),
  key_file: path.optional(),
  client_auth_type: clientAuthType.optional(),
  client_ca: z.unknown().optional(),
  client_ca_file: path.optional(),
  client_allowed_sans: z.array(z.string()).nullable().optional(),
  min_version: named(TLS_VERSIONS).default("TLSv1.2"),
  max_version: named(TLS_VERSIONS).default("TLSv1.3"),
  cipher_suites: z.array(named(CIPHERS)).nullable().optional(),
  prefer_server_cipher_suites: yamlBoolean.default(true),
  curve_preferences: z.array(named(CURVES)).nullable().optional(),
});

/** @param allowed Empty: any text. */
function header(...allowed: readonly string[]) {
  const isAny = allowed.length === 0;
  const expected = isAny ? "a text" : `one of ${allowed.join(", ")}`;
  return z
    .union([z.string(), z.number(), z.boolean()], { error: expected })
    .transform(String)
    .refine((value) => isAny || allowed.includes(value), { error: expected })
    .refine((value) => /^[\t\x20-\x7e]*$/.test(value), {
      error: "a text with characters that are valid in an HTTP header",
    });
}

/** The exporter sets other headers itself. */
const headers = z
  .strictObject({
    "Content-Security-Policy": header(),
    "X-Frame-Options": header("deny", "sameorigin"),
    "X-Content-Type-Options": header("nosniff"),
    "X-XSS-Protection": header(),
    "Strict-Transport-Security": header(),
  })
  .partial();

const httpServerConfig = z.strictObject({
  http2: yamlBoolean.default(true),
  headers: headers.optional(),
});

const DURATION = "a duration such as 1s or 500ms, or 0 for no limit";

/** Go reads a bare number as nanoseconds. */
const interval = z.union([z.int(), z.string()], { error: DURATION }).transform((value, context) => {
  const ms = typeof value === "number" ? value / 1e6 : parseGoDuration(value);
  if (ms !== undefined) return ms;
  context.addIssue({ code: "custom", message: DURATION, input: value });
  return z.NEVER;
});

const BURST = "a whole number from 0 to 1000000000";

const rateLimit = z.strictObject({
  interval: interval.default(0),
  burst: z.int({ error: BURST }).min(0, { error: BURST }).max(1e9, { error: BURST }).default(0),
});

export const webConfigSchema = z.strictObject({
  tls_server_config: tlsServerConfig.optional(),
  http_server_config: httpServerConfig.optional(),
  basic_auth_users: z.unknown().optional(),
  rate_limit: rateLimit.optional(),
});

export type WebSettings = z.output<typeof webConfigSchema>;
export type TlsSettings = z.output<typeof tlsServerConfig>;

/** Nanoseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;
const MAX_NS = 2 ** 63;

/** Milliseconds of a Go duration (`1s`, `1.5h`, `2m30s`, `0`). `undefined` for other text. */
export function parseGoDuration(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  let nanoseconds = 0;
  let end = 0;
  for (const [part, number, unit] of body.matchAll(PART)) {
    nanoseconds += Number(number) * (UNITS[unit ?? ""] ?? Number.NaN);
    end += part.length;
  }
  if (body === "" || end !== body.length || nanoseconds >= MAX_NS) return undefined;
  return (sign * nanoseconds) / 1e6;
}
